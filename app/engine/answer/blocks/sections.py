"""A section of stored text as blocks: what each one is, and which belong together.

A snapshot is plain text. Blocks are parted by blank lines; the items of a list, the rows of a table
and a term with its description stand on adjacent lines. Whatever the size of a page, no more than
REACH code points on each side of a passage are looked at.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from app.engine.answer.blocks.blocks import is_row
from app.engine.answer.blocks.kinds import (
    ASKS,
    CAPTION,
    ENDS_OPEN,
    ITEM,
    LEANS_BACK,
    POINTS,
    STOPS,
    ends_with_title,
    is_listing,
    is_title,
)
from app.engine.pages.passages import count_words

REACH = 1_800
MOST_WHOLE = 156  # words of a block that is shown whole
MOST_TOGETHER = 240  # words of a lead-in and what it leads to
_LEAD_IN, _CAPTION_WORDS, _QUESTION = 40, 20, 30
_LONGEST_TERM = 160
_MOST_TERMS = 4
_PLENTY = 13  # words of a description that lacks its stop


class AnswerBlockKind(Enum):
    HEADING = "heading"
    PROSE = "prose"
    LIST = "list"
    TABLE = "table"
    LISTING = "listing"
    ENTRY = "entry"


Span = tuple[AnswerBlockKind, int, int]
"""What a slice of a text is, where it starts and ends."""


@dataclass(frozen=True, slots=True)
class Part:
    """[start, end) may answer; `context`, a slice as well, says what it is about."""

    start: int
    end: int
    context: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class AnswerBlock:
    """Text that is shown whole, and the parts of it that may answer.

    `opens` when something has to follow it: a lead-in, a caption, a question.
    `new_subject` when nothing before it belongs to it.
    """

    kind: AnswerBlockKind
    start: int
    end: int
    words: float
    parts: tuple[Part, ...]
    opens: bool = False
    new_subject: bool = False


def section(text: str, start: int, end: int, headings: Iterable[str]) -> list[AnswerBlock]:
    """The blocks around [start, end), assembled, between the heading above and the one below.

    Both headings are in it, if they are near enough. `headings` are lines known to be some.
    """
    known = frozenset(headings)
    found: list[Span] = []
    for kind, a, b in typed_spans(text, start, end, known):
        if kind is AnswerBlockKind.HEADING and b <= start:
            found.clear()
        found.append((kind, a, b))
        if kind is AnswerBlockKind.HEADING and a >= end:
            break
    return list(_assembled(text, (_block(text, kind, a, b) for kind, a, b in found)))


def typed_spans(
    text: str, start: int, end: int, headings: frozenset[str] = frozenset()
) -> Iterator[Span]:
    """Yields the typed blocks that are whole within REACH of [start, end), and those inside
    of it.
    """
    first, last = _window(text, start, end)
    spans = [
        (first + match.start(), first + match.end())
        for match in re.finditer(r"[^\n]+(?:\n[^\n]+)*", text[first:last])
    ]
    after_lead_in = False
    for n, (a, b) in enumerate(spans):
        followed = n + 1 < len(spans)
        line_end = text.find("\n", a, b)
        first_line = text[a : b if line_end < 0 else line_end]
        marked = line_end < 0 and first_line.startswith("#")
        if marked or first_line.strip().lstrip("# ") in headings:
            yield AnswerBlockKind.HEADING, a, a + len(first_line)
            a += len(first_line) + 1
        elif line_end < 0 and followed and not after_lead_in and is_title(first_line):
            yield AnswerBlockKind.HEADING, a, b
            continue
        elif first_line.isupper() and text[line_end : line_end + 2] == "\n ":
            yield (
                AnswerBlockKind.HEADING,
                a,
                line_end,
            )  # as manual pages have it, over what is indented
            a = line_end + 1
        if a < b:
            yield from _under_title(text, a, b) if followed else _of_kind(text, a, b)
        after_lead_in = bool(ENDS_OPEN.search(text[max(a, b - 20) : b]))


def _under_title(text: str, a: int, b: int) -> Iterator[Span]:
    """A block whose last line may be the title of the next."""
    if not ends_with_title(text[a:b].split("\n")):
        yield from _of_kind(text, a, b)
        return
    end = text.rindex("\n", a, b)
    yield from _of_kind(text, a, end)
    yield AnswerBlockKind.HEADING, end + 1, b


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    first = max(0, start - REACH)
    if first:
        gap = text.find("\n\n", first, start)
        first = gap + 2 if gap >= 0 else start
    last = min(len(text), end + REACH)
    if last < len(text):
        last = max(text.rfind("\n", end, last), end)
    return first, last


def _of_kind(text: str, a: int, b: int) -> Iterator[Span]:
    lines = text[a:b].split("\n")
    if 2 * sum(map(is_row, lines)) >= len(lines):
        yield AnswerBlockKind.TABLE, a, b
    elif is_listing(lines):
        yield AnswerBlockKind.LISTING, a, b
    elif _hangs(lines):
        yield AnswerBlockKind.ENTRY, a, b
    elif _begins_with_term(lines):
        yield from _entries(lines, a)
    elif len(lines) > 1 or ITEM.match(lines[0]):
        yield AnswerBlockKind.LIST, a, b
    else:
        yield AnswerBlockKind.PROSE, a, b


def _hangs(lines: list[str]) -> bool:
    """True if a line without a stop has all that follows indented under it, as in manual pages."""
    indents = [len(line) - len(line.lstrip()) for line in lines]
    return len(lines) > 1 and _is_term(lines[0].strip()) and min(indents[1:]) > indents[0]


def _begins_with_term(lines: list[str]) -> bool:
    """True if a line or a few that are no sentences stand above one that is."""
    terms = next((n for n, line in enumerate(lines[:_MOST_TERMS]) if not _is_term(line)), 0)
    if not terms:
        return len(lines) > 1 and _is_term(lines[0]) and count_words(lines[1], _PLENTY) >= _PLENTY
    return bool(STOPS.search(lines[terms][-20:])) and not ITEM.match(lines[terms])


def _is_term(line: str) -> bool:
    return len(line) <= _LONGEST_TERM and not STOPS.search(line[-20:]) and not ITEM.match(line)


def _entries(lines: list[str], at: int) -> Iterator[Span]:
    """Definition entries: a line without a stop opens one, what follows belongs to it."""
    start, end = at, at
    previous = ""
    for n, line in enumerate(lines):
        follows = lines[n + 1] if n + 1 < len(lines) else ""
        opens = _is_term(line) and STOPS.search(follows[-20:]) and STOPS.search(previous[-20:])
        if previous and opens:
            yield AnswerBlockKind.ENTRY, start, end
            start = end + 1
        end, previous = (end if n == 0 else end + 1) + len(line), line
    yield AnswerBlockKind.ENTRY, start, end


def _block(text: str, kind: AnswerBlockKind, start: int, end: int) -> AnswerBlock:
    raw = text[start:end]
    start += len(raw) - len(raw.lstrip("\n"))
    opens = bool(ENDS_OPEN.search(raw[-20:]) or ASKS.search(raw[-20:]) or CAPTION.fullmatch(raw))
    return AnswerBlock(kind, start, end, count_words(raw), (Part(start, end),), opens)


def _assembled(text: str, blocks: Iterable[AnswerBlock]) -> Iterator[AnswerBlock]:
    """Blocks with what they cannot stand without."""
    last: AnswerBlock | None = None
    for block in blocks:
        joined = last and _joined(text, last, block)
        if last and not joined:
            yield last
            if block.kind is AnswerBlockKind.LISTING and _points(text, last):
                block = replace(block, new_subject=True)
        last = joined or block
    if last:
        yield last


def _joined(text: str, before: AnswerBlock, block: AnswerBlock) -> AnswerBlock | None:
    """The two as one when the second needs the first, or the first leads to the second."""
    if (
        AnswerBlockKind.HEADING in (before.kind, block.kind)
        or before.words + block.words > MOST_TOGETHER
    ):
        return None
    ending = text[max(before.start, before.end - 20) : before.end]
    if _is_question(before, ending):
        return replace(_both(before, block), parts=_said_of(before, block), new_subject=True)
    if CAPTION.match(text, before.start, before.end) and before.words < _CAPTION_WORDS:
        return replace(_both(before, block), parts=_said_of(before, block))
    if block.kind is AnswerBlockKind.LISTING and _points(text, before):
        return None  # a reference ends what was said
    leads = ENDS_OPEN.search(ending) and (
        block.kind is not AnswerBlockKind.PROSE or before.words < _LEAD_IN
    )
    if leads or (
        block.kind is AnswerBlockKind.LISTING and before.kind is not AnswerBlockKind.TABLE
    ):
        one = replace(before.parts[-1], end=block.end)
        return replace(_both(before, block), parts=(*before.parts[:-1], one))
    leans = block.kind is AnswerBlockKind.PROSE and LEANS_BACK.match(text, block.start, block.end)
    short = before.words + block.words <= MOST_WHOLE
    if leans and short and before.kind in (AnswerBlockKind.PROSE, AnswerBlockKind.ENTRY):
        return replace(_both(before, block), parts=(*before.parts, *block.parts))
    return None


def _points(text: str, block: AnswerBlock) -> bool:
    return block.kind is AnswerBlockKind.PROSE and bool(POINTS.match(text, block.start, block.end))


def _is_question(block: AnswerBlock, ending: str) -> bool:
    return (
        bool(ASKS.search(ending))
        and block.words < _QUESTION
        and block.kind is AnswerBlockKind.PROSE
    )


def _both(before: AnswerBlock, block: AnswerBlock) -> AnswerBlock:
    return AnswerBlock(
        before.kind
        if block.kind is AnswerBlockKind.LISTING or before.kind is AnswerBlockKind.ENTRY
        else block.kind,
        before.start,
        block.end,
        before.words + block.words,
        (),
        block.opens,
        before.new_subject,
    )


def _said_of(before: AnswerBlock, block: AnswerBlock) -> tuple[Part, ...]:
    first, *others = block.parts
    return (replace(first, context=(before.start, before.end)), *others)
