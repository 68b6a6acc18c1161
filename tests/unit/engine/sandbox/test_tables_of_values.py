"""Records of documents that have tables and are no HTML: each row of a table is one."""

from typing import Any

import pytest

from app.engine.sandbox.documents import Document, Extraction
from app.engine.sandbox.extract import extract_document

URL = "https://example.org/rooms"
ROOMS = {
    "type": "object",
    "properties": {
        "room": {"type": "string"},
        "seats": {"type": "integer"},
        "price": {"type": "string"},
    },
}
ROWS = [["Oak", 12, "80 EUR"], ["Birch & Elm", 30, "140 EUR"], ["Fir", 6, "45 EUR"]]
CSV = "Room,Seats,Price\nOak,12,80 EUR\nBirch & Elm,30,140 EUR\nFir,6,45 EUR\n"
MARKDOWN = """\
---
title: Rooms to let
author: Ada Fenn
---
| Room | Seats | Price |
|---|---|---|
| Oak | 12 | 80 EUR |
| Birch & Elm | 30 | 140 EUR |
| Fir | 6 | 45 EUR |
"""


def read(text: str, media_type: str, url: str = URL, schema: dict[str, Any] | None = None) -> Any:
    document = Document(text.encode(), media_type, "utf-8", url)
    return extract_document(document, Extraction(schema)).records


@pytest.mark.parametrize(
    ("text", "media_type", "url"),
    [
        (CSV, "text/csv", URL),
        (CSV.replace(",", "\t"), "text/tab-separated-values", URL),
        (CSV.replace(",", ";"), "text/plain", f"{URL}.csv?v=2"),
        (MARKDOWN, "text/markdown", URL),
    ],
    ids=["csv", "tsv", "csv as plain text", "markdown"],
)
def test_each_row_is_a_record_with_quotes_of_the_page(text: str, media_type: str, url: str) -> None:
    page = read(text, media_type, url, ROOMS)
    assert [list(record.data.values()) for record in page.records] == ROWS
    quotes = [quote for record in page.records for quote in record.provenance]
    assert all(page.text[quote.start : quote.end] == quote.quote for quote in quotes)


def test_front_matter_says_what_a_page_says_of_itself() -> None:
    schema = {"type": "object", "properties": {"headline": {"type": "string"}, "author": {}}}
    told = extract_document(
        Document(MARKDOWN.encode(), "text/markdown", None, URL), Extraction(schema)
    )
    assert told.facts.title == "Rooms to let"


def test_lines_that_are_compared_are_those_of_any_reading_of_a_table() -> None:
    assert read(CSV, "text/csv").text.splitlines()[0] == "Room: Oak; Seats: 12; Price: 80 EUR"
