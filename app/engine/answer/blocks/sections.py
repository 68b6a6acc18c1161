"""Stored text as blocks: what each one is.

A snapshot is plain text. Blocks are parted by blank lines; the items of a list, the rows of a table
and a term with its description stand on adjacent lines. Whatever the size of a page, no more than
REACH code points on each side of a passage are looked at.
"""

import re
from collections.abc import Iterator
from enum import Enum

from app.engine.answer.blocks.kinds import (
    ENDS_OPEN,
    ITEM,
    STOPS,
    ends_with_title,
    is_listing,
    is_row,
    is_title,
)
from app.engine.pages.passages import count_words

REACH = 1_800
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
        named = first_line.strip().lstrip("# ") in headings
        if named and line_end >= 0:
            yield AnswerBlockKind.ENTRY, a, b  # its name and what it means
            continue
        if marked or named:
            yield AnswerBlockKind.HEADING, a, b
            continue
        if line_end < 0 and followed and not after_lead_in and is_title(first_line):
            yield AnswerBlockKind.HEADING, a, b
            continue
        if first_line.isupper() and text[line_end : line_end + 2] == "\n ":
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
