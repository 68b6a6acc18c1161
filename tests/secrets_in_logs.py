"""No line that the product writes while any test runs may hold a credential.

Of the processes of the tests each line of our log is looked at as it is written; of others, what
is in the log files of their folders when they have ended.
"""

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core import log

CREDENTIALS = re.compile(
    r"\bcg[aklnprst]_(?:live_)?[0-9A-Za-z]{16,}"  # keys and tokens of ours
    r"|\bwhsec_[0-9A-Za-z+/]{16,}"
    r"|(?i:\bbearer\s+)[0-9A-Za-z._~+/-]{16,}"
    r"|://[^\s/:@]+:(?!\[redacted\])[^\s/@:]+@"  # the password in a URL
    r"|\bx{32}\b"  # the SECRET_KEY of tests
    r"|\beyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}\."  # a JSON Web Token
)
_found: list[str] = []
_format = log._Formatter.format


def credentials(text: str) -> list[str]:
    """What is around each, itself left out."""
    return [
        f"...{text[max(0, hit.start() - 60) : hit.start()]}<{hit.group()[:6]}...>"
        for hit in CREDENTIALS.finditer(text)
    ]


def _looked_at(self: log._Formatter, record: logging.LogRecord) -> str:
    line = _format(self, record)
    _found.extend(credentials(line))
    return line


def watch() -> None:
    """From now on, in this process."""
    log._Formatter.format = _looked_at  # type: ignore[method-assign]


@pytest.fixture(autouse=True)
def no_credential_is_logged() -> Iterator[None]:
    """The test in which it is written fails, whatever the test is about."""
    _found.clear()
    yield
    assert _found == []


def check_folder(folder: Path) -> None:
    """Raises AssertionError when a log of a process that ran in it holds a credential."""
    found = {
        str(file.relative_to(folder)): hits
        for file in folder.rglob("*.log")
        if (hits := credentials(file.read_text(errors="replace")))
    }
    assert not found, found
