"""Cells of tables that people open in spreadsheets: none that a spreadsheet computes."""

import csv
import io
import json
import re
from collections.abc import Sequence
from typing import Any, Final

SEPARATOR: Final = "; "

# A number can be no formula, and an apostrophe before it would make a text of it.
_NUMBER: Final = re.compile(r"[-+]?[0-9][0-9.,]*(?:[eE][-+]?[0-9]+)?")
_UNSEEN: Final = r"[\s\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]*"
_FORMULA: Final = re.compile(rf"[\t\r\n]|{_UNSEEN}[=+\-@|%＝＋－＠]")


def cell(value: Any) -> str:
    """A value as text: numbers and flags as JSON writes them, lists joined where that is clear."""
    if value is None:
        return ""
    if isinstance(value, str):
        return safe(value)
    if isinstance(value, list) and all(_joinable(item) for item in value):
        return safe(SEPARATOR.join(_plain(item) for item in value))
    return safe(json.dumps(value, ensure_ascii=False))


def _joinable(item: Any) -> bool:
    return not isinstance(item, dict | list) and ";" not in _plain(item)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def safe(text: str) -> str:
    """The text, behind an apostrophe if a spreadsheet would compute it."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def line(cells: Sequence[str]) -> bytes:
    """One line of RFC 4180."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerow(cells)
    return written.getvalue().encode()
