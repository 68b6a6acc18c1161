"""Walk an HTML element and tell its blocks: paragraphs, items, rows, terms, headings, listings."""

import re

from lxml.html import HtmlElement

from app.engine.pages.blocks.canonical import Block, BlockKind
from app.engine.pages.blocks.columns import (
    heading_of,
    is_data,
    lists_members,
    names_rows,
    with_spans,
    without_empty_columns,
)
from app.engine.pages.blocks.controls import is_handle
from app.engine.pages.blocks.entries import (
    follows_name,
    heads_section,
    is_anchored,
    is_prototype,
    names_entry,
    run_in_heading,
    signature_of,
)


def name_set(names: str) -> frozenset[str]:
    return frozenset(names.split())


SKIPPED = name_set(
    "title script style noscript template svg head iframe object embed applet canvas video audio "
    "map button select option datalist textarea input dialog annotation annotation-xml meter "
    "progress rp frameset"
)
BREAKING = name_set(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form header hgroup hr legend li main menu nav ol p search section "
    "summary table tbody td tfoot th thead tr ul"
)
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_LISTINGS = frozenset({"pre", "listing", "xmp", "plaintext"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LOWEST = 6
_WHITE = re.compile(r"[ \t\n\r\f]+")
_NUMBER = re.compile(r"[-+\u2212]?[0-9]{1,4}")
_PIPE = re.compile(r"(?: |^)\|(?: |$)")  # in a cell it parts none
_RAISED = str.maketrans("0123456789+-\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")


def blocks_of(element: HtmlElement) -> list[Block]:
    """The blocks below `element` in document order. Depth is bounded by the parser (256)."""
    walker = _Walker()
    walker.visit(element)
    walker.flush()
    return walker.blocks


def inline_text(element: HtmlElement) -> str:
    """The text below `element` on one line, blocks separated by a space."""
    return _line_of(element)[0]


def _line_of(element: HtmlElement) -> tuple[str, int]:
    """The text below `element` on one line, and how many of its characters are link text."""
    pieces: list[str] = []
    linked = _collect(element, pieces)
    text = _WHITE.sub(" ", "".join(pieces)).strip()
    return text, min(linked, len(text))


class _Walker:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._pieces: list[str] = []
        self._linked = 0
        self._link_depth = 0
        self._kind = BlockKind.PARAGRAPH
        self._group = 0
        self._groups = 0
        self._list_depth = 0
        self._marker = ""
        self._entries: tuple[int, ...] = ()
        self._outer_entries: tuple[int, ...] = ()
        self._entry_count = 0
        self._run_in: HtmlElement | None = None

    def visit(self, element: HtmlElement) -> None:
        tag = element.tag
        if not isinstance(tag, str) or tag in SKIPPED or element is self._run_in:
            return
        if tag in _HEADINGS:
            self._heading(element, _HEADINGS[tag])
        elif tag in _LISTINGS:
            self._listing(element)
        elif sign := _sign(element):
            self._pieces.append(sign)
        elif tag == "table" and is_data(element):
            self._table(element)
        elif tag in _LISTS:
            self._list(element)
        elif tag in BREAKING:
            self._breaking(element, tag)
        else:
            self._inline(element, tag)

    def flush(self) -> None:
        """Close the block being gathered. Two line breaks in a row separate paragraphs."""
        text = re.sub(r" *\n *", "\n", re.sub(r" {2,}", " ", "".join(self._pieces))).strip()
        linked, self._linked = self._linked, 0
        self._pieces.clear()
        if not text:
            return
        kind, group = self._kind, self._group
        if self._list_depth and kind is BlockKind.PARAGRAPH:
            kind = BlockKind.ITEM
        for part in re.split(r"\n{2,}", text):
            self._add(kind, self._marker + part, 0, group, min(linked, len(part)))
            self._marker = ""

    def _add(
        self, kind: BlockKind, text: str, level: int = 0, group: int = 0, linked: int = 0
    ) -> None:
        self.blocks.append(Block(kind, text, level, group, linked, self._entries))

    def _heading(self, element: HtmlElement, level: int) -> None:
        self.flush()
        text, linked = _line_of(element)
        if text:
            self._marker = ""
            is_heading = heads_section(element)
            kind = BlockKind.HEADING if is_heading else BlockKind.PARAGRAPH
            if is_heading:
                self._entries = self._outer_entries
            self._add(kind, text, level, 0, linked)

    def _listing(self, element: HtmlElement) -> None:
        self.flush()
        pieces: list[str] = []
        _collect_verbatim(element, pieces)
        text = "".join(pieces).strip("\r\n")
        if text.strip():
            self._marker = ""
            self._add(BlockKind.CODE, text)

    def _table(self, table: HtmlElement) -> None:
        self.flush()
        if signature := signature_of(table):
            self._begin_entry(table)
            self._add(BlockKind.TERM, signature[0])
            self._add(BlockKind.PARAGRAPH, signature[1])
            return
        if is_prototype(table):
            self._add(BlockKind.CODE, " ".join(inline_text(table).split()))
            return
        self._groups += 1
        for caption in table.iterchildren("caption"):
            self._add(BlockKind.PARAGRAPH, inline_text(caption))
        rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
        apart = names_rows(rows)
        between = " " if lists_members(table) else " | "
        lines = list(with_spans(rows, [[_line_of(cell) for cell in row] for row in rows]))
        for heading, cells in zip(map(heading_of, rows), without_empty_columns(lines), strict=True):
            if heading is not None:
                self._heading(heading, _HEADINGS[heading.tag])
            elif any(text for text, _ in cells):
                self._groups += apart
                row_text = between.join(_PIPE.sub("|", text) for text, _ in cells)
                linked = sum(linked for _, linked in cells)
                self._add(BlockKind.ROW, row_text, 0, self._groups, linked)

    def _list(self, element: HtmlElement) -> None:
        self.flush()
        if not self._list_depth:
            self._groups += 1
            self._group = self._groups
        self._list_depth += 1
        number = _first_number(element)
        for child in element:
            if child.tag == "li":
                self._marker = f"{number}. " if element.tag == "ol" else ""
                number += 1
            self.visit(child)
            self._tail(child)
            self.flush()
        self._marker = ""
        self._list_depth -= 1
        if not self._list_depth:
            self._group = 0

    def _breaking(self, element: HtmlElement, tag: str) -> None:
        self.flush()
        if not (self._list_depth or self._entries) and heads_section(element):
            run_in = run_in_heading(element, used=self._run_in is not None)
            if run_in is not None:
                self._run_in = run_in
                self._heading(run_in, _LOWEST)
        outer = self._kind
        if tag == "dt" or names_entry(element):
            self._kind = BlockKind.TERM
            self._begin_entry(element)
        elif tag == "dd":
            self._kind = BlockKind.PARAGRAPH
        self._children(element)
        self.flush()
        self._kind = outer

    def _inline(self, element: HtmlElement, tag: str) -> None:
        is_link = tag == "a" and element.get("href") is not None
        if is_link and is_handle(element):
            return
        self._link_depth += is_link
        self._children(element)
        self._link_depth -= is_link

    def _begin_entry(self, element: HtmlElement) -> None:
        """A further name of an entry begins none, nor does a mere field of one."""
        if follows_name(element) or (self._outer_entries and not is_anchored(element)):
            return
        self._entry_count += 1
        self._entries = (*self._outer_entries, self._entry_count)

    def _children(self, element: HtmlElement) -> None:
        """An entry that begins in an element ends with it."""
        outer, inside = self._outer_entries, self._entries
        self._outer_entries = inside
        self._text(element.text)
        for child in element:
            self.visit(child)
            self._tail(child)
        if self._entries != inside:
            self.flush()
        self._outer_entries, self._entries = outer, inside

    def _tail(self, element: HtmlElement) -> None:
        self._text(element.tail)

    def _text(self, text: str | None) -> None:
        if text:
            piece = _WHITE.sub(" ", text)
            self._pieces.append(piece)
            if self._link_depth:
                self._linked += len(piece.strip())


def _first_number(element: HtmlElement) -> int:
    start = element.get("start") or "1"
    return int(start) if re.fullmatch(r"\d{1,6}", start) else 1


def _collect(element: HtmlElement, pieces: list[str], in_link: bool = False) -> int:
    """Append the text below `element`; how many characters of it are link text."""
    tag = element.tag
    if not isinstance(tag, str) or tag in SKIPPED or (tag == "a" and is_handle(element)):
        return 0
    if tag == "sup" and (sign := _raised(element)):
        pieces.append(sign)
        return len(sign) * in_link
    in_link = in_link or tag == "a"
    spaced = tag in BREAKING or tag == "br"
    text = element.text or ""
    pieces.append(" " * spaced + text)
    linked = len(text.strip()) * in_link
    for child in element:
        linked += _collect(child, pieces, in_link)
        tail = child.tail or ""
        pieces.append(tail)
        linked += len(tail.strip()) * in_link
    pieces.append(" " * spaced)
    return linked


def _sign(element: HtmlElement) -> str | None:
    """The character that an element without blocks stands for, if it is a break or raised."""
    if element.tag == "br":
        return "\n"
    return _raised(element) if element.tag == "sup" else None


def _raised(element: HtmlElement) -> str | None:
    """A raised number as its own signs, for 2 with a raised 10 is not 210; a note as [10]."""
    text = "".join(element.itertext()).strip()
    if not _NUMBER.fullmatch(text):
        return None
    if next(element.iter("a"), None) is not None:
        return f"[{text}]" if text.isdecimal() else None
    return raised(text)


def raised(number: str) -> str:
    return number.translate(_RAISED)


def _collect_verbatim(element: HtmlElement, pieces: list[str]) -> None:
    tag = element.tag
    if not isinstance(tag, str) or tag in SKIPPED:
        return
    pieces.append("\n" if tag == "br" else "")
    pieces.append(element.text or "")
    for child in element:
        _collect_verbatim(child, pieces)
        pieces.append(child.tail or "")
    # Some highlighters put every line in an element of its own and no line break between.
    if tag in ("div", "p", "li", "tr") and pieces and not pieces[-1].endswith("\n"):
        pieces.append("\n")
