"""Cut a page into the passages that are indexed, found and cited."""

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from app.engine.pages.blocks.canonical import Heading
from app.engine.pages.facts.language import PassageLanguages
from app.engine.pages.page import Page
from app.engine.pages.sentences import sentences

_ENOUGH = 90
_PLENTY = 130
_WITH_LISTING = 220
_SCANT = 30
MOST_WORDS = 300
MOST_CHARACTERS = 2_000

_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_WORD = re.compile(rf"(?P<ideograph>[{_IDEOGRAPHS}])|(?P<unspaced>[{_UNSPACED}])|[^\W_]+")
_HAS_UNSPACED = re.compile(rf"[{_IDEOGRAPHS}{_UNSPACED}]")
_STOP = re.compile(r"[.!?…。！？][\"”'’»)\]]*\Z")
_SPACED_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Passage:
    """page.text[start:end], and the headings above it from the top down, its own included.

    `language` is that of the page, unless the passage is surely in another.
    """

    start: int
    end: int
    heading_path: tuple[str, ...]
    ordinal: int
    language: str | None = None


@dataclass(frozen=True, slots=True)
class _Unit:
    """A unit that is not cut: a sentence, a line of a table, a listing."""

    start: int
    end: int
    words: float
    ends_block: bool
    introduces: bool
    listing: bool = False
    goes_on: bool = False  # after a listing that stands within its sentence


def split(page: Page) -> list[Passage]:
    """The passages of `page` in order. They do not overlap and hold all text but white space.

    About 90 to 130 words each, always ending where a sentence or a paragraph does. A heading begins
    a passage; a listing stays with the sentence that introduces it where both fit. No passage has
    more than 300 words or 2,000 characters: longer sentences and listings are cut. Two ideographs,
    or five letters of Thai, Lao, Khmer or Burmese, count as one word.
    """
    passages: list[Passage] = []
    languages = PassageLanguages(page.language)
    for section in _sections(page):
        for first, last in _pack(_units(page, section.start, section.end)):
            language = languages.of(_without_listings(page, first, last))
            passages.append(Passage(first, last, section.path, len(passages), language))
    return passages


def count_words(text: str, most: float = math.inf) -> float:
    """Words in `text`, or their equivalent in scripts that do not space them; stops at `most`."""
    if most == math.inf and (text.isascii() or not _HAS_UNSPACED.search(text)):
        return float(len(_SPACED_WORD.findall(text)))  # half the time of looking at each
    if text.isascii():
        return float(sum(1 for _ in islice(_SPACED_WORD.finditer(text), math.ceil(most))))
    total = 0.0
    for match in _WORD.finditer(text):
        group = match.lastgroup
        total += 0.5 if group == "ideograph" else 0.2 if group == "unspaced" else 1.0
        if total >= most:
            break
    return total


@dataclass(frozen=True, slots=True)
class _Section:
    start: int
    end: int
    path: tuple[str, ...]
    is_entry: bool


def _sections(page: Page) -> list[_Section]:
    """The sections in order; headings that follow each other directly open one section.

    Short entries of a reference that stand side by side are one section.
    """
    joined: list[_Section] = []
    for section in _cut(page):
        before = joined[-1] if joined else None
        if before and _are_short(page, before, section):
            joined[-1] = _Section(before.start, section.end, section.path[:-1], True)
        else:
            joined.append(section)
    return joined


def _are_short(page: Page, before: _Section, section: _Section) -> bool:
    outer = section.path[:-1]
    side_by_side = section.is_entry and before.is_entry and outer in (before.path, before.path[:-1])
    if not side_by_side or section.end - before.start > MOST_CHARACTERS:
        return False
    scant = _words(page, section, _SCANT) < _SCANT
    if before.path != outer:
        return scant and _words(page, before, _SCANT) < _SCANT
    return scant and _words(page, before, _ENOUGH) < _ENOUGH


def _words(page: Page, section: _Section, most: float) -> float:
    return count_words(page.text[section.start : section.end], most)


def _cut(page: Page) -> Iterator[_Section]:
    """The text between each heading, or the end of an entry, and the next."""
    start = body = 0
    stack: list[Heading] = []
    for at, heading in _bounds(page):
        if page.text[body:at].strip():
            yield _section(start, at, stack)
            start = at
        if heading.start < at:  # its entry ends here
            del stack[stack.index(heading) :]
            body = at
            continue
        while stack and stack[-1].end is None and stack[-1].level >= heading.level:
            stack.pop()
        stack.append(heading)
        body = at + len(heading.text)
    if page.text[start:].strip():
        yield _section(start, len(page.text), stack)


def _section(start: int, end: int, stack: Sequence[Heading]) -> _Section:
    is_entry = bool(stack) and stack[-1].end is not None
    return _Section(start, end, tuple(above.text for above in stack), is_entry)


