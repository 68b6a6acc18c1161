"""Records as table rows: always the same columns, and no cell that a spreadsheet computes."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.domains.extractions.record_store import Record
from app.engine.extraction.schema import Field, Plan

OF_ALL: Final = ("_id", "_url", "_fetched_at", "_confidence")
SEPARATOR: Final = "; "

# A number can be no formula, and an apostrophe before it would make a text of it.
_NUMBER: Final = re.compile(r"[-+]?[0-9][0-9.,]*")
_UNSEEN: Final = r"[\s\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]*"
_FORMULA: Final = re.compile(rf"[\t\r\n]|{_UNSEEN}[=+\-@|%＝＋－＠]")


@dataclass(frozen=True, slots=True)
class Column:
    """A value of the record: the names that lead to it."""

    path: tuple[str, ...]

    @property
    def name(self) -> str:
        return ".".join(self.path)

    @property
    def pointer(self) -> str:
        steps = (name.replace("~", "~0").replace("/", "~1") for name in self.path)
        return "".join(f"/{step}" for step in steps)


def columns(plan: Plan | None) -> list[Column]:
    """A column for each value; objects are opened, arrays are not."""
    return list(_columns(plan.fields, ())) if plan else []


def _columns(fields: Sequence[Field], above: tuple[str, ...]) -> Iterator[Column]:
    for each in fields:
        path = (*above, each.name)
        if each.type == "object" and each.items:
            yield from _columns(each.items.fields, path)
        else:
            yield Column(path)


def header(table: Sequence[Column], *, provenance: bool) -> list[str]:
    return [*OF_ALL, *(name for each in table for name in _names(each, provenance))]


def _names(column: Column, provenance: bool) -> list[str]:
    name = safe(column.name)
    return [name, f"{name}._quote"] if provenance else [name]


def row(
    table: Sequence[Column], record: Record, shown: Mapping[str, Any], *, provenance: bool
) -> list[str]:
    """The cells of a record; `shown` is the record as callers see it."""
    cells = [shown["id"], shown["url"], shown["fetched_at"] or "", cell(record.confidence)]
    for column in table:
        cells.append(cell(_value(record.data, column.path)))
        if provenance:
            cells.append(safe(_quotes(record, column.pointer)))
    return [*(safe(text) for text in cells[:3]), *cells[3:]]


def _value(data: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def _quotes(record: Record, pointer: str) -> str:
    """Of the value, or of each item of a list."""
    below = f"{pointer}/"
    return SEPARATOR.join(
        each["quote"]
        for each in record.provenance
        if each["pointer"] == pointer or each["pointer"].startswith(below)
    )


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
