"""Regions of a page in which something repeats: several things, each of which may be a record.

Groups of rows are found by their looks. Which of them holds the records is decided by the fields:
the region whose columns answer most of them, by label, by class, or by what the values are.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log10

from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import FieldCandidate, Thing
from app.engine.extraction.rows.cells import Cell, Cells
from app.engine.extraction.rows.column_fit import Answers, RecordFields, assigned
from app.engine.extraction.rows.columns import columns
from app.engine.extraction.rows.groups import FEWEST, MOST_ROWS, Group, groups, innermost
from app.engine.extraction.rows.headers import Headers
from app.engine.extraction.schema.schema import Plan
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.blocks.walk import name_set

MOST_REGIONS = 20
_MOST_JUDGED = 40
_MOST_BESIDE = 500  # rows of a region that is not the best
_SAMPLED = 16  # rows of a group that are looked at to judge it
_FURNITURE = name_set("nav header footer aside menu form")
_IN_FURNITURE = 0.6
_SEVERAL = 0.5
_PROPERTIES = 0.3
_NAMED_ROWS = 0.2
_FOR_ROWS = 0.12
_MUCH, _SOME, _MANY = 0.25, 0.12, 10
_LEAST_SCORE = 0.1
_ALIKE = 0.9  # of the best score, for another region with the same columns to be more of it
_NAMED_PRIOR, _LABELLED_PRIOR, _TABLE_PRIOR, _GUESSED_PRIOR = 0.55, 0.75, 0.8, 0.8


@dataclass(frozen=True, slots=True)
class Region:
    """Rows that may be records: `things` in order of the page, each with its slice of the text.

    `score` is from 0 to 1 how well the columns answer the fields, `answers` by pointer which do,
    `share` how much of the text of the page the rows show.
    """

    path: str
    score: float
    things: tuple[Thing, ...]
    slices: tuple[tuple[int, int], ...]
    answers: dict[str, str]
    share: float
    truncated: bool = False

    @property
    def is_main(self) -> bool:
        """True if the page is about these rows, rather than having them beside what it is about:
        few of them have to show much of its text.
        """
        rows = len(self.things)
        return rows >= FEWEST and self.share >= (_MUCH if rows < _MANY else _SOME)


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
    wanted, cells = RecordFields.by(plan), Cells(page)
    judged = sorted(
        (_judged(group, page, cells, wanted) for group in groups(root, page)[:_MOST_JUDGED]),
        key=lambda each: -each.rank,
    )
    best = [each for each in judged if each.score >= _LEAST_SCORE][:MOST_REGIONS]
    listed: list[Region] = []
    for each in best:
        most = MOST_ROWS if not listed else _MOST_BESIDE
        listed.append(_region(each, page, cells, wanted, candidates, most))
    return listed


def records(listed: Sequence[Region]) -> tuple[Thing, ...]:
    """The things of the best region, and of those that are more of the same beside it."""
    if not listed:
        return ()
    best = listed[0]
    chosen = [*zip(best.slices, best.things, strict=True)]
    for other in listed[1:]:
        if other.score >= _ALIKE * best.score and other.answers.keys() == best.answers.keys():
            begins = sorted(place for place, _ in chosen)
            if not _touch(other.slices, begins):
                chosen.extend(zip(other.slices, other.things, strict=True))
    return tuple(thing for _, thing in sorted(chosen, key=lambda each: each[0]))


def _touch(slices: Iterable[tuple[int, int]], taken: Sequence[tuple[int, int]]) -> bool:
    """True if one of `slices` shares text with one of those taken, which are in order."""
    begins = [start for start, _ in taken]
    for start, end in slices:
        at = bisect_right(begins, start)
        if (at and taken[at - 1][1] > start) or (at < len(taken) and taken[at][0] < end):
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Judged:
    """A group with the columns that answer the fields, and how well they do."""

    group: Group
    score: float
    answers: Answers
    begun: frozenset[HtmlElement]

    @property
    def rank(self) -> float:
        """The score, a little more of it for more rows."""
        return self.score * (1 + _FOR_ROWS * min(3.0, log10(len(self.group.rows))))


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
    wanted, cells = RecordFields.by(plan), Cells(page)
    listed: list[Region] = []
    for group in groups(root, page, fewest=1):
        if path := _known(group, rows):
            judged = _taught(replace(group, path=path), page, cells, rows[path])
            if judged.answers:
                listed.append(_region(judged, page, cells, wanted, candidates, MOST_ROWS))
        if len(listed) == MOST_REGIONS:
            break
    return listed


def _known(group: Group, rows: Iterable[str]) -> str | None:
    """By which path an example named the rows of a group: a look that has a class is enough."""
    return next(
        (path for path in (group.path, group.path.rpartition(">")[2]) if path in rows), None
    )


def _taught(group: Group, page: OneText, cells: Cells, places: Mapping[str, str]) -> _Judged:
    begun = innermost(group.rows)
    headers = Headers(page)
    by_path: dict[str, Cell] = {}
    for row in group.rows[:_SAMPLED]:
        for cell in cells.of(row, begun, headers.of(row)):
            by_path.setdefault(cell.path, cell)
    answers = {
        pointer: (1.0, columns([[by_path[path]]], page)[0])
        for pointer, path in places.items()
        if path in by_path
    }
    return _Judged(group, 1.0, answers, begun)


def _judged(group: Group, page: OneText, cells: Cells, wanted: RecordFields) -> _Judged:
    begun = innermost(group.rows)
    headers = Headers(page)
    step = max(1, len(group.rows) // _SAMPLED)
    sample = [
        cells.of(row, begun, headers.of(row))
        for row in group.rows[::step][:_SAMPLED]
        if not headers.is_head(row)
    ]
    answers = assigned(wanted, columns([row for row in sample if row], page))
    covered = sum(score for score, _ in answers.values()) / max(1, len(wanted.fields))
    if _are_properties(sample, page, wanted):
        covered *= _PROPERTIES
    if _holds_several(answers, sample):
        covered *= _SEVERAL
    if _in_furniture(group.rows[0][0]):
        covered *= _IN_FURNITURE
    return _Judged(group, min(1.0, covered), answers, begun)


def _are_properties(sample: Sequence[Sequence[Cell]], page: OneText, wanted: RecordFields) -> bool:
    """True if the rows are the properties of one thing: they begin with names of its fields."""
    firsts = [row[0] for row in sample if row]
    labels = [each.labels or [page.text[each.start : each.end][:60]] for each in firsts]
    named = [names for each in labels if (names := wanted.named(each))]
    return len(set().union(*named)) > 1 and len(named) >= _NAMED_ROWS * len(labels)


def _holds_several(answers: Answers, sample: Sequence[Sequence[Cell]]) -> bool:
    """True if every answer comes again in a row: then it holds several records."""
    plain = {column.path.partition("#")[0] for _, column in answers.values()}
    again = Counter(
        path for row in sample for path in {c.path.partition("#")[0] for c in row if "#" in c.path}
    )
    return len(plain) > 1 and all(2 * again[path] > len(sample) for path in plain)


def _in_furniture(element: HtmlElement) -> bool:
    return any(ancestor.tag in _FURNITURE for ancestor in element.iterancestors())


def _region(
    judged: _Judged,
    page: OneText,
    cells: Cells,
    wanted: RecordFields,
    candidates: Sequence[FieldCandidate],
    most: int,
) -> Region:
    headers = Headers(page)
    pointers = {column.path: pointer for pointer, (_, column) in judged.answers.items()}
    name_of = {field.pointer: field.name for field in wanted.fields}
    guesses = {path: (name_of[p], judged.answers[p][0]) for path, p in pointers.items()}
    things: list[Thing] = []
    slices: list[tuple[int, int]] = []
    for row in judged.group.rows[:most]:
        listed = cells.of(row, judged.begun, headers.of(row))
        if not headers.is_head(row) and any(cell.path in pointers for cell in listed):
            things.append(_thing(listed, guesses, judged.group.path))
            slices.append(_slice(row, listed, page))
    _share_out(candidates, things, slices)
    return Region(
        judged.group.path,
        judged.score,
        tuple(things),
        tuple(slices),
        {pointer: path for path, pointer in pointers.items()},
        sum(end - start for start, end in slices) / max(1, page.visible_end),
        judged.group.truncated or len(judged.group.rows) > most,
    )


def _thing(listed: Sequence[Cell], guesses: dict[str, tuple[str, float]], path: str) -> Thing:
    thing = Thing(place=min(cell.start for cell in listed))
    for cell in listed:
        leaves = (Leaf(cell.start, cell.end, None, cell.element),)
        method = "table" if cell.element.tag in ("td", "th") else "repeated"
        for key, prior, kind in _keys(cell, guesses):
            thing.candidates.append(
                FieldCandidate(key, leaves, method, prior, f"{path}|{cell.path}", False, kind)
            )
    thing.candidates.extend(_lists(listed, path))
    return thing


def _keys(cell: Cell, guesses: dict[str, tuple[str, float]]) -> Iterator[tuple[str, float, str]]:
    """By which names a cell may be known: the key, how sure it is, and its kind."""
    if cell.path in guesses:
        name, score = guesses[cell.path]
        yield name, min(_GUESSED_PRIOR, 0.3 + 0.6 * score), "name"
    if cell.labels:
        prior = _TABLE_PRIOR if cell.element.tag in ("td", "th") else _LABELLED_PRIOR
        yield from ((label, prior, "name") for label in cell.labels)
    else:
        yield from ((name, _NAMED_PRIOR, "class") for name in dict.fromkeys(cell.names))


def _lists(listed: Sequence[Cell], path: str) -> Iterator[FieldCandidate]:
    """Cells of one look in a row, as the items of a list."""
    alike: dict[str, list[Cell]] = defaultdict(list)
    for cell in listed:
        if not cell.labels:
            alike[cell.path.partition("#")[0]].append(cell)
    for plain, its in alike.items():
        leaves = tuple(Leaf(each.start, each.end, None, each.element) for each in its)
        names = [name for each in its[:1] for name in dict.fromkeys(each.names)] if its[1:] else []
        for name in names + _names_above(its[0]) * bool(its[1:]):
            yield FieldCandidate(
                name, leaves, "repeated", _NAMED_PRIOR, f"{path}|{plain}", True, "class"
            )


def _names_above(cell: Cell) -> list[str]:
    """The classes of what holds a list."""
    holder = cell.element.getparent()
    return (holder.get("class") or "").split()[:4] if holder is not None else []


def _slice(row: Sequence[HtmlElement], listed: Sequence[Cell], page: OneText) -> tuple[int, int]:
    places = [place for element in row if (place := page.places.get(element))]
    if not places:
        return listed[0].start, listed[-1].end
    return places[0][0], places[-1][1]


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
