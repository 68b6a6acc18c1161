"""Stored text as blocks: what each one is.

A snapshot is plain text. Blocks are parted by blank lines; the items of a list, the rows of a table
and a term with its description stand on adjacent lines.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final

from app.engine.answer.blocks.kinds import CODE_SIGNS, ENDS_OPEN, ITEM, STOPS, is_listing, is_row
from app.engine.pages.passages import count_words

_LONGEST_TERM = 160
_MOST_TERMS = 4
_PLENTY = 13  # words of a description that lacks its stop


class TextBlockKind(Enum):
    HEADING = "heading"
    PROSE = "prose"
    LIST = "list"
    TABLE = "table"
    LISTING = "listing"
    ENTRY = "entry"


Span = tuple[TextBlockKind, int, int]
"""What a slice of a text is, where it starts and ends."""


def typed_spans(text: str) -> Iterator[Span]:
    """Yields the typed blocks of a text, and those inside of them."""
    spans = [match.span() for match in re.finditer(r"[^\n]+(?:\n[^\n]+)*", text)]
    after_lead_in = False
    for n, (a, b) in enumerate(spans):
        followed = n + 1 < len(spans)
        line_end = text.find("\n", a, b)
        first_line = text[a : b if line_end < 0 else line_end]
        if line_end < 0 and first_line.startswith("#"):
            yield TextBlockKind.HEADING, a, b
            continue
        if line_end < 0 and followed and not after_lead_in and is_title(first_line):
            yield TextBlockKind.HEADING, a, b
            continue
        if first_line.isupper() and text[line_end : line_end + 2] == "\n ":
            # as manual pages have it, over what is indented
            yield TextBlockKind.HEADING, a, line_end
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
    yield TextBlockKind.HEADING, end + 1, b


def _of_kind(text: str, a: int, b: int) -> Iterator[Span]:
    lines = text[a:b].split("\n")
    if 2 * sum(map(is_row, lines)) >= len(lines):
        yield TextBlockKind.TABLE, a, b
    elif is_listing(lines):
        yield TextBlockKind.LISTING, a, b
    elif _hangs(lines):
        yield TextBlockKind.ENTRY, a, b
    elif _begins_with_term(lines):
        yield from _entries(lines, a)
    elif len(lines) > 1 or ITEM.match(lines[0]):
        yield TextBlockKind.LIST, a, b
    else:
        yield TextBlockKind.PROSE, a, b


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
            yield TextBlockKind.ENTRY, start, end
            start = end + 1
        end, previous = (end if n == 0 else end + 1) + len(line), line
    yield TextBlockKind.ENTRY, start, end


_MOST_WORDS: Final = 14
_LONGEST: Final = 200  # code points
_NUMBERED_TITLE: Final = re.compile(r"\d{1,3}(?:\.\d{1,3})+\.? +[^\W\d_a-z]")
_ENDS_WITH_ASIDE: Final = re.compile(r"\w \([^()]*\)$")
_NAME: Final = re.compile(r"[^\W\d][\w.-]*")
_ENDS_LIKE_TEXT: Final = re.compile(r"[.!?…:;,。！？؟।|)\]}>\"'”»`]$")
_BEGINS_LIKE_CODE: Final = re.compile(r"(?:[-*•–]|\d+[)]|[$>#./@{}\[\]()]|\w+ ?[=({\[]|--?\w|\s)")


def ends_with_title(lines: Sequence[str]) -> bool:
    """True if the last line stands under whole sentences as the title of what follows."""
    *above, last = lines
    sentences = above and all(STOPS.search(line[-20:]) for line in above)
    return bool(sentences) and is_title(last) and not ITEM.match(last) and not is_row(last)


def is_title(line: str) -> bool:
    """True if a line that stands alone, with something under it, is a title of what follows."""
    if len(line) > _LONGEST or len(line.split()) > _MOST_WORDS:
        return False
    if _NUMBERED_TITLE.match(line) and not STOPS.search(line):
        return True
    ends_like_text = _ENDS_LIKE_TEXT.search(line) and not _ENDS_WITH_ASIDE.search(line)
    if ends_like_text or " — " in line or (" " in line and line[0].islower()):
        return False
    return bool(_NAME.fullmatch(line)) or not (
        _BEGINS_LIKE_CODE.match(line) or CODE_SIGNS.search(line)
    )
