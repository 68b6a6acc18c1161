"""Values that no passage of the page supports are dropped, where a job asks for that."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.engine.extraction.records.records import Record
from app.engine.extraction.schema.schema import Plan
from app.engine.extraction.schema.validation import SchemaViolation, unsatisfied
from app.engine.extraction.text.json_pointer import escaped


def grounded(plan: Plan, record: Record) -> Record:
    """`record` without the values that have no provenance; each is named in `unsatisfied`."""
    dropped: list[str] = []
    data = _kept(record.data, "", {each.pointer for each in record.provenance}, dropped)
    if not dropped:
        return record
    named = tuple(
        SchemaViolation(pointer, "require_provenance", "a quote on the page", "none was found")
        for pointer in dropped
    )
    return replace(
        record,
        data=data or {},
        provenance=tuple(
            each for each in record.provenance if not _is_below(each.pointer, dropped)
        ),
        unsatisfied=(*unsatisfied(plan, data or {}), *named),
    )


def _kept(value: Any, pointer: str, quoted: set[str], dropped: list[str]) -> Any:
    """`value` with only what is quoted, by its pointer; None if that is nothing.

    A list goes as a whole: without one of its items the others would have other pointers.
    """
    if isinstance(value, Mapping):
        below = {
            name: _kept(item, f"{pointer}/{escaped(name)}", quoted, dropped)
            for name, item in value.items()
        }
        return {name: item for name, item in below.items() if item is not None} or None
    if isinstance(value, list):
        items = [_kept(item, f"{pointer}/{n}", quoted, dropped) for n, item in enumerate(value)]
        if all(item is not None for item in items):
            return items
        dropped[:] = [each for each in dropped if not _is_below(each, [pointer])]
    elif pointer in quoted:
        return value
    dropped.append(pointer)
    return None


def _is_below(pointer: str, others: list[str]) -> bool:
    return any(pointer == other or pointer.startswith(f"{other}/") for other in others)
