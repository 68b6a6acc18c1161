"""Hooks of accounts, by which they call domains above them."""

from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader
from app.core.hooks import Hook

CREDIT: Final = Hook[Callable[[Reader, UUID], list[dict[str, Any]]]]("hooks.CREDIT")
"""What an account may spend, by token."""
CORPORA: Final = Hook[Callable[[Reader, UUID, Sequence[str]], list[UUID]]]("hooks.CORPORA")
"""The ids of those of an account that a caller names. Raises Invalid at `/corpora`."""
