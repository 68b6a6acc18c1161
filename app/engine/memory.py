"""Memory that this process has freed, given back to the system."""

import ctypes
from contextlib import suppress


def give_back() -> None:
    """Takes some milliseconds. What long work needed stays with the process otherwise."""
    with suppress(AttributeError, OSError):  # a call of glibc only
        ctypes.CDLL(None).malloc_trim(0)
