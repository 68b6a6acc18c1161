"""Records of a page by rules: structured data, tables, labels, and what pages say of themselves."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

from citegrid.node.reading import structured, tables
from citegrid.node.reading.dates import dates
from citegrid.node.reading.fields import Field, alike, called, put
from citegrid.node.reading.labels import Pair, TextLine, lines_of, pairs
from citegrid.node.reading.page import ExtractionTask, StoredPage
from citegrid.node.reading.relevance import share
from citegrid.node.reading.typed import Slice, every, read, same, trimmed

LEAST_SURE: Final = 0.55
_LEAST_IN_LIST: Final = 2
_SITE_NAME: Final = re.compile(r"\s+[|·—–-]\s+.*$")
_SENTENCE: Final = re.compile(r"[.!?…。]['\")\]]?$")
_DATELINE: Final = re.compile(r"publish|posted|updated|released|dated|written|veröffentlicht", re.I)
_LONGEST_TITLE: Final = 300
_SUMMARY: Final = (40, 500)
_FIRST_LINES: Final = 25
_MOST_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class RuleValue:
    """A value with its quotes. `sure`: how certain it is that it is this field's, 0 to 1.
    `labelled`: the field's name stands before it, or above it."""

    value: Any
    quotes: tuple[Slice, ...]
    sure: float
    labelled: bool = False


@dataclass(slots=True)
class RuleRecord:
    values: dict[Field, RuleValue] = field(default_factory=dict)

    def data(self) -> dict[str, Any]:
        record: dict[str, Any] = {}
        for each, value in self.values.items():
            put(record, each.path, value.value)
        return record

    def provenance(self, text: str) -> list[dict[str, Any]]:
        return [
            {
                "pointer": f"{each.pointer}/{n}" if each.many else each.pointer,
                "quote": text[quote.start : quote.end],
                "start": quote.start,
            }
            for each, value in self.values.items()
            for n, quote in enumerate(value.quotes)
        ]


def records(task: ExtractionTask) -> list[RuleRecord]:
    """The records of a page, each with every required field; at most as many as are wanted."""
    lines = lines_of(task.page.text)
    listed = list(_listed(task, lines)) or [_single(task, lines)]
    return complete(listed, task)


def complete(records: Sequence[RuleRecord], task: ExtractionTask) -> list[RuleRecord]:
    """The records with every required field and their address, as many as wanted."""
    needed = [each for each in task.fields if each.required]
    for record in records:
        _say_where(record, task)
    having = [r for r in records if r.values and all(each in r.values for each in needed)]
    return having[: task.most_records]


def _say_where(record: RuleRecord, task: ExtractionTask) -> None:
    """The address of the page, which its text need not state."""
    if not record.values:
        return
    for each in task.fields:
        if each not in record.values and is_address(each) and task.page.url:
            record.values[each] = RuleValue(task.page.url, (), 1.0)


def is_address(wanted: Field) -> bool:
    return (
        not wanted.many
        and wanted.kind == "string"
        and called(wanted, "url", "source_url", "page_url")
    )


def _listed(task: ExtractionTask, lines: Sequence[TextLine]) -> Iterator[RuleRecord]:
    """The rows of a table, or else the things of structured data, if they are several."""
    rows = list(islice(tables.rows(task.page.text, lines, task.fields), task.most_records))
    if rows:
        yield from (
            RuleRecord({f: RuleValue(s.value, (s,), 0.9) for f, s in row.items()}) for row in rows
        )
        return
    things = [_of_thing(members, task) for members in structured.objects(task.page.structured)]
    several = [thing for thing in things if len(thing.values) >= min(2, len(task.fields))]
    if len(several) >= _LEAST_IN_LIST and task.most_records > 1:
        yield from several


def _of_thing(members: structured.Members, task: ExtractionTask) -> RuleRecord:
    found = RuleRecord()
    for wanted in task.fields:
        if stated := tuple(structured.values(members, wanted, task.page.text)):
            found.values[wanted] = _value(wanted, stated, 0.95)
    return found


def _value(wanted: Field, stated: tuple[Slice, ...], sure: float) -> RuleValue:
    if wanted.many:
        return RuleValue([each.value for each in stated], stated, sure)
    return RuleValue(stated[0].value, stated[:1], sure)


