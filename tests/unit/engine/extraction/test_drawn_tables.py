"""Tables drawn with other elements: the first row names the columns of those below it."""

from typing import Any

import pytest

from app.engine.extraction.records.extract import extract
from app.engine.extraction.schema.schema import plan
from app.engine.extraction.text.drawn import drawn
from app.engine.extraction.text.onetext import one
from app.engine.pages.formats.html import parse

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
HEAD = ("Rank", "Athlete", "Nationality", "Mark")
RUNNERS = (
    ("1", "Ingrid Moe", "NOR", "7.98"),
    ("2", "Lotta Aho", "FIN", "8.03"),
    ("3", "Maja Berg", "SWE", "8.07"),
)
FIELDS: dict[str, Any] = {"athlete": TEXT, "nationality": TEXT, "mark": NUMBER}
RESULTS = [
    {"athlete": name, "nationality": land, "mark": float(mark)} for _, name, land, mark in RUNNERS
]


def row(cells: tuple[str, ...], tag: str, attributes: str = "") -> str:
    inner = "".join(f"<span>{cell}</span>" for cell in cells)
    return f"<{tag} {attributes}>{inner}</{tag}>"


def read(body: str, **fields: Any) -> list[dict[str, Any]]:
    markup = f"<html lang=en><title>60 metres</title><body><h1>Final</h1>{body}</body></html>"
    wanted = plan({"type": "object", "properties": fields or FIELDS})
    return [each.data for each in extract(markup, "https://a.test/final", wanted).records]


@pytest.mark.parametrize(
    "body",
    [
        "<div>" + row(HEAD, "div") + "".join(row(each, "div") for each in RUNNERS) + "</div>",
        "<ul>" + row(HEAD, "li") + "".join(row(each, "li") for each in RUNNERS) + "</ul>",
        row(HEAD, "div", "class=head")
        + "<section>"
        + "".join(row(each, "div", "class=line") for each in RUNNERS)
        + "</section>",
    ],
)
def test_the_first_row_of_a_drawn_table_names_its_columns(body: str) -> None:
    assert read(body) == RESULTS


def test_a_first_row_that_looks_otherwise_names_columns_of_words() -> None:
    rows = (
        ("Ada Moor", "Oban", "Ferries"),
        ("Jon Lund", "Leith", "Tugs"),
        ("Ann Bay", "Wick", "Nets"),
    )
    body = row(("Speaker", "Harbour", "Topic"), "div", "class=th")
    body += "".join(row(each, "div", "class=tr") for each in rows)
    read_rows = read(f"<div>{body}</div>", topic=TEXT, speaker=TEXT, harbour=TEXT)
    assert [(each["speaker"], each["harbour"], each["topic"]) for each in read_rows] == list(rows)


@pytest.mark.parametrize(
    "rows",
    [
        (("Harbour", "Speaker"), ("Oban", "Ada"), ("Wick", "Jon"), ("Leith", "Ann")),
        (("Harbour", "Speaker", "Topic"), ("Oban", "Ada", "Tugs"), ("Wick", "Jon", "Nets")),
        (("Oban", "Oban", "Ships"), ("Oban", "4", "7"), ("Wick", "5", "8")),
        (("Harbour", "Ships", "Tugs"), ("Oban", "4"), ("Wick", "5", "8")),
        (("Harbour", "Ships", "Tugs"), ("Oban", "4", "7")),
    ],
)
def test_rows_of_which_nothing_says_that_the_first_is_a_head_have_none(rows: Any) -> None:
    page = one(parse(f"<div>{''.join(row(each, 'p') for each in rows)}</div>"))
    assert [each for each in page.places if drawn(page, each)] == []


def test_one_of_several_names_in_a_row_is_not_the_value_of_another() -> None:
    line = "<p><b>Harbour</b> <b>Speaker</b> <b>Topic</b></p><p>Oban is a harbour.</p>"
    assert read(line, harbour=TEXT, speaker=TEXT) == []
