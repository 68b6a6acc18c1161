"""The limits of what may be remembered, and of how much."""

import re
from typing import Final

from app.core.errors import AppError

PERSONA: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
TYPES: Final = ("preference", "fact", "instruction", "event")
APPROVED: Final = "user_approved"

MOST_OF_PERSONA: Final = 1_000
"""So many are opened and ranked in some milliseconds."""
MOST_OF_ACCOUNT: Final = 20_000
MOST_VERSIONS: Final = 20


class ApprovalRequired(AppError):
    """Memories need the approval of the user: `source` must be `user_approved`."""

    code, status = "approval_required", 400
