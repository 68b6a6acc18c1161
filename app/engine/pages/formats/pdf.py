"""Read a PDF: its lines, put together to paragraphs and headings."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pypdfium2

from app.engine.pages.blocks.canonical import (
    LONGEST_HEADING,
    Block,
    BlockKind,
    Layout,
    block_text,
    canonical,
    lay_out,
)
from app.engine.pages.facts.dates import pdf_date
from app.engine.pages.facts.language import language_of
from app.engine.pages.formats.sizes import MOST_PAGES
from app.engine.pages.page import Page, PageUnreadable, PublicationDate, Unreadable

_LIST_ITEM = re.compile(r"(?:[•‣▪◦–*-]|\(?\d{1,2}[.)]|\(?[a-z]\))\s+\S")
_PAGE_NUMBER = re.compile(
    r"\W*(?:page\s+)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:/|of)\s*\d{1,4})?\W*", re.IGNORECASE
)
_HYPHENS = ("\u00ad", "\u0002", "\ufffe", "-")
_LOOKED_AT = 10  # pages without text, to tell pictures from nothing


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """The limits of reading one PDF: its pages, and the characters of their text."""

    pages: int = MOST_PAGES
    characters: int = 5_000_000


_DEFAULT_LIMITS = PdfLimits()


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of text with the height of its font and its baseline in points, y upwards, and the
    number of its page, from 1."""

    text: str
    size: float
    baseline: float
    page: int


def read_pdf(body: bytes, limits: PdfLimits = _DEFAULT_LIMITS) -> Page:
    """The page in `body`. Raises PageUnreadable: DAMAGED (also if it is no PDF), ENCRYPTED,
    SCANNED, EMPTY, TOO_MANY_PAGES, TOO_LARGE."""
    document = _open(body)
    try:
        if len(document) > limits.pages:
            raise PageUnreadable(Unreadable.TOO_MANY_PAGES)
        pages = _lines_of(document, limits)
        kept = _without_running_heads(pages)
        layout = lay_out(_blocks(kept if any(kept) else pages))
        if not layout.text:
            raise PageUnreadable(_lack_of_text(document))
        return _page(layout, document.get_metadata_dict())
    finally:
        document.close()


