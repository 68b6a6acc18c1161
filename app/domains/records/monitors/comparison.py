"""The records of a page in two runs: which are the same ones, and which fields of them differ.

Everything here is plain JSON, as it is stored: a record is `{"identity", "cells"}`, its cells are
fields by pointer, a cell is a value with its provenance. A price without a sign has in its cell the
`currency` that the page states for programs.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

from app.engine.extraction.records.extract import PageRecords
from app.engine.extraction.records.records import Record
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.values.compare import content_key, identity, same, value_at
from app.engine.extraction.values.currencies import signs
from app.engine.extraction.values.measure import differ
from app.engine.extraction.values.quantities import is_price
from app.engine.extraction.values.stated_measures import StatedCurrencies

Cell = dict[str, Any]
Kept = dict[str, Any]
_MOST_PROVENANCE = 20
_TEXTS = frozenset({"string", "boolean"})  # they say their currency and unit themselves
_BEFORE = re.compile(r"(?<!\S)\S{1,3}[ \u00a0\u202f]?$")
_BEHIND = re.compile(r"[ \u00a0\u202f]?\S{1,3}(?!\S)")


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field of the record at place `now` on the page, or of one that went (None)."""

    pointer: str
    previous: Cell | None
    current: Cell | None

    @property
    def vanished(self) -> bool:
        return self.current is None


@dataclass(frozen=True, slots=True)
class RecordChange:
    """The difference in one record: `before` and `now` are its places; None where it is not."""

    before: int | None
    now: int | None
    fields: tuple[FieldChange, ...]


def tracked(plan: Plan, track: Sequence[str] | None) -> list[Field]:
    """The fields that are compared: those named, with what is below them, or all."""
    leaves = [field for field in plan.every() if not (field.type == "object" and field.items)]
    if not track:
        return leaves
    return [field for field in leaves if any(_is_below(field.pointer, above) for above in track)]


def _is_below(pointer: str, above: str) -> bool:
    return pointer == above or pointer.startswith(f"{above}/")


def kept(plan: Plan, fields: Sequence[Field], read: PageRecords) -> list[Kept]:
    """The records that were read of a page, as the state of a page keeps them."""
    stated = StatedCurrencies(read.text[read.visible_end :])
    return [
        {"identity": identity(plan, record.data), "cells": dict(_cells(fields, record, stated))}
        for record in read.records
    ]


def _cells(
    fields: Sequence[Field], record: Record, stated: StatedCurrencies
) -> Iterator[tuple[str, Cell]]:
    for field in fields:
        value = value_at(record.data, field.pointer)
        if value is None or value == []:
            continue
        quotes = [
            provenance.as_json()
            for provenance in record.provenance
            if _is_below(provenance.pointer, field.pointer)
        ]
        cell: Cell = {"value": value, "provenance": quotes[:_MOST_PROVENANCE]}
        if is_price(field) and quotes and not any(map(signs, _beside(cell))):
            cell["currency"] = stated.of(quotes[0]["json_pointer"])
        yield field.pointer, cell


def changes(fields: Sequence[Field], before: list[Kept], now: list[Kept]) -> list[RecordChange]:
    """Lists the differences, record by record; records and fields that are alike are left out."""
    compared = (
        RecordChange(old, new, tuple(_differing(fields, before, now, old, new)))
        for old, new in _paired(fields, before, now)
    )
    return [change for change in compared if change.fields]


def _differing(
    fields: Sequence[Field], before: list[Kept], now: list[Kept], old: int | None, new: int | None
) -> Iterator[FieldChange]:
    previous = {} if old is None else before[old]["cells"]
    current = {} if new is None else now[new]["cells"]
    for field in fields:
        one, other = previous.get(field.pointer), current.get(field.pointer)
        if not same(field, one and one["value"], other and other["value"]) or (
            one and other and differ(_measures(field, one), _measures(field, other), field)
        ):
            yield FieldChange(field.pointer, one, other)


def _measures(field: Field, cell: Cell) -> Iterator[str]:
    """The texts that tell the currency and the unit of a value, where it does not itself."""
    yield cell.get("currency") or ""
    if field.type not in _TEXTS:
        yield from _beside(cell)


def _beside(cell: Cell) -> Iterator[str]:
    """The quotes of a value, each with the sign that may stand right before or behind it."""
    for each in cell["provenance"]:
        before, after = _BEFORE.search(each["prefix"]), _BEHIND.match(each["suffix"])
        yield f"{before[0] if before else ''}{each['quote']}{after[0] if after else ''}"


def _paired(
    fields: Sequence[Field], before: list[Kept], now: list[Kept]
) -> list[tuple[int | None, int | None]]:
    """Places of the same record then and now: of those of one identity the ones that say the same,
    then in order; else by what is left on both sides.
    """
    gone, unpaired = dict(enumerate(before)), dict(enumerate(now))
    pairs: list[tuple[int | None, int | None]] = []
    for key in (partial(_statement, fields), itemgetter("identity")):
        places: defaultdict[Any, deque[int]] = defaultdict(deque)
        for at, record in gone.items():
            places[key(record)].append(at)
        for at, record in list(unpaired.items()):
            name = key(record)
            if name is not None and (alike := places.get(name)):
                pairs.append((old := alike.popleft(), at))
                del gone[old], unpaired[at]
    # One that went and one that came are one that has another name; of many, nobody can tell.
    if len(gone) == len(unpaired) == 1:
        return [*pairs, *zip(gone, unpaired, strict=True)]
    return [*pairs, *((at, None) for at in gone), *((None, at) for at in unpaired)]


def _statement(fields: Sequence[Field], record: Kept) -> Any:
    """Its identity and all it says, however a page writes that."""
    values = {pointer: cell["value"] for pointer, cell in record["cells"].items()}
    return record["identity"], content_key(fields, values)


def _name(record: Kept) -> str:
    """Its identity; without one, all it says."""
    if record["identity"] is not None:
        return f"={record['identity']}"
    return repr(sorted((pointer, cell["value"]) for pointer, cell in record["cells"].items()))


def merged(before: list[Kept], now: list[Kept], held: Sequence[RecordChange]) -> list[Kept]:
    """The records of now, with what of `held` is not to be believed yet as it was before."""
    result = [{**record, "cells": dict(record["cells"])} for record in now]
    for change in held:
        if change.now is None and change.before is not None:
            result.append(before[change.before])
            continue
        for field in change.fields:
            if change.now is not None and field.previous is not None:
                result[change.now]["cells"][field.pointer] = field.previous
    return result


def mark(before: list[Kept], change: RecordChange, field: FieldChange) -> str:
    """Returns the mark by which the next run knows a vanished field."""
    record = None if change.before is None else before[change.before]
    name = "" if record is None or len(before) == 1 else _name(record)
    return f"{name}{field.pointer}"
