"""Reading strangers' pages for records in a child: the same as here, within limits, checked."""

import time
from collections.abc import Iterator
from contextlib import closing
from functools import reduce
from operator import getitem
from typing import Any

import orjson
import pytest

from app.engine.extraction.records import extract
from app.engine.pages.page import PageUnreadable, Unreadable
from app.engine.sandbox import extract as extracting
from app.engine.sandbox import extraction_reader
from app.engine.sandbox.answers import Malformed
from app.engine.sandbox.documents import Document, Extraction
from app.engine.sandbox.extract import extract_document
from app.engine.sandbox.extraction_reader import ExtractionReader, extracted
from tests.patience import PATIENCE_SECONDS
from tests.unit.engine.pages.pdf_bytes import pdf

URL = "https://shop.test/lamp"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
}
WANTED = Extraction(SCHEMA)
MARKUP = (
    "<html lang=en><head><title>Lamp</title><meta name=robots content=noindex>"
    '<script type="application/ld+json">{"@type": "Product", "name": "Lamp",'
    ' "offers": {"price": "9.50"}}</script></head><body><h1>Lamp</h1><p>Price: $9.50</p>'
    "<p>See <a href='/b#part'>another</a>.</p></body></html>"
)
NOT_FOUND = "<html lang=en><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body>"


def html(markup: str) -> Document:
    return Document(markup.encode(), "text/html", "utf-8", URL)


def soon() -> float:
    return time.monotonic() + PATIENCE_SECONDS


@pytest.fixture(scope="module")
def reader() -> Iterator[ExtractionReader]:
    reader = ExtractionReader()
    yield reader
    reader.close()


DOCUMENTS = {
    "html": html(MARKUP),
    "text": Document(b"Name: Lamp\nPrice: 9.50", "text/plain", "utf-8", URL),
    "markdown": Document(b"# Lamp\n\nPrice: 9.50\n", "text/markdown", "utf-8", URL),
    "pdf": Document(
        pdf([(24, 700, "Lamp"), (11, 660, "Price: 9.50")]), "application/pdf", None, URL
    ),
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_the_child_extracts_what_would_be_extracted_here(
    reader: ExtractionReader, document: Document
) -> None:
    assert reader.extract(document, soon(), WANTED) == extract_document(document, WANTED)


DATES = {
    "en": "March 5, 2021", "ja": "2021年3月5日", "ar": "5 مارس 2021", "tlh": "5 marca 2021",
}  # fmt: skip


@pytest.mark.parametrize("language", DATES)
def test_the_child_knows_what_a_date_is_called_in_any_language(
    reader: ExtractionReader, language: str
) -> None:
    wanted = Extraction(
        {"type": "object", "properties": {"published": {"type": "string", "format": "date"}}}
    )
    rows = f"<h1>Lamp</h1><table><tr><th>Published<td>{DATES[language]}</table>"
    document = html(f"<html lang={language}><head><title>A</title></head><body>{rows}</body>")
    assert reader.extract(document, soon(), wanted) == extract_document(document, wanted)


def test_a_record_is_read_a_second_time_by_the_other_methods(reader: ExtractionReader) -> None:
    [record] = reader.extract(html(MARKUP), soon(), WANTED).records.records
    verdict = reader.second(html(MARKUP), soon(), SCHEMA, record)
    assert (verdict.record, {x.pointer for x in verdict.fields}) == ("passed", {"/name", "/price"})


def test_an_example_teaches_where_values_stand(reader: ExtractionReader) -> None:
    page = html("<html lang=en><body><p class=k>Alder</p><p class=q>12</p><h1>Shop</h1></body>")
    template = reader.learn_example(page, soon(), SCHEMA, {"name": "Alder", "price": 12})
    other = html("<html lang=en><body><p class=k>Birch</p><p class=q>19</p><h1>Shop</h1></body>")
    read = reader.extract(other, soon(), Extraction(SCHEMA, template.as_json()))
    assert [record.data for record in read.records.records] == [{"name": "Birch", "price": 19}]


def test_a_page_comes_with_its_records_and_its_facts(reader: ExtractionReader) -> None:
    page = reader.extract(html(MARKUP), soon(), WANTED)
    assert [record.data for record in page.records.records] == [{"name": "Lamp", "price": 9.5}]
    facts = page.facts
    assert (facts.links, facts.title, facts.noindex) == (("https://shop.test/b",), "Lamp", True)


def test_without_a_schema_the_text_alone_comes(reader: ExtractionReader) -> None:
    page = reader.extract(html(MARKUP), soon(), Extraction(None))
    assert (page.records.records, "Price: $9.50" in page.records.text) == ((), True)


def test_a_page_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []
    real = extracting.parse

    def counting(markup: str) -> Any:
        parsed.append(markup)
        return real(markup)

    monkeypatch.setattr(extracting, "parse", counting)
    monkeypatch.setattr(extract, "parse", counting)
    extract_document(html(MARKUP), WANTED)
    assert len(parsed) == 1


def test_a_page_that_says_it_is_none_is_called_so(reader: ExtractionReader) -> None:
    assert reader.extract(html(NOT_FOUND), soon(), WANTED).facts.blocked == "soft_404"


def test_the_same_child_reads_sitemaps_and_pages(reader: ExtractionReader) -> None:
    reader.extract(html(MARKUP), soon(), WANTED)
    pid = reader.pid
    body = b"<urlset><url><loc>https://e.org/a</loc></url></urlset>"
    assert len(reader.read_sitemap(body, URL, soon()).urls) == 1
    assert reader.pid == pid


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (html(" "), Unreadable.EMPTY),
        (html("a" * 20_000_000), Unreadable.TOO_LARGE),
        (html("<p>" * 150_000), Unreadable.TOO_LARGE),
    ],
    ids=["empty", "long", "many elements"],
)
def test_what_cannot_be_read_is_refused_for_its_reason(
    reader: ExtractionReader, document: Document, reason: Unreadable
) -> None:
    with pytest.raises(PageUnreadable) as caught:
        reader.extract(document, soon(), WANTED)
    assert caught.value.reason is reason


