"""Read a PDF: its lines, put together to paragraphs and headings."""

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

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
from app.engine.pages.formats.pdf_layout.lines import (
    BROKEN_OFF,
    HEADING,
    Line,
    body_size,
    lines_of,
    without_running_heads,
)
from app.engine.pages.formats.pdf_layout.tables import Row, by_column, columns_of, tables_of
from app.engine.pages.formats.sizes import MOST_PAGES
from app.engine.pages.page import Page, PageUnreadable, PublicationDate, Unreadable

_LIST_ITEM = re.compile(r"(?:[•‣▪◦–*-]|\(?\d{1,2}[.)]|\(?[a-z]\))\s+\S")
_HYPHENS = ("\u00ad", "\u2010", "-", *BROKEN_OFF)
_COMPOUND = re.compile(r"\b\w+-\w+")
_LAST_WORD = re.compile(r"\w+\Z")
_FIRST_WORD = re.compile(r"\w+")
_LONGEST_WORD = 100
_MOST_OF_PAGE = 0.6
_MOST_OBJECTS = 1_000  # looked at, of a page
_NO_NAMES = frozenset({"anonymous", "unspecified", "untitled"})  # of programs that were told none


@dataclass(frozen=True, slots=True)
class PdfLimits:
    pages: int = MOST_PAGES
    characters: int = 5_000_000


_DEFAULT_LIMITS = PdfLimits()


def read_pdf(body: bytes, limits: PdfLimits = _DEFAULT_LIMITS) -> Page:
    """The page in `body`. Raises PageUnreadable: DAMAGED (also if it is no PDF), ENCRYPTED,
    SCANNED, EMPTY, TOO_MANY_PAGES, TOO_LARGE."""
    document = _open(body)
    try:
        if len(document) > limits.pages:
            raise PageUnreadable(Unreadable.TOO_MANY_PAGES)
        pages, lack = _lines_of(document, limits)
        kept = without_running_heads(pages)
        layout = lay_out(_blocks(kept if any(kept) else pages))
        if not layout.text:
            raise PageUnreadable(lack or Unreadable.EMPTY)
        return _page(layout, lack, document.get_metadata_dict())
    finally:
        document.close()


