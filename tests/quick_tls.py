"""One TLS context for all clients of a process that trust what the system trusts.

To read its certificates takes longer than most tests run.
"""

import ssl
import sys
from functools import cache
from typing import Any

import certifi

OWNERS = {"app", "httpx"}  # others may change what they get
_new = ssl.create_default_context
_shared = cache(_new)


def use() -> None:
    """For this process."""
    ssl.create_default_context = _context


def _context(*purpose: ssl.Purpose, **files: Any) -> ssl.SSLContext:
    owner = sys._getframe(1).f_globals["__name__"].partition(".")[0]
    usual = not purpose and files in ({}, {"cafile": certifi.where()})
    return (_shared if usual and owner in OWNERS else _new)(*purpose, **files)
