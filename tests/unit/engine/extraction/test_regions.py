"""Regions in which something repeats: which of them holds the records, and what is in each row."""

from typing import Any

import pytest

from app.engine.extraction.methods.candidates import FieldCandidate, Thing
from app.engine.extraction.rows.regions import Region, records, regions
from app.engine.extraction.schema.schema import plan
from app.engine.extraction.text.onetext import OneText, one
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.formats.html import parse

TEXT = {"type": "string"}
PRODUCT = {
    "title": "Product",
    "type": "object",
    "properties": {
        "name": TEXT,
        "price": {"type": "number"},
        "url": {"type": "string", "format": "uri"},
    },
    "required": ["name"],
}
NOISE = "<nav><ul><li><a href=/a>Home</a><li><a href=/b>About</a><li><a href=/c>Help</a></ul></nav>"


def read(markup: str, schema: dict[str, Any] | None = None) -> tuple[OneText, list[Region]]:
    root = parse(f"<body>{NOISE}{markup}</body>")
    page = one(root)
    return page, regions(page, root, plan(schema or PRODUCT))


def values(page: OneText, thing: Thing, key: str) -> list[str]:
    named = [each for each in thing.candidates if each.key == key and each.kind == "name"]
    return [page.text[each.start : each.end] for each in named]


def names(markup: str, schema: dict[str, Any] | None = None, key: str = "name") -> list[str]:
    page, listed = read(markup, schema)
    return [values(page, thing, key)[0] for thing in records(listed)[0]]


CARD = "<li class='card c{n}'><a href=/p/{n}><h3>Lamp {n}</h3></a><p>Bright</p><b>${n}.50</b></li>"
CARDS = "".join(CARD.format(n=n) for n in range(1, 5))
LAMPS = [f"Lamp {n}" for n in range(1, 5)]


def test_a_value_is_the_cell_and_no_more() -> None:
    page, listed = read(f"<ul>{CARDS}</ul>")
    first = records(listed)[0][0]
    assert values(page, first, "price") == ["$1.50"]
    assert values(page, first, "url") == ["/p/1"]


def test_a_heading_that_ends_with_the_name_of_a_field_is_that_field() -> None:
    row = "<section><h2>{0} Directive</h2><p>As <i class=directive>{1}</i> says it.</p></section>"
    listed = "".join(map(row.format, ("Allow", "Deny", "Order"), ("Deny", "Order", "Allow")))
    schema = {"type": "object", "properties": {"directive": TEXT, "text": TEXT}}
    assert names(listed, schema, "directive") == ["Allow", "Deny", "Order"]


def test_three_rows_are_needed() -> None:
    page, listed = read("<div class=a><h3>Lamp</h3>$1</div><div class=a><h3>Tent</h3>$2</div>")
    assert not any("Lamp" in page.text[a:b] for r in listed for a, b in r.slices)


def test_the_headings_of_a_table_name_its_cells() -> None:
    rows = "".join(f"<tr><td>{n}.5 EUR<td>Lamp {n}" for n in range(1, 5))
    page, listed = read(f"<table><tr><th>Price<th>Name</tr>{rows}</table>")
    found, _ = records(listed)
    assert [values(page, thing, "Name") for thing in found] == [[name] for name in LAMPS]
    assert {each.method for each in found[0].candidates} == {"table"}


def test_a_heading_over_two_columns_names_both() -> None:
    rows = "".join(f"<tr><td>x<td>y<td>Lamp {n}" for n in range(1, 5))
    markup = f"<table><tr><th colspan=2>Size<th>Name</tr>{rows}</table>"
    page, listed = read(markup)
    assert [values(page, thing, "Name") for thing in records(listed)[0]] == [[x] for x in LAMPS]


@pytest.mark.parametrize("unit", ["{}", "<div class=ad><a href=/x>Buy now!</a></div>{}"])
def test_advertisements_between_rows_are_no_rows(unit: str) -> None:
    cards = "".join(unit.format(CARD.format(n=n)) for n in range(1, 5))
    assert names(f"<div>{cards}</div>") == LAMPS


def test_headings_with_what_follows_them_are_rows() -> None:
    flat = "".join(f"<h3>Lamp {n}</h3><p>Bright</p><p>${n}.50</p>" for n in range(1, 5))
    page, listed = read(f"<p>Our lamps:</p>{flat}")
    assert [values(page, x, "price") for x in records(listed)[0]] == [
        [f"${n}.50"] for n in range(1, 5)
    ]