def _open(body: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        encrypted = "assword" in str(error)
        reason = Unreadable.ENCRYPTED if encrypted else Unreadable.DAMAGED
        raise PageUnreadable(reason) from error


def _lines_of(
    document: pypdfium2.PdfDocument, limits: PdfLimits
) -> tuple[list[list[Line]], Unreadable | None]:
    """The lines of each page, and the reason why some have none, unless these are blank. One broken
    page does not take the others with it.
    """
    pages: list[list[Line]] = []
    characters = 0
    lack: Unreadable | None = None
    for index in range(len(document)):
        try:
            page = document[index]
            lines = lines_of(page.get_textpage(), index + 1)
            if _is_picture(page, lines):
                lack = Unreadable.SCANNED
        except pypdfium2.PdfiumError:
            lack = lack or Unreadable.DAMAGED
            continue
        pages.append(lines)
        characters += sum(len(line.text) for line in lines)
        if characters > limits.characters:
            raise PageUnreadable(Unreadable.TOO_LARGE)
    return pages, lack


def _is_picture(page: pypdfium2.PdfPage, lines: Sequence[Line]) -> bool:
    """True if a page shows something and has no text, or no more than a line, such as programs
    stamp on scans, with a picture of most of the page.
    """
    raw = pypdfium2.raw
    if len(lines) != 1:
        return not lines and bool(raw.FPDFPage_CountObjects(page) > 0)
    drawn = islice(page.get_objects(max_depth=2), _MOST_OBJECTS)
    pictures = [each.get_bounds() for each in drawn if each.type == raw.FPDF_PAGEOBJ_IMAGE]
    covered = sum((right - left) * (top - bottom) for left, bottom, right, top in pictures)
    return bool(covered > _MOST_OF_PAGE * page.get_width() * page.get_height())


def _page(layout: Layout, lack: Unreadable | None, about: Mapping[str, str]) -> Page:
    dated = pdf_date(about.get("CreationDate") or "")
    first = next((heading.text for heading in layout.headings), None)
    return Page(
        text=layout.text,
        title=_name(about.get("Title")) or first,
        headings=layout.headings,
        language=language_of(layout.text),
        published=PublicationDate(dated.at, dated.precision, "pdf") if dated else None,
        author=_name(about.get("Author")),
        pages=layout.pages,
        lack=lack.value if lack else None,
    )


def _blocks(pages: Sequence[Sequence[Line]]) -> list[Block]:
    """Paragraphs and headings, and the rows of tables."""
    lines = [line for page in pages for line in page]
    compounds = {each.lower() for line in lines for each in _COMPOUND.findall(line.text)}
    size, leading = body_size(pages), _leading(lines)
    blocks: list[Block] = []
    page = 0
    for number, (rows, is_table) in enumerate(tables_of(lines, leading), start=1):
        if is_table:
            blocks += _table(rows, number, page, compounds)
        else:
            blocks += _text(
                [line for row in rows for line in row.lines], size, leading, page, compounds
            )
        page = rows[-1].lines[-1].page
    return blocks


def _table(
    rows: Sequence[Row], group: int, page: int, compounds: Container[str]
) -> Iterator[Block]:
    """The rows of a table, its head once; `page` is that of the line above it."""
    columns = columns_of(rows)
    head = None
    for row in rows:
        cells = [_one_line([x.text for x in cell], compounds) for cell in by_column(row, columns)]
        if cells == head:
            continue
        head = head or cells
        pages = (0,) * (row.lines[0].page - page)
        page = row.lines[0].page
        yield Block(BlockKind.ROW, " | ".join(cells), group=group, pages=pages)


def _text(
    lines: Sequence[Line], size: float, leading: float, page: int, compounds: Container[str]
) -> Iterator[Block]:
    """A wider gap, another size or a list marker begins a new block; `page` is that of the line
    above them.
    """
    paragraphs: list[list[Line]] = []
    for line in lines:
        if not paragraphs or _begins(paragraphs[-1][-1], line, leading):
            paragraphs.append([])
        paragraphs[-1].append(line)
    for paragraph in paragraphs:
        yield _block(paragraph, size, page, compounds)
        page = paragraph[-1].page


def _leading(lines: Sequence[Line]) -> float:
    """The distance of two baselines in heights of the font in which most text is set; that of the
    rows of a table is larger.
    """
    steps = Counter[float]()
    for above, below in pairwise(lines):
        step = above.baseline - below.baseline
        is_row = len(below.cells) > 1
        if not is_row and below.size > 0 and 0.5 * below.size < step < 3 * below.size:
            steps[round(step / below.size, 1)] += len(below.text)
    return steps.most_common(1)[0][0] if steps else 1.2


def _begins(previous: Line, line: Line, leading: float) -> bool:
    if abs(line.size - previous.size) > 0.12 * max(line.size, previous.size):
        return True
    if _LIST_ITEM.match(line.text):
        return True
    step = previous.baseline - line.baseline
    if step < -line.size or line.page > previous.page:  # the next column or page
        ended = previous.text.rstrip().endswith((".", "!", "?", ":"))
        return ended or line.text.lstrip()[:1].isupper()
    return step > 1.25 * leading * line.size


def _block(lines: Sequence[Line], usual: float, page: int, compounds: Container[str]) -> Block:
    """The block of a paragraph; `page` is that of the line above it."""
    (text, pages), size = _joined(lines, page, compounds), lines[0].size
    heading = size > HEADING * usual and len(text) <= LONGEST_HEADING
    if heading and any(c.isalpha() for c in text):
        return Block(BlockKind.HEADING, text, 1 if size > 1.6 * usual else 2, pages=pages)
    return Block(BlockKind.PARAGRAPH, text, pages=pages)


def _joined(
    lines: Sequence[Line], page: int, compounds: Container[str]
) -> tuple[str, tuple[int, ...]]:
    """The lines of one paragraph as one, a word that was hyphenated put together again, and where
    in it pages after `page` begin.
    """
    done: list[str] = []
    pages: list[int] = []
    pieces: list[str] = []
    length = 0
    for line in lines:
        following = line.text.strip()
        if pieces:
            pieces[-1] = _before(following, pieces[-1], compounds)
        if line.page > page:
            done.append(_canonical("".join(pieces)))
            length += len(done[-1])
            pages += [length] * (line.page - page)
            pieces, page = [], line.page
        pieces.append(following)
    return "".join([*done, _canonical("".join(pieces))]), tuple(pages)


def _one_line(lines: Sequence[str], compounds: Container[str]) -> str:
    pieces: list[str] = []
    for line in lines:
        if pieces:
            pieces[-1] = _before(line, pieces[-1], compounds)
        pieces.append(line)
    return "".join(pieces)


def _before(following: str, line: str, compounds: Container[str]) -> str:
    """A line as it stands before the following one: with a space, unless it ends within a word, and
    without the hyphen that was put there for the end of the line.
    """
    if not line.endswith(_HYPHENS):
        return f"{line} "
    stem, rest = _LAST_WORD.search(line[-_LONGEST_WORD:-1]), _FIRST_WORD.match(following)
    if stem is None or rest is None:
        return f"{line[:-1]}- "
    # Nobody parts a single letter from its word, and what is a compound elsewhere is one here.
    parted = len(stem[0]) > 1 and stem[0].isalpha() and rest[0][0].islower()
    if parted and f"{stem[0]}-{rest[0]}".lower() not in compounds:
        return line[:-1]
    return f"{line[:-1]}-"


def _canonical(text: str) -> str:
    """A part of a paragraph as it will stand in the text, but for white space at its end."""
    return block_text(Block(BlockKind.PARAGRAPH, text)) + " " * text.endswith(" ")


def _name(text: str | None) -> str | None:
    """A title or author, unless the program that wrote it was told none."""
    name = " ".join(canonical(text or "").split())
    return name if name and name.strip("()").lower() not in _NO_NAMES else None