def _single(task: ExtractionTask, lines: Sequence[TextLine]) -> RuleRecord:
    things = [_of_thing(members, task) for members in structured.objects(task.page.structured)]
    fullest = max(things, key=lambda thing: len(thing.values), default=RuleRecord())
    named = list(pairs(task.page.text, list(lines)))
    record = RuleRecord()
    for wanted in task.fields:
        labelled = _labelled(named, wanted, task.page.text)
        candidates = (fullest.values.get(wanted), labelled, _of_page(wanted, task, lines))
        best = max(filter(None, candidates), key=lambda value: value.sure, default=None)
        if best is not None and best.sure >= LEAST_SURE:
            record.values[wanted] = best
    return record


def _labelled(named: Sequence[Pair], wanted: Field, text: str) -> RuleValue | None:
    """Returns what the best label of this field names; less sure where such labels disagree."""
    best, disputed = None, False
    for pair in named:
        sure = pair.sure * alike(pair.label, wanted)
        if sure < 0.5 or (best and sure < best.sure):
            continue
        value = _in_slice(text, pair, wanted, sure)
        if value is None:
            continue
        if best and sure == best.sure:
            disputed = disputed or not same(value.value, best.value, wanted)
        else:
            best, disputed = value, False
    return replace(best, sure=best.sure - 0.2) if best and disputed else best


def _in_slice(text: str, pair: Pair, wanted: Field, sure: float) -> RuleValue | None:
    if not wanted.many:
        found = read(text, pair.start, pair.end, wanted)
        return RuleValue(found.value, (found,), sure, labelled=True) if found else None
    items = tuple(islice(_items(text, pair, wanted), _MOST_LISTED))
    return _value(wanted, items, sure) if items else None


def _items(text: str, pair: Pair, wanted: Field) -> Iterator[Slice]:
    start = pair.start
    for piece in re.split(r"[,;]", text[pair.start : pair.end]):
        end = start + len(piece)
        yield from islice(every(text, start, end, wanted), 1)
        start = end + 1


def _of_page(wanted: Field, task: ExtractionTask, lines: Sequence[TextLine]) -> RuleValue | None:
    """Returns what a page says of itself: its title, what it is about, when it was published."""
    if wanted.many or wanted.kind != "string" or wanted.choices:
        return None
    place: Slice | None = None
    if called(wanted, "title", "name", "headline"):
        place = title(task.page, lines)
    elif called(wanted, "summary", "description", "abstract"):
        place = _summary(task, lines)
    elif wanted.format in ("date", "date-time") and called(wanted, "published", "date", "updated"):
        place = _dateline(task.page.text, lines, wanted)
    return RuleValue(place.value, (place,), 0.6) if place else None


def title(page: StoredPage, lines: Sequence[TextLine]) -> Slice | None:
    """The title where the text states it, without the name of the site; else the first line."""
    for stated in (page.title, _SITE_NAME.sub("", page.title)):
        start = page.text.find(stated) if stated.strip() else -1
        if start >= 0:
            return Slice(stated, start, start + len(stated))
    for line in lines[:1]:
        start, end = trimmed(page.text, line.start, line.end)
        if end - start <= _LONGEST_TITLE:
            return Slice(page.text[start:end], start, end)
    return None


def _summary(task: ExtractionTask, lines: Sequence[TextLine]) -> Slice | None:
    """The sentence or paragraph that speaks most of the objective; of several the first."""
    text, best, most = task.page.text, None, -1.0
    for line in lines[: _MOST_LISTED * 10]:
        start, end = trimmed(text, line.start, line.end)
        piece = text[start:end]
        if len(piece) < _SUMMARY[0] or not _SENTENCE.search(piece) or " | " in piece:
            continue
        speaks = share(task.objective, piece)
        if speaks > most:
            best, most = (start, end), speaks
    return _cut(text, *best) if best else None


def _cut(text: str, start: int, end: int) -> Slice:
    """As many whole sentences as a summary may have; at least the beginning of the first."""
    piece = text[start : min(end, start + _SUMMARY[1])]
    if end - start > len(piece):
        stops = [match.end() for match in re.finditer(r"[.!?](?=\s)", piece)]
        piece = piece[: stops[-1]] if stops else piece[: max(piece.rfind(" "), 1)]
    return Slice(piece, start, start + len(piece))


def _dateline(text: str, lines: Sequence[TextLine], wanted: Field) -> Slice | None:
    """A date near the top, in a short line of its own or one that says what happened then."""
    for line in lines[:_FIRST_LINES]:
        for stated in dates(text, line.start, line.end):
            rest = text[line.start : stated.start] + text[stated.end : line.end]
            if len(rest.strip()) <= 3 or _DATELINE.search(rest):
                return read(text, stated.start, stated.end, wanted)
    return None
