"""Learn from a page of many records, one or more of which are known, where records are in rows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lxml.html import HtmlElement

from app.engine.extraction.rows.cells import Cell, Cells
from app.engine.extraction.rows.groups import Group, groups, innermost
from app.engine.extraction.schema.schema import Field
from app.engine.extraction.site.template import PRIOR, Habit, Template
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.values.compare import same
from app.engine.extraction.values.typed import Context
from app.engine.extraction.values.values import typed

_MOST_GROUPS = 60
_TELLING = re.compile(r"[.>]")
_MOST_ROWS = 500
_LONGEST_AFTER = 3
_FEWEST_FIELDS = 2
_OF_RECORD = 0.6  # the share of the fields of a record that its row must show
_IN_ROWS = 0.5
_LONGEST_TYPED = 200

Given = Sequence[tuple[Field, Any]]


@dataclass(slots=True)
class _Places:
    """The places of fields in the rows of a group, and what stands after the value there."""

    path: str
    of: dict[str, str] = field(default_factory=dict)
    after: dict[str, str] = field(default_factory=dict)


def learn_rows(
    page: OneText, root: HtmlElement, records: Sequence[Given], context: Context
) -> Template | None:
    """The template of pages with the rows in which `records` stand; None if they are in none.

    Two fields of a record or more, and most of its fields, must stand in a row, and other rows must
    have them as well. Lists are no matter here.
    """
    best: tuple[int, int] = (_FEWEST_FIELDS, 0)
    chosen: _Places | None = None
    for group in groups(root, page)[:_MOST_GROUPS]:
        if not _TELLING.search(group.path):
            continue  # a tag alone is anywhere
        rows = _rows_of(group, page)
        places = _places(group.path, page, rows, records, context)
        rank = len(places.of), len(group.rows)
        if rank > best and _is_usual(places, page, rows):
            best, chosen = rank, places
    return _template(chosen) if chosen else None


def _rows_of(group: Group, page: OneText) -> list[dict[str, Cell]]:
    begun, cells = innermost(group.rows), Cells(page)
    rows = group.rows[:_MOST_ROWS]
    return [
        {cell.path: cell for cell in cells.of(row, begun, cells.headers.of(row))}
        for row in rows
        if not cells.headers.is_head(row)
    ]


def _places(
    path: str,
    page: OneText,
    rows: Sequence[Mapping[str, Cell]],
    records: Sequence[Given],
    context: Context,
) -> _Places:
    """Finds the places of the values in the row that shows most of a record."""
    best = _Places(path)
    for record in ([each for each in its if each[0].type != "array"] for its in records):
        for row in rows:
            places = _in_row(path, page, row, record, context)
            if len(places.of) > len(best.of) and _shows(places, record):
                best = places
    return best


def _shows(places: _Places, record: Given) -> bool:
    """True if a row shows most of a record and its name, more than rows have in common."""
    texts = [each for each, _ in record if each.type == "string" and not each.format]
    named = [each.pointer for each in texts if "#name" in each.words]
    chief = next(iter(named + [each.pointer for each in texts]), None)
    return len(places.of) >= _OF_RECORD * len(record) and (chief is None or chief in places.of)


def _in_row(
    path: str, page: OneText, row: Mapping[str, Cell], record: Given, context: Context
) -> _Places:
    places = _Places(path)
    for wanted, value in record:
        for at, cell in row.items():
            after = _after(wanted, value, page.text[cell.start : cell.end], context)
            if after is not None and at not in places.of.values():
                places.of[wanted.pointer], places.after[wanted.pointer] = at, after
                break
    return places


def _after(wanted: Field, value: Any, text: str, context: Context) -> str | None:
    """The text after the value, "" if nothing; None if it is not the value."""
    if wanted.type != "string" or wanted.format:
        if len(text) > _LONGEST_TYPED:
            return None
        read = typed(text, wanted, context)
        return "" if read and same(wanted, read.value, value) else None
    shown, known = " ".join(text.casefold().split()), " ".join(str(value).casefold().split())
    if not shown.startswith(known) or not known:
        return None
    after = text[len(text) - (len(shown) - len(known)) :] if shown != known else ""
    return after if len(after) <= _LONGEST_AFTER and not any(map(str.isalnum, after)) else None


def _is_usual(places: _Places, page: OneText, rows: Sequence[Mapping[str, Cell]]) -> bool:
    """True if the other rows have these places too, each row with a text of its own at the best."""
    shares, differing = [], []
    for at in places.of.values():
        texts = [page.text[row[at].start : row[at].end] for row in rows if at in row]
        shares.append(len(texts) / len(rows))
        differing.append(len(set(texts)) / len(texts))
    return min(shares) >= _IN_ROWS and max(differing) > _IN_ROWS


def _template(places: _Places) -> Template:
    look = places.path.rpartition(">")[2]
    paths = dict.fromkeys((places.path, look)) if "." in look else {places.path: None}
    habits = {}
    for pointer, at in places.of.items():
        names = [f"{path}|{at}" for path in paths]
        after = places.after[pointer]
        habits[pointer] = Habit(
            shown=dict.fromkeys(names, PRIOR),
            after=dict.fromkeys(names, (after,)) if after else {},
        )
    return Template(habits, {path: dict(places.of) for path in paths})
