"""Regions of a page in which something repeats: several things, each of which may be a record.

Groups of rows are found by their looks. Which of them holds the records is decided by the fields:
the region whose columns answer most of them, by label, by class, or by what the values are.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import FieldCandidate, Thing
from app.engine.extraction.rows.cells import Cell, Cells
from app.engine.extraction.rows.column_fit import NO_SLOTS, RecordFields
from app.engine.extraction.rows.columns import Column
from app.engine.extraction.rows.group_score import LEAST_SCORE, ScoredGroup, scored, shown
from app.engine.extraction.rows.groups import FEWEST, MOST_ROWS, Group, groups
from app.engine.extraction.rows.kind import SAID, Kind
from app.engine.extraction.rows.pairs import Pairs
from app.engine.extraction.rows.side_by_side import sides
from app.engine.extraction.rows.terms import entries
from app.engine.extraction.rows.things import Guess, thing
from app.engine.extraction.rows.totals import is_called_total
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.text.onetext import OneText

MOST_REGIONS = 20
_MOST_JUDGED = 40
_MOST_BESIDE = 500  # rows of a region that is not the best
_MOST = 0.5
_MUCH, _SOME, _MANY = 0.25, 0.12, 10
_FULL = 2  # fields that rows have to answer
_ALIKE = 0.9  # of the best score, for another region with the same columns to be more of it


@dataclass(frozen=True, slots=True)
class Region:
    """Rows that may be records: `things` in order of the page, each with its slice of the text.

    `read` counts them with those that sum others up; `score` is from 0 to 1 how well the columns
    answer the fields, `answers` by pointer which do, `share` how much of the text of the page the
    rows show; `by_place`: their order alone says which field is which; `said` where the page says
    what the rows are.
    """

    path: str
    score: float
    read: int
    things: tuple[Thing, ...]
    slices: tuple[tuple[int, int], ...]
    answers: dict[str, str]
    share: float
    truncated: bool = False
    by_place: bool = False
    said: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_said(self) -> bool:
        """True if the page says what most of the rows are by itself."""
        return _is_said(self.said)

    @property
    def is_main(self) -> bool:
        """True if the page is about these rows, rather than having them beside what it is about:
        few of them have to show much of its text.
        """
        if self.by_place or self.is_said:  # it is how probable they are that counts
            return True
        return self.read >= FEWEST and self.share >= (_MUCH if self.read < _MANY else _SOME)


def regions(
    page: OneText,
    root: HtmlElement,
    plan: Plan,
    candidates: Sequence[FieldCandidate] = (),
) -> list[Region]:
    """The regions below `root` that answer a field or more, best first.

    `candidates` are those of the page by other methods: each is said of the innermost row that
    holds it.
    """
    wanted = RecordFields.by(plan)
    cells = Cells(page, dated=wanted.are_dated)
    kind = Kind(page, wanted)
    pairs = Pairs(page, root, wanted, kind, cells.headers)
    found = [pairs.of(group) for group in groups(root, page)[:_MOST_JUDGED]]
    if pairs.are_wanted:
        found += [some for group in entries(root) if (some := pairs.of(group))[1]]
    for side in sides(page, root, wanted):
        cells.name(side.labels)
        found.append((side.group, NO_SLOTS))
    judged = sorted(
        (scored(group, page, cells, wanted, pairs, slots, kind) for group, slots in found),
        key=lambda each: -each.rank,
    )
    best = [each for each in judged if each.score >= LEAST_SCORE][:MOST_REGIONS]
    if best and len(best[0].answers) < min(_FULL, len(wanted.fields)):
        # A table of names stands above the entries, which say more of the same.
        best.sort(key=lambda each: len(each.answers) < _FULL or not _is_said(each.said))
    listed: list[Region] = []
    for each in best:
        most = MOST_ROWS if not listed else _MOST_BESIDE
        region = _region(each, page, cells, wanted, candidates, most, pairs)
        listed += [region] if region.things else []
    return listed


def _is_said(said: Mapping[str, float]) -> bool:
    return "any" not in said and max(said.get(where, 0.0) for where in SAID) > _MOST


def records(listed: Sequence[Region]) -> tuple[tuple[Thing, ...], bool]:
    """The things of the best region, and of those that are more of the same beside it; and whether
    some of them are left out.
    """
    if not listed:
        return (), False
    best = listed[0]
    chosen, truncated = [*zip(best.slices, best.things, strict=True)], best.truncated
    for other in listed[1:]:
        if best.is_said and not other.is_said:
            continue
        if other.score >= _ALIKE * best.score and other.answers.keys() == best.answers.keys():
            begins = sorted(place for place, _ in chosen)
            if not _touch(other.slices, begins):
                chosen.extend(zip(other.slices, other.things, strict=True))
                truncated |= other.truncated
    things = tuple(thing for _, thing in sorted(chosen, key=lambda each: each[0]))
    return things[:MOST_ROWS], truncated or len(things) > MOST_ROWS


def _touch(slices: Iterable[tuple[int, int]], taken: Sequence[tuple[int, int]]) -> bool:
    """True if one of `slices` shares text with one of those taken, which are in order."""
    begins = [start for start, _ in taken]
    for start, end in slices:
        at = bisect_right(begins, start)
        if (at and taken[at - 1][1] > start) or (at < len(taken) and taken[at][0] < end):
            return True
    return False


def taught(
    page: OneText,
    root: HtmlElement,
    plan: Plan,
    rows: Mapping[str, Mapping[str, str]],
    candidates: Sequence[FieldCandidate] = (),
) -> list[Region]:
    """The regions that an example showed to hold records: the places of the fields by pointer in
    the rows of each path."""
    if not rows:
        return []
    wanted = RecordFields.by(plan)
    cells = Cells(page, dated=wanted.are_dated)
    listed: list[Region] = []
    for group in groups(root, page, fewest=1):
        if path := _known(group, rows):
            judged = shown(replace(group, path=path), page, cells, rows[path])
            if judged.answers:
                pairs = Pairs(page, root, wanted, Kind(page, wanted), cells.headers)
                listed.append(_region(judged, page, cells, wanted, candidates, MOST_ROWS, pairs))
        if len(listed) == MOST_REGIONS:
            break
    return listed


def _known(group: Group, rows: Iterable[str]) -> str | None:
    """By which path an example named the rows of a group: a look that has a class is enough."""
    return next(
        (path for path in (group.path, group.path.rpartition(">")[2]) if path in rows), None
    )


def _region(
    judged: ScoredGroup,
    page: OneText,
    cells: Cells,
    wanted: RecordFields,
    candidates: Sequence[FieldCandidate],
    most: int,
    pairs: Pairs,
) -> Region:
    headers = cells.headers
    pointers = {column.path: pointer for pointer, (_, column) in judged.answers.items()}
    field_of = {field.pointer: field for field in wanted.fields}
    guesses = {
        column.path: _guess(field_of[pointer], score, column, wanted)
        for pointer, (score, column) in judged.answers.items()
    }
    things: list[Thing] = []
    slices: list[tuple[int, int]] = []
    names = {path for path, pointer in pointers.items() if pointer == wanted.chief}
    read = 0
    for row in judged.group.rows[:most]:
        listed = cells.of(row, judged.begun, headers.of(row))
        listed += pairs.cells(row, judged.group, judged.slots)
        if not headers.is_head(row) and any(cell.path in pointers for cell in listed):
            read += 1
            if is_called_total(listed, names, page):
                continue
            things.append(thing(listed, guesses, wanted, judged.group.path))
            slices.append(_slice(row, listed, page))
    if judged.group.across:
        slices = _beside_each_other(slices)
    else:
        _share_out(candidates, things, slices)
    return Region(
        judged.group.path,
        judged.score,
        read,
        tuple(things),
        tuple(slices),
        {pointer: path for path, pointer in pointers.items()},
        sum(end - start for start, end in slices) / max(1, page.visible_end),
        judged.group.truncated or len(judged.group.rows) > most,
        not judged.slots.keys().isdisjoint(pointers),
        judged.said,
    )


def _guess(field: Field, score: float, column: Column, wanted: RecordFields) -> Guess:
    tail = column.tail(field.words)
    labelled = field.pointer in wanted.named(column.labels)
    is_kind = field.pointer == wanted.chief and any(map(wanted.is_kind, column.labels))
    return Guess(field.pointer, field.name, 1.0 if tail else score, labelled, tail, is_kind)


def _slice(row: Sequence[HtmlElement], listed: Sequence[Cell], page: OneText) -> tuple[int, int]:
    places = [place for element in row if (place := page.places.get(element))]
    if not places:
        return listed[0].start, listed[-1].end
    return places[0][0], places[-1][1]


def _beside_each_other(slices: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Slices that do not overlap, of columns that begin in one row and end in another."""
    return [
        (start, slices[at + 1][0] if at + 1 < len(slices) else end)
        for at, (start, end) in enumerate(slices)
    ]


def _share_out(
    candidates: Sequence[FieldCandidate],
    things: Sequence[Thing],
    slices: Sequence[tuple[int, int]],
) -> None:
    """Give each candidate of the page to the innermost row that holds it."""
    order = sorted(range(len(slices)), key=lambda at: (slices[at][0], -slices[at][1]))
    begins = [slices[at][0] for at in order]
    for candidate in candidates:
        at = bisect_right(begins, candidate.start) - 1
        # Rows that begin before the candidate and have ended are few: siblings end at once.
        for place in order[max(0, at - 8) : at + 1][::-1]:
            if slices[place][1] >= candidate.end:
                things[place].candidates.append(candidate)
                break