def _open(body: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        encrypted = "assword" in str(error)
        reason = Unreadable.ENCRYPTED if encrypted else Unreadable.DAMAGED
        raise PageUnreadable(reason) from error


def _lines_of(document: pypdfium2.PdfDocument, limits: PdfLimits) -> list[list[_Line]]:
    """The lines of each page; one broken page does not take the others with it."""
    pages: list[list[_Line]] = []
    characters = 0
    for index in range(len(document)):
        try:
            lines = _lines(document[index].get_textpage(), index + 1)
        except pypdfium2.PdfiumError:
            continue
        pages.append(lines)
        characters += sum(len(line.text) for line in lines)
        if characters > limits.characters:
            raise PageUnreadable(Unreadable.TOO_LARGE)
    return pages


def _lack_of_text(document: pypdfium2.PdfDocument) -> Unreadable:
    """The reason why there is no text, by the first pages."""
    reason = Unreadable.EMPTY
    for index in range(min(len(document), _LOOKED_AT)):
        try:
            page = document[index]
        except pypdfium2.PdfiumError:
            reason = Unreadable.DAMAGED
            continue
        if pypdfium2.raw.FPDFPage_CountObjects(page) > 0:
            return Unreadable.SCANNED
    return reason


def _lines(textpage: pypdfium2.PdfTextPage, page: int) -> list[_Line]:
    raw = pypdfium2.raw
    lines: list[_Line] = []
    index = 0
    x, baseline, box = raw.c_double(), raw.c_double(), raw.FS_RECTF()
    for line in textpage.get_text_range().splitlines(keepends=True):
        text = line.rstrip("\r\n")
        if text.strip():
            # A letter or figure: bullets come from other fonts, and stand higher.
            inside = next((i for i, character in enumerate(text) if character.isalnum()), 0)
            raw.FPDFText_GetLooseCharBox(textpage, index + inside, box)
            raw.FPDFText_GetCharOrigin(textpage, index + inside, x, baseline)
            size = round(box.top - box.bottom, 1)
            lines.append(_Line(text, size, round(baseline.value, 1), page))
        index += len(line)
    return lines


def _page(layout: Layout, about: Mapping[str, str]) -> Page:
    dated = pdf_date(about.get("CreationDate") or "")
    first = next((heading.text for heading in layout.headings), None)
    return Page(
        text=layout.text,
        title=_line(about.get("Title")) or first,
        headings=layout.headings,
        language=language_of(layout.text),
        published=PublicationDate(dated.at, dated.precision, "pdf") if dated else None,
        author=_line(about.get("Author")),
        pages=layout.pages,
    )


def _without_running_heads(pages: Sequence[Sequence[_Line]]) -> list[list[_Line]]:
    """Pages without the lines that stand at the top or bottom of most of them, and page numbers."""
    edges: Counter[str] = Counter()
    for page in pages:
        edges.update({_pattern(line) for line in (*page[:2], *page[-2:])})
    running = {text for text, count in edges.items() if count >= 3 and count > 0.4 * len(pages)}
    kept = []
    for page in pages:
        last = len(page) - 2
        kept.append(
            [
                line
                for number, line in enumerate(page)
                if not (
                    (number < 2 or number >= last)
                    and (_pattern(line) in running or _PAGE_NUMBER.fullmatch(line.text))
                )
            ]
        )
    return kept


def _pattern(line: _Line) -> str:
    return re.sub(r"\d+", "0", line.text.strip().lower())


def _blocks(pages: Sequence[Sequence[_Line]]) -> list[Block]:
    """Paragraphs and headings: a wider gap, another size or a list marker begins a new one."""
    lines = [line for page in pages for line in page]
    sizes = Counter[float]()
    for line in lines:
        sizes[line.size] += len(line.text)
    body_size = sizes.most_common(1)[0][0] if sizes else 0.0
    leading = _leading(lines)
    paragraphs: list[list[_Line]] = []
    for line in lines:
        if not paragraphs or _begins(paragraphs[-1][-1], line, leading):
            paragraphs.append([])
        paragraphs[-1].append(line)
    before = [0, *(paragraph[-1].page for paragraph in paragraphs)]
    return [
        _block(paragraph, body_size, page)
        for paragraph, page in zip(paragraphs, before, strict=False)
    ]


def _leading(lines: Sequence[_Line]) -> float:
    """The usual distance of two baselines in heights of the font."""
    steps = Counter(
        round((above.baseline - below.baseline) / below.size, 1)
        for above, below in pairwise(lines)
        if below.size > 0 and 0.5 * below.size < above.baseline - below.baseline < 3 * below.size
    )
    return steps.most_common(1)[0][0] if steps else 1.2


def _begins(previous: _Line, line: _Line, leading: float) -> bool:
    if abs(line.size - previous.size) > 0.12 * max(line.size, previous.size):
        return True
    if _LIST_ITEM.match(line.text):
        return True
    step = previous.baseline - line.baseline
    if step < -line.size:  # the next column or page: only the end of a sentence ends a paragraph
        return previous.text.rstrip().endswith((".", "!", "?", ":"))
    return step > 1.25 * leading * line.size


def _block(lines: Sequence[_Line], body_size: float, page: int) -> Block:
    """The block of a paragraph; `page` is that of the line above it."""
    (text, pages), size = _joined(lines, page), lines[0].size
    heading = size > 1.12 * body_size and len(text) <= LONGEST_HEADING
    if heading and any(c.isalpha() for c in text):
        return Block(BlockKind.HEADING, text, 1 if size > 1.6 * body_size else 2, pages=pages)
    return Block(BlockKind.PARAGRAPH, text, pages=pages)


def _joined(lines: Sequence[_Line], page: int) -> tuple[str, tuple[int, ...]]:
    """The lines of one paragraph as one, a word that was hyphenated put together again, and where
    in it pages after `page` begin.
    """
    done: list[str] = []
    pages: list[int] = []
    pieces: list[str] = []
    length = 0
    for line in lines:
        following = line.text.strip()
        if pieces and _goes_on(pieces[-1], following):
            pieces[-1] = pieces[-1][:-1]
        elif pieces:
            pieces.append(" ")
        if line.page > page:
            done.append(_canonical("".join(pieces)))
            length += len(done[-1])
            pages += [length] * (line.page - page)
            pieces, page = [], line.page
        pieces.append(following)
    return "".join([*done, _canonical("".join(pieces))]), tuple(pages)


def _goes_on(line: str, following: str) -> bool:
    """True if a line ends within a word."""
    hyphenated = line.endswith(_HYPHENS) and line[-2:-1].isalpha()
    return hyphenated and following[:1].islower()


def _canonical(text: str) -> str:
    """A part of a paragraph as it will stand in the text, but for white space at its end."""
    return block_text(Block(BlockKind.PARAGRAPH, text)) + " " * text.endswith(" ")


def _line(text: str | None) -> str | None:
    return " ".join(canonical(text).split()) or None if text else None
