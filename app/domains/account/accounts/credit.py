"""The credit of an account, which the ledger knows: it stands above accounts."""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader
from app.core.hooks import Hook

CREDIT: Final = Hook[Callable[[Reader, UUID], list[dict[str, Any]]]]("credit.CREDIT")
"""What an account may spend, by token."""
