"""Columns are named by first rows of plain cells, by short forms, and by words that repeat."""

from typing import Any

import pytest

from app.engine.extraction.records.extract import extract
from app.engine.extraction.records.records import Record
from app.engine.extraction.schema.schema import plan

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
HARBOURS = (("Oban", "12", "7"), ("Tarbert", "9", "4"), ("Mallaig", "30", "11"))
SHIPS = [
    {"harbour": name, "ships": int(ships), "points": int(points)}
    for name, ships, points in HARBOURS
]


def records(body: str, **fields: dict[str, str]) -> tuple[Record, ...]:
    wanted = plan({"type": "object", "properties": fields})
    markup = f"<html lang=en><head><title>Harbours</title></head><body>{body}</body></html>"
    return extract(markup, "https://a.test/ports", wanted).records


def read(body: str, **fields: dict[str, str]) -> list[dict[str, Any]]:
    return [each.data for each in records(body, **fields)]


def table(*heads: str) -> str:
    rows = (heads, *HARBOURS)
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


@pytest.mark.parametrize(
    "heads",
    [("Harbour", "Ships", "Points"), ("<b>Harbour</b>", "<b>Ships</b>", "<strong>Points</strong>")],
)
def test_a_first_row_of_words_above_numbers_names_the_columns(heads: tuple[str, ...]) -> None:
    assert read(table(*heads), harbour=TEXT, ships=NUMBER, points=NUMBER) == SHIPS


def test_a_first_row_of_loud_words_above_words_names_the_columns() -> None:
    rows = "".join(
        f"<tr><td>{name}</td><td>{state}</td></tr>"
        for name, state in (("Oban", "open"), ("Tarbert", "shut"), ("Mallaig", "shut"))
    )
    heads = "<tr><td><b>Harbour</b></td><td><b>State</b></td></tr>"
    found = read(f"<table>{heads}{rows}</table>", harbour=TEXT, state=TEXT)
    assert [each["state"] for each in found] == ["open", "shut", "shut"]


def test_a_first_row_that_says_the_same_twice_names_nothing() -> None:
    days = (("Monday", "shut", "shut"), ("Tuesday", "9-12", "14-18"), ("Friday", "9-12", "14-17"))
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in days)
    rows = "".join(f"<tr>{row}</tr>" for row in cells)
    found = read(f"<h1>Harbour</h1><table>{rows}</table>", name=TEXT, shut=TEXT)
    assert [each.get("shut") for each in found] == [None] * len(found)


def test_a_first_row_that_is_like_the_others_names_nothing() -> None:
    rows = "".join(
        f"<tr><td>{name}</td><td>{value}</td></tr>"
        for name, value in (("Name", "Oban"), ("Ships", "12 of 30"), ("Depth", "4 m"))
    )
    assert read(f"<table>{rows}</table>", name=TEXT, depth=TEXT) == [
        {"name": "Oban", "depth": "4 m"}
    ]


def test_a_column_is_known_by_the_title_of_its_short_form() -> None:
    heads = ("Harbour", "Ships", "<abbr title=Points>X</abbr>")
    assert read(table(*heads), harbour=TEXT, ships=NUMBER, points=NUMBER) == SHIPS


CARD = (
    "<div class=card><h3>{}</h3><div><span>Port fee</span><span>£{}</span></div>"
    "<div><span>Berth</span><span>{} m</span></div></div>"
)


def test_words_that_come_again_in_each_row_name_the_value_after_them() -> None:
    cards = "".join(CARD.format(*each) for each in HARBOURS)
    found = read(cards, port=TEXT, fee={"type": "number", "description": "in GBP"}, berth=TEXT)
    assert found == [
        {"port": name, "fee": int(fee), "berth": f"{berth} m"} for name, fee, berth in HARBOURS
    ]


def test_words_that_come_again_among_others_do_not_surely_name_what_follows() -> None:
    card = "<div class=card><h3>{}</h3><p>In stock</p><p>£{}.50</p><p>From {}</p></div>"
    cards = "".join(card.format(*each) for each in HARBOURS)
    found = records(cards, name=TEXT, price=NUMBER, availability=TEXT)
    assert all("/availability" in each.unsure for each in found)
