"""The score of a group of rows: how well its columns answer the fields."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log10

from lxml.html import HtmlElement

from app.engine.extraction.rows.cells import Cell, Cells
from app.engine.extraction.rows.column_fit import Answers, RecordFields, assigned
from app.engine.extraction.rows.columns import Column, columns
from app.engine.extraction.rows.groups import Group, innermost
from app.engine.extraction.rows.kind import Kind
from app.engine.extraction.rows.no_records import (
    are_properties,
    are_prose,
    hold_several,
    in_furniture,
)
from app.engine.extraction.rows.pairs import Pairs
from app.engine.extraction.text.onetext import OneText

LEAST_SCORE = 0.1
_SAMPLED = 16  # rows of a group that are looked at to judge it
_IN_FURNITURE = 0.6
_SEVERAL = 0.5
_PROPERTIES = 0.3
_PROSE = 0.3
_FOR_ROWS = 0.12
_BY_HEADING = 0.5  # of what a class or the name of a column says
_UNSAID = 0.4  # of the score, for rows of which the page does not say what they are


@dataclass(frozen=True, slots=True)
class ScoredGroup:
    """A group with the columns that answer the fields, and how well they do."""

    group: Group
    score: float
    answers: Answers
    begun: frozenset[HtmlElement]
    slots: Mapping[str, str] = field(default_factory=dict)
    said: Mapping[str, float] = field(default_factory=dict)

    @property
    def rank(self) -> float:
        """The score, a little more of it for more rows, less where nothing says what they are, or
        only a heading, which is above other rows as well."""
        known = (
            _BY_HEADING * each if name == "heading" else each for name, each in self.said.items()
        )
        said = max(known, default=1.0)
        score = self.score * (1 - _UNSAID * (1 - said))
        return score * (1 + _FOR_ROWS * min(3.0, log10(len(self.group.rows))))


def scored(
    group: Group,
    page: OneText,
    cells: Cells,
    wanted: RecordFields,
    pairs: Pairs,
    slots: Mapping[str, str],
    kind: Kind,
) -> ScoredGroup:
    """A group by a sample of its rows."""
    begun = innermost(group.rows)
    step = max(1, len(group.rows) // _SAMPLED)
    sample = [
        [*cells.of(row, begun, cells.headers.of(row)), *pairs.cells(row, group, slots)]
        for row in group.rows[::step][:_SAMPLED]
        if not cells.headers.is_head(row)
    ]
    answers = assigned(wanted, columns([row for row in sample if row], page), slots)
    covered = sum(score for score, _ in answers.values()) / max(1, len(wanted.fields))
    if are_properties(sample, page, wanted):
        covered *= _PROPERTIES
    if are_prose(group, answers, wanted, slots):
        covered *= _PROSE
    if hold_several(answers, sample):
        covered *= _SEVERAL
    if in_furniture(group.rows[0][0]):
        covered *= _IN_FURNITURE
    said = dict(kind.evidence(group.rows)) if covered >= LEAST_SCORE else {}
    if said and (chief := answers.get(wanted.chief or "")):
        said["column"] = float(_is_named(chief[1], wanted))
    return ScoredGroup(group, min(1.0, covered), answers, begun, slots, said)


def _is_named(column: Column, wanted: RecordFields) -> bool:
    """True if a column is called as the field that says what each row is called."""
    named = wanted.named((*column.labels, *column.names))
    chief = next(each for each in wanted.fields if each.pointer == wanted.chief)
    return chief.pointer in named or column.tail(chief.words) > 0


def shown(group: Group, page: OneText, cells: Cells, places: Mapping[str, str]) -> ScoredGroup:
    """A group of whose rows an example shows where each field stands."""
    begun = innermost(group.rows)
    by_path: dict[str, Cell] = {}
    for row in group.rows[:_SAMPLED]:
        for cell in cells.of(row, begun, cells.headers.of(row)):
            by_path.setdefault(cell.path, cell)
    answers = {
        pointer: (1.0, columns([[by_path[path]]], page)[0])
        for pointer, path in places.items()
        if path in by_path
    }
    return ScoredGroup(group, 1.0, answers, begun)
