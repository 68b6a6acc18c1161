"""The one text form of a page: what is hashed, indexed, quoted and pointed into."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

_LINE_END = re.compile(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_SPACE = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
# What no reader sees and no quotation may depend on: control characters, lone surrogates, soft
# hyphens, zero-width spaces, direction overrides, byte order marks, icon fonts in the private
# areas, tag characters (used to hide instructions in plain sight) and noncharacters. Joiners
# (U+200C, U+200D) and variation selectors stay: they change what is seen.
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e"
    r"\u2060-\u206f\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff"
    r"\U000e0000-\U000e007f\U000f0000-\U0010ffff]"
)
_ASTRAL_NONCHARACTER = re.compile(
    "["
    + "".join(
        f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(1, 15)
    )
    + "]"
)
# Putting combining marks in order takes quadratic time, and nobody reads thirty on one letter
# (UAX #15, Stream-Safe Text Format). Marks are neither word characters nor white space.
_PILE = re.compile(r"[^\w\s\x00-\u02ff]{31,}")
_MOST_MARKS = 30
_TAB_WIDTH = 4
# Longer lines head nothing: they would be repeated with every passage below them.
LONGEST_HEADING = 200
ENTRY_LEVEL = 7


def canonical(text: str) -> str:
    """`text` in the form every offset refers to; canonical(canonical(x)) == canonical(x).

    NFC, because two spellings of one letter must hash and match alike, and not NFKC, because a
    quotation must show what the page shows. Lines end in LF, have no tab and no trailing space;
    at most one blank line stands between two lines, none at either end.
    """
    text = _SPACE.sub(" ", composed(_LINE_END.sub("\n", text)))
    lines = (line.expandtabs(_TAB_WIDTH).rstrip(" ") for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def composed(text: str) -> str:
    """`text` in NFC, without the characters that nobody sees and with piles of marks cut down."""
    text = _ASTRAL_NONCHARACTER.sub("", _INVISIBLE.sub("", text))
    return unicodedata.normalize("NFC", _PILE.sub(_levelled, text))


def _levelled(pile: re.Match[str]) -> str:
    """A run without the marks beyond the thirtieth in a row."""
    kept: list[str] = []
    marks = 0
    for character in pile.group():
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= _MOST_MARKS:
            kept.append(character)
    return "".join(kept)


class BlockKind(Enum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    ROW = "row"
    TERM = "term"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """One visual unit of a document in reading order.

    `level` is 1-6 for a heading. Items and rows of one `group` (list or table) stand on adjacent
    lines. `linked` counts the characters of `text` that are link text. `entries` numbers the
    entries of a reference (a term with what it means, an option, a function) that the block is in,
    from the outermost to the innermost. `pages` are the places in `text` where further pages of the
    document begin.
    """

    kind: BlockKind
    text: str
    level: int = 0
    group: int = 0
    linked: int = 0
    entries: tuple[int, ...] = ()
    pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading line: the code point in the page text where it starts, 1 (top) to 6, its text.

    The first line of an entry of a reference heads it: its level is 7, or more inside of another
    entry, and the entry ends at `end`. What other headings head ends with the next of their rank.
    """

    start: int
    level: int
    text: str
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """The page text and what is known of its parts; `code` holds (start, end) of each listing,
    `pages` the start of each page of the document.
    """

    text: str
    headings: tuple[Heading, ...]
    code: tuple[tuple[int, int], ...]
    pages: tuple[int, ...] = ()


def lay_out(blocks: Iterable[Block]) -> Layout:
    """Set blocks one under another. The text is canonical by construction."""
    parts: list[str] = []
    outline = _Outline()
    code: list[tuple[int, int]] = []
    pages: list[int] = []
    length = 0
    previous: Block | None = None
    for block in blocks:
        text = block_text(block)
        if not text:
            pages += [length] * len(block.pages)
            continue
        outline.leave(block, length)
        if previous is not None:
            gap = "\n" if _adjacent(previous, block) else "\n\n"
            parts.append(gap)
            length += len(gap)
        outline.add(block, text, length)
        pages += [length + min(at, len(text)) for at in block.pages]
        if block.kind is BlockKind.CODE:
            code.append((length, length + len(text)))
        parts.append(text)
        length += len(text)
        previous = block
    outline.leave(None, length)
    return Layout("".join(parts), tuple(outline.headings), tuple(code), tuple(pages))


class _Outline:
    """The headings of a text as its blocks come, and the entries that are open."""

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self._open: list[tuple[int, int]] = []  # the number of an entry, the place of its heading

    def leave(self, following: Block | None, end: int) -> None:
        """End at `end` the entries that the following block is not in."""
        inside = following.entries if following else ()
        while self._open and self._open[-1][0] not in inside:
            _, place = self._open.pop()
            self.headings[place] = replace(self.headings[place], end=end)

    def add(self, block: Block, text: str, start: int) -> None:
        if len(text) > LONGEST_HEADING:
            return
        if block.kind is BlockKind.HEADING:
            self.headings.append(Heading(start, block.level, text))
        elif block.kind is BlockKind.TERM and self._begins_entry(block):
            self._open.append((block.entries[-1], len(self.headings)))
            self.headings.append(Heading(start, ENTRY_LEVEL + len(self._open) - 1, text))

    def _begins_entry(self, block: Block) -> bool:
        known = {number for number, _ in self._open}
        return bool(block.entries) and block.entries[-1] not in known


def block_text(block: Block) -> str:
    """The canonical text of one block; only a listing keeps its indentation."""
    text = canonical(block.text)
    if block.kind is BlockKind.CODE:
        return text
    lines = (re.sub(r" {2,}", " ", line).strip(" ") for line in text.split("\n"))
    return (" " if block.kind is BlockKind.HEADING else "\n").join(line for line in lines if line)


def _adjacent(first: Block, second: Block) -> bool:
    if first.kind is BlockKind.TERM:
        return second.kind in (BlockKind.TERM, BlockKind.PARAGRAPH)
    return first.group != 0 and first.group == second.group