def test_rows_that_come_in_pairs_are_one_row_each() -> None:
    rows = "".join(f"<tr class=t><td>Lamp {n}<tr><td><i>${n}.50</i>" for n in range(1, 5))
    page, listed = read(f"<table>{rows}</table>")
    found = [(values(page, x, "name"), values(page, x, "price")) for x in records(listed)[0]]
    assert found == [([f"Lamp {n}"], [f"${n}.50"]) for n in range(1, 5)]


TERMS = "".join(f"<dt>Name<dd>Lamp {n}<dt>Price<dd>${n}.50" for n in range(1, 5))
TAGS = "<ul><li><a href=/t/1>red</a><li><a href=/t/2>tall</a><li><a href=/t/3>new</a></ul>"
TAGGED = "".join(f"<div class=item><h3>Lamp {n}</h3><b>${n}.5</b>{TAGS}</div>" for n in range(1, 5))
NEWS = "".join(f"<li class=news><a href=/n/{n}>News of day {n}</a></li>" for n in range(9))
TILES = [CARD.format(n=n).replace("li", "div") for n in range(1, 5)]
GRID = f"<div class=r>{''.join(TILES[:3])}</div><div class=r>{TILES[3]}</div>"


@pytest.mark.parametrize(
    "markup",
    [
        pytest.param(f"<ul>{CARDS}</ul>", id="cards with numbered classes"),
        pytest.param(f"<dl>{TERMS}</dl>", id="terms that come again"),
        pytest.param(TAGGED, id="rows with a list in each"),
        pytest.param(f"<ul>{NEWS}</ul><ul>{CARDS}</ul>", id="the list that has the fields"),
        pytest.param(GRID, id="a grid with rows of its own"),
    ],
)
def test_what_repeats_are_records(markup: str) -> None:
    assert names(markup) == LAMPS


def test_rows_alike_in_two_places_are_all_records() -> None:
    more = "".join(CARD.format(n=n).replace("card", "tile") for n in range(5, 9))
    assert names(f"<ul>{CARDS}</ul><h2>More</h2><ol>{more}</ol>") == [
        f"Lamp {n}" for n in range(1, 9)
    ]


def test_rows_of_a_second_list_that_are_left_out_are_said() -> None:
    more = "".join(CARD.format(n=n).replace("card", "tile") for n in range(600))
    few = "".join(CARD.format(n=n) for n in range(700))
    things, truncated = records(read(f"<ul>{few}</ul><h2>More</h2><ol>{more}</ol>")[1])
    assert (len(things), truncated) == (1_200, True)


def test_a_label_in_a_row_names_the_value_after_it() -> None:
    rows = "".join(
        f"<div class=e><h4>Lamp {n}</h4><div><b>Price:</b> {n}.5 EUR</div></div>"
        for n in range(1, 5)
    )
    page, listed = read(rows)
    assert values(page, records(listed)[0][0], "Price") == ["1.5 EUR"]


def test_menus_are_no_records_where_others_are() -> None:
    schema = {"type": "object", "properties": {"title": TEXT, "url": PRODUCT["properties"]["url"]}}  # type: ignore[index]
    rows = "".join(f"<li class=story><a href=/s/{n}>Story {n}</a></li>" for n in range(3))
    assert names(f"<ul>{rows}</ul>", schema, "title") == ["Story 0", "Story 1", "Story 2"]


def test_what_others_read_belongs_to_the_innermost_row_that_holds_it() -> None:
    root = parse(f"<body><ul>{CARDS}</ul></body>")
    page = one(root)
    start = page.text.index("Bright", page.text.index("Lamp 3"))
    told = FieldCandidate("note", (Leaf(start, start + 6, None, root),), "labels", 0.5, "x")
    found, _ = records(regions(page, root, plan(PRODUCT), [told]))
    assert [told in thing.candidates for thing in found] == [False, False, True, False]


def test_a_page_without_anything_repeated_has_no_regions() -> None:
    root = parse("<body><h1>Lamp</h1><p>Bright, and $4.50.</p></body>")
    assert regions(one(root), root, plan(PRODUCT)) == []
