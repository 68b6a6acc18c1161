"""Rights that the database refused: the program or the installation is at fault, never a caller."""

from collections.abc import Callable

import psycopg

from app.core import log

logger = log.get(__name__)

Listener = Callable[[str, str], object]

# No `Hook`: commands and migrations have nobody to tell, and a hook must be connected.
_listener: Listener | None = None


def tell(listener: Listener) -> None:
    """Call when a process starts: `listener` gets the role and the problem."""
    global _listener
    _listener = listener


def note(role: str, error: psycopg.errors.InsufficientPrivilege) -> None:
    """Write it to the log, whatever the caller makes of the error, and tell."""
    problem = (error.diag.message_primary or "").strip() or type(error).__name__
    logger.error("right refused", role=role, problem=problem)
    if _listener is not None:
        _listener(role, problem)
