"""The score of a group of rows: how well its columns answer the fields."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log10

from lxml.html import HtmlElement

from app.engine.extraction.rows.cells import Cell, Cells
from app.engine.extraction.rows.column_fit import Answers, RecordFields, are_versions, assigned
from app.engine.extraction.rows.columns import Column, columns
from app.engine.extraction.rows.groups import Group, innermost
from app.engine.extraction.rows.kind import Kind
from app.engine.extraction.rows.pairs import Pairs
from app.engine.extraction.text.onetext import HEADINGS, OneText
from app.engine.pages.blocks.walk import name_set

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
    return chief.pointer in named or column.tail(chief.words) > 0 or are_versions(chief, column)


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


_FURNITURE = name_set("nav header footer aside menu form")
_NAMED_ROWS = 0.2
_MOST_OWN = 0.5


def are_properties(sample: Sequence[Sequence[Cell]], page: OneText, wanted: RecordFields) -> bool:
    """True if the rows are the properties of one thing: they begin with names of its fields, or
    most with a label of their own, one of which names a field."""
    firsts = [row[0] for row in sample if row]
    labels = [each.labels or [page.text[each.start : each.end][:60]] for each in firsts]
    named = [names for each in labels if (names := wanted.named(each))]
    own = {each[0] for each in labels if each[0].rstrip().endswith((":", "："))}
    if named and len(own) > _MOST_OWN * len(labels):
        return True
    if firsts and firsts[0].element.tag in HEADINGS and set().union(*named) - {wanted.chief}:
        return True
    return len(set().union(*named)) > 1 and len(named) >= _NAMED_ROWS * len(labels)


def are_prose(
    group: Group, answers: Answers, wanted: RecordFields, slots: Mapping[str, str]
) -> bool:
    """True if the rows are plain paragraphs of which nothing says that they are more."""
    is_plain = len(group.rows[0]) == 1 and group.rows[0][0].tag == "p" and not slots
    return is_plain and not any(
        pointer in wanted.named((*column.labels, *column.names))
        for pointer, (_, column) in answers.items()
    )


def hold_several(answers: Answers, sample: Sequence[Sequence[Cell]]) -> bool:
    """True if every answer comes again in a row: then it holds several records."""
    plain = {column.path.partition("#")[0] for _, column in answers.values()}
    again = Counter(
        path for row in sample for path in {c.path.partition("#")[0] for c in row if "#" in c.path}
    )
    return len(plain) > 1 and all(2 * again[path] > len(sample) for path in plain)


def in_furniture(element: HtmlElement) -> bool:
    return any(ancestor.tag in _FURNITURE for ancestor in element.iterancestors())