def test_a_page_that_costs_too_much_leaves_the_next_one_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extraction_reader, "CPU_SECONDS", 0.05)
    with closing(ExtractionReader()) as reader:
        with pytest.raises(PageUnreadable, match="too_costly"):
            reader.extract(html("<table><tr><td>a<td>1</table>" * 12_000), soon(), WANTED)
        monkeypatch.setattr(extraction_reader, "CPU_SECONDS", 10.0)
        assert reader.extract(html(MARKUP), soon(), WANTED).records.records


def answer() -> dict[str, Any]:
    """A good one."""
    page = extract_document(html(MARKUP), WANTED)
    plain: dict[str, Any] = orjson.loads(
        orjson.dumps({"facts": page.facts, "records": page.records.as_json()})
    )
    return plain


def test_an_answer_survives_the_way() -> None:
    assert extracted(answer()) == extract_document(html(MARKUP), WANTED)


QUOTED = ("records", "records", 0, "provenance", 0)
FORGED: dict[str, tuple[tuple[str | int, ...], object]] = {
    "quote": ((*QUOTED, "quote"), "Lump"),
    "place": ((*QUOTED, "end"), 10**8),
    "confidence": (("records", "records", 0, "confidence"), "high"),
    "text": (("records", "text"), "a\0b"),
    "link": (("facts", "links"), [7]),
    "no records": (("records",), None),
}


@pytest.mark.parametrize(("place", "value"), FORGED.values(), ids=FORGED)
def test_a_forged_answer_is_not_believed(place: tuple[str | int, ...], value: object) -> None:
    whole: Any = answer()
    reduce(getitem, place[:-1], whole)[place[-1]] = value
    with pytest.raises(Malformed):
        extracted(whole)
