"""Records as table rows: always the same columns, and no cell that a spreadsheet computes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.core.http.exports.cells import SEPARATOR, cell, safe
from app.domains.records.page_jobs.runs.record_store import StoredRecord
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.text.json_pointer import escaped
from app.engine.extraction.values.calibration import unsure

OF_ALL: Final = ("_id", "_url", "_fetched_at", "_confidence", "_unsure")


@dataclass(frozen=True, slots=True)
class Column:
    """A value of the record: the names that lead to it."""

    path: tuple[str, ...]

    @property
    def name(self) -> str:
        return ".".join(self.path)

    @property
    def pointer(self) -> str:
        return "".join(f"/{escaped(name)}" for name in self.path)

    def value_in(self, data: Any) -> Any:
        """None where the record has no such value."""
        for name in self.path:
            data = data.get(name) if isinstance(data, dict) else None
        return data


def columns(*plans: Plan) -> list[Column]:
    """A column for each value of any of the plans; objects are opened, arrays are not."""
    every = (column for plan in plans for column in _columns(plan.fields, ()))
    return list(dict.fromkeys(every))


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
    table: Sequence[Column], record: StoredRecord, shown: Mapping[str, Any], *, provenance: bool
) -> list[str]:
    """The cells of a record; `shown` is the record as callers see it."""
    cells = [shown["id"], shown["url"], shown["fetched_at"] or "", cell(record.confidence)]
    cells.append(safe(doubtful(table, record.provenance, record.data)))
    for column in table:
        cells.append(cell(column.value_in(record.data)))
        if provenance:
            cells.append(safe(_quotes(record, column.pointer)))
    return [*(safe(text) for text in cells[:3]), *cells[3:]]


def doubtful(
    table: Sequence[Column], provenance: Sequence[Mapping[str, Any]], data: Mapping[str, Any]
) -> str:
    """The names of the columns whose values are unsure."""
    pointers = [f"{pointer}/" for pointer in unsure(provenance, data)]
    return SEPARATOR.join(
        column.name
        for column in table
        if any(pointer.startswith(f"{column.pointer}/") for pointer in pointers)
    )


def _quotes(record: StoredRecord, pointer: str) -> str:
    """Of the value, or of each item of a list."""
    below = f"{pointer}/"
    return SEPARATOR.join(
        each["quote"]
        for each in record.provenance
        if each["pointer"] == pointer or each["pointer"].startswith(below)
    )
