"""The corpora to which a key is limited; they are of a domain above accounts."""

from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

from app.core.db import Reader
from app.core.hooks import Hook

CORPORA: Final = Hook[Callable[[Reader, UUID, Sequence[str]], list[UUID]]]("key_corpora.CORPORA")
"""The ids of those of an account that a caller names. Raises Invalid at `/corpora`."""
