"""Families of hostile documents: each is a function of its size in characters."""

from collections.abc import Callable

from app.engine.sandbox.documents import Document
from tests.unit.engine.pages.packages import DOCX, EPUB, docx, epub, paragraph, table
from tests.unit.engine.pages.pdf_bytes import pdf

PROSE = "<p>A paragraph of prose about owls and their young, long enough to be read.</p>" * 5
URL = "https://example.org/"


def _html(markup: str) -> Document:
    return Document(markup.encode(), "text/html", "utf-8", URL)


def _json_ld(text: str) -> Document:
    return _html(f'<script type="application/ld+json">{text}</script>{PROSE}')


def _nested_links(size: int) -> Document:
    nested = '<a href="#x"><div>' * 60 + "word " * 60 + "</div></a>" * 60
    return _html(nested * (size // len(nested)))


def _links_in_headings(size: int) -> Document:
    nested = "<h2>" + '<a href="/x"><div>' * 60 + "word" + "</div></a>" * 60 + "</h2>"
    return _html(nested * (size // len(nested)))


def _under_headings(size: int) -> Document:
    above = "".join(f"<h{level}>{f'w{level} ' * 40}</h{level}>" for level in range(1, 6))
    # In the container of a documentation generator no section is left out, however short.
    section = "<h6>h</h6>text of one small passage\n\n"
    return _html(f'<div role="main" class="body">{above}{section * (size // len(section))}</div>')


def _pdf_lines(size: int) -> Document:
    page = [(11, 780 - 7 * line, "hyphenated-") for line in range(100)]
    return Document(pdf(*[page] * (size // 3_000)), "application/pdf", None, URL)


def _docx(body: str) -> Document:
    return Document(docx(body), DOCX, None, URL)


def _rows(size: int) -> Document:
    row = "owl,7,a note about it\n"
    return Document(f"a,b,c\n{row * (size // len(row))}".encode(), "text/csv", None, URL)


FAMILIES: dict[str, Callable[[int], Document]] = {
    "blanks after a comment": lambda size: _json_ld("{}-->" + " " * size + "x"),
    "blanks after slashes": lambda size: _json_ld(("//" + " " * 50) * (size // 52)),
    "blanks after commas": lambda size: _json_ld("[" + ",  " * (size // 3)),
    "blanks in text": lambda size: _html("<p>a" + " " * size + "b"),
    "nested links": _nested_links,
    "nested links in headings": _links_in_headings,
    "one long heading": lambda size: _html(
        f"<h1>{'word ' * (size // 10)}</h1>{PROSE * (size // 800)}"
    ),
    "passages under long headings": _under_headings,
    "lines of a PDF": _pdf_lines,
    "paragraphs of a DOCX": lambda size: _docx(paragraph("An owl.") * (size // 200)),
    "rows of a DOCX": lambda size: _docx(table(*[["owl", "7"]] * (size // 400))),
    "notes of a DOCX": lambda size: _docx(
        '<w:p><w:r><w:footnoteReference w:id="1"/><w:t>x</w:t></w:r></w:p>' * (size // 200)
    ),
    "chapters of a book": lambda size: Document(
        epub(*["<p>An owl.</p>"] * (size // 1_000)), EPUB, None, URL
    ),
    "rows of a CSV": _rows,
    "attributes": lambda size: _html(
        f"<div {' '.join(f'a{i}=x' for i in range(size // 8))}>x</div>"
    ),
    "combining marks": lambda size: _html("<p>a" + "\u0301\u0316" * (size // 4)),
    "letters that stand for many": lambda size: _html("<p>" + "\ufdfa " * (size // 4)),
    "text between menus": lambda size: _html("<nav></nav>word " * (size // 16) + PROSE),
    # Each of these took minutes of quadratic work or recursion without end before it was bounded.
    "attributes in quotes of a comment": lambda size: _html(
        f'<!--> <div x="<!--" {" ".join(f"a{i}" for i in range(size // 7))}>text</div>{PROSE}'
    ),
    "tags that never end": lambda size: _html("<a " * (size // 3)),
    "names that never end": lambda size: _html(("<a" + "b" * 3_000) * (size // 3_000)),
    "quotes that never end": lambda size: _html(("<a " * 30 + ">") * (size // 91) + 'x="'),
    "depth": lambda size: _html("<div>" * (size // 5) + "text"),
    "headings in headings": lambda size: _html(
        ("<h1>" * 200 + "t" + "</h1>" * 200) * (size // 1_800)
    ),
    "authors in authors": lambda size: _html(
        "<div itemprop=author>" * 200 + "<i itemprop=name>x</i>" * (size // 22)
    ),
    "articles": lambda size: _html(
        "<article><time datetime=x>a</time><p>word</p></article>" * (size // 55)
    ),
    "links": lambda size: _html('<a href="x">a</a> ' * (size // 18)),
    "one table": lambda size: _html(
        "<table>" + "<tr><td>a b c<td>d</tr>" * (size // 23) + "</table>"
    ),
    "tables in tables": lambda size: _html(
        ("<table><tr><td>" * 80 + "x" + "</table>" * 80) * (size // 1_900)
    ),
    "full stops": lambda size: _html("<p>" + "." * size),
    "stops and quotes": lambda size: _html("<p>" + '."' * (size // 2)),
    "references to themselves": lambda size: _json_ld(
        "[" + ",".join(['{"@type":"Article","@id":"x","author":{"@id":"x"}}'] * (size // 51)) + "]"
    ),
    "brackets of JSON-LD": lambda size: _json_ld("[" * size),
    "brackets": lambda size: Document(b"[" * (size // 8), "text/markdown", None, URL),
}