def _bounds(page: Page) -> Iterator[tuple[int, Heading]]:
    """The place of each heading, and of the end of each entry, in the order of the text."""
    entries: list[Heading] = []
    for heading in page.headings:
        while entries and _end(entries[-1]) <= heading.start:
            yield _end(entries[-1]), entries.pop()
        yield heading.start, heading
        if heading.end is not None:
            entries.append(heading)
    while entries:
        yield _end(entries[-1]), entries.pop()


def _end(entry: Heading) -> int:
    return entry.start if entry.end is None else entry.end


def _without_listings(page: Page, start: int, end: int) -> str:
    prose, position = [], start
    for code_start, code_end in _listings(page, start, end):
        prose.append(page.text[position:code_start])
        position = code_end
    return "".join([*prose, page.text[position:end]])


def _listings(page: Page, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the listings that begin between two places."""
    first = bisect_left(page.code, start, key=lambda span: span[0])
    return takewhile(lambda span: span[0] < end, islice(page.code, first, None))


def _units(page: Page, start: int, end: int) -> Iterator[_Unit]:
    position = start
    for code_start, code_end in _listings(page, start, end):
        before = list(_prose(page, position, code_start, after_listing=position > start))
        if before and not _STOP.search(page.text, before[-1].start, before[-1].end):
            before[-1] = replace(before[-1], introduces=True)
        yield from before
        yield from _listing(page.text, code_start, code_end)
        position = code_end
    yield from _prose(page, position, end, after_listing=position > start)


def _prose(page: Page, start: int, end: int, *, after_listing: bool) -> Iterator[_Unit]:
    text = page.text[start:end]
    for first, last in sentences(text, page.language):
        sentence = text[first:last]
        ends_block = text.startswith("\n\n", last) or last == len(text.rstrip())
        for a, b in _fitting(sentence):
            whole = b == len(sentence)
            yield _Unit(
                start + first + a,
                start + first + b,
                count_words(sentence[a:b]),
                ends_block and whole,
                whole and sentence.endswith((":", "：")),
                goes_on=after_listing and sentence[0].islower(),
            )
        after_listing = False


def _listing(text: str, start: int, end: int) -> Iterator[_Unit]:
    code = text[start:end]
    words = count_words(code)
    if words <= MOST_WORDS and len(code) <= MOST_CHARACTERS:
        yield _Unit(start, end, words, True, False, True)
        return
    for line in re.finditer(r"[^\n]+", code):
        for a, b in _fitting(line.group()):
            yield _Unit(
                start + line.start() + a,
                start + line.start() + b,
                count_words(line.group()[a:b]),
                code.startswith("\n\n", line.end()),
                False,
                True,
            )


def _fitting(sentence: str) -> Iterator[tuple[int, int]]:
    """The sentence whole, or, when it is enormous, cut between words and at worst inside one."""
    if len(sentence) <= MOST_WORDS:  # no more words than characters: nothing to count
        yield 0, len(sentence)
        return
    start = 0
    while start < len(sentence):
        end = min(len(sentence), start + MOST_CHARACTERS)
        words = 0.0
        for match in _WORD.finditer(sentence, start, end):
            words += 0.5 if match.lastgroup == "ideograph" else 0.2 if match.lastgroup else 1.0
            if words > MOST_WORDS:
                end = match.start()
                break
        if end < len(sentence):
            space = sentence.rfind(" ", start + (end - start) // 2, end)
            end = space + 1 if space > 0 else end
        piece = sentence[start:end]
        if piece.strip():
            yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
        start = end


@dataclass(slots=True)
class _Group:
    """Units gathered so far; sums are kept, because a page may have a million units."""

    start: int
    words: float
    last: _Unit


def _pack(units: Iterable[_Unit]) -> list[tuple[int, int]]:
    """Gather units to (start, end) of passages within one section."""
    groups: list[_Group] = []
    for unit in units:
        if groups and _joins(groups[-1], unit):
            groups[-1].words += unit.words
            groups[-1].last = unit
        else:
            groups.append(_Group(unit.start, unit.words, unit))
    if len(groups) > 1 and groups[-1].words < _SCANT:
        before, rest = groups[-2:]
        if _fits(before, rest.words, rest.last.end, 1.3 * _PLENTY):
            before.last = rest.last
            groups.pop()
    return [(group.start, group.last.end) for group in groups]


def _joins(group: _Group, unit: _Unit) -> bool:
    last = group.last
    if unit.goes_on:
        return _fits(group, unit.words, unit.end, _WITH_LISTING)
    if last.introduces and (unit.listing or not last.listing):
        return _fits(group, unit.words, unit.end, _WITH_LISTING)
    if last.ends_block and group.words >= _ENOUGH:
        return False
    return _fits(group, unit.words, unit.end, _WITH_LISTING if unit.listing else _PLENTY)


def _fits(group: _Group, more_words: float, end: int, most_words: float) -> bool:
    return end - group.start <= MOST_CHARACTERS and group.words + more_words <= most_words
