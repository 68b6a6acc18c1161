"""Values that are found and not sure: the page says more, or another, in the same place."""

from typing import Any

import pytest

from app.engine.extraction.records.extract import extract
from app.engine.extraction.records.records import Record
from app.engine.extraction.schema.schema import plan

TEXT = {"type": "string"}
DAY = {"type": "string", "format": "date"}


def read(markup: str, kind: str = "", **fields: Any) -> Record:
    page = f"<html lang=en><title>Page</title><body>{markup}"
    schema = {"title": kind, "properties": fields}
    [record] = extract(page, "https://site.test/page", plan(schema)).records
    return record


def definitions(**values: str) -> str:
    listed = "".join(f"<dt>{name.title()}</dt><dd>{value}</dd>" for name, value in values.items())
    return f"<h1>Kwame Osei</h1><dl>{listed}</dl>"


@pytest.mark.parametrize(
    ("value", "is_sure"),
    [
        ("Lena Brandt", True),
        ("Lena Brandt (Brandt Sports)", False),
        ("レナ・ブラント（東京）", False),
        ("run(fast)", True),
        ("Lena Brandt, MD, University of Turku", False),
        ("Lena Brandt, Turku", True),
        ("Brandt & Co, 0113 496 0002", False),
        ("Lena Brandt, depot, Tel. 3421", False),
        ("Lena Brandt, Vol. 3421", True),
        ("Lena Brandt, deputy: Ian Watt", False),
        ("Kiel : Brandt Sports", False),
        ("unknown", False),
    ],
)
def test_a_text_that_may_say_more_or_less_than_a_value_is_unsure(value: str, is_sure: bool) -> None:
    found = read(definitions(club="Halden United", agent=value), club=TEXT, agent=TEXT)
    assert found.data["agent"] == value
    assert ("/agent" not in found.unsure) is is_sure


@pytest.mark.parametrize(
    ("value", "is_sure"),
    [
        ("Ann Alder", True),
        ("Ann Alder Minutes: Tom Birch", False),
        ("Ann Alder, from 19:30", True),
    ],
)
def test_a_text_that_goes_on_with_another_label_is_unsure(value: str, is_sure: bool) -> None:
    found = read(f"<h1>Meeting</h1><p>Place: Hall</p><p>Chair: {value}</p>", place=TEXT, chair=TEXT)
    assert found.data["chair"] == value
    assert ("/chair" not in found.unsure) is is_sure


@pytest.mark.parametrize(
    ("value", "is_sure"),
    [
        ("0831 55 01 20", True),
        ("0831 55 01 20 or 0831 55 01 21", False),
        ("Lena Brandt, depot, Tel. 3421", False),
    ],
)
def test_two_numbers_of_a_telephone_or_whose_it_is_are_not_one(value: str, is_sure: bool) -> None:
    found = read(definitions(club="Halden United", phone=value), club=TEXT, phone=TEXT)
    assert found.data["phone"] == value
    assert ("/phone" not in found.unsure) is is_sure


@pytest.mark.parametrize(("author", "is_sure"), [("Lena Brandt", True), ("Lena", False)])
def test_an_author_of_one_word_may_have_another_name(author: str, is_sure: bool) -> None:
    found = read(definitions(club="Halden United", author=author), club=TEXT, author=TEXT)
    assert found.data["author"] == author
    assert ("/author" not in found.unsure) is is_sure


@pytest.mark.parametrize(
    ("fee", "is_sure"),
    [
        ("£1,284.00", True),
        ("£20 a year", True),
        ("£20 to £25", True),
        ("1,284.00, payable within 30 days.", False),
        ("£20 payable within 30 days", False),
    ],
)
def test_what_is_said_behind_an_amount_is_no_part_of_it(fee: str, is_sure: bool) -> None:
    found = read(definitions(club="Halden United", fee=fee), club=TEXT, fee=TEXT)
    assert ("/fee" not in found.unsure) is is_sure


def test_one_side_of_a_thing_is_not_the_size_of_another() -> None:
    centimetres = {"type": "number", "description": "in cm"}
    for size, value in (("61 x 82.5 cm", None), ("82.5 cm", 82.5)):
        found = read(definitions(club="Halden", height=size), club=TEXT, height=centimetres)
        assert found.data.get("height") == value


@pytest.mark.parametrize(
    "days",
    [
        "3 May – 4 June 2026",
        "3 May until 4 June 2026",
        "Saturday 3 May till Sunday 4 June 2026",
        "3 and 4 June 2026",
    ],
)
def test_the_last_of_several_days_is_not_the_day(days: str) -> None:
    found = read(definitions(club="Halden United", date=days), club=TEXT, date=DAY)
    assert "date" not in found.data


def test_one_end_of_a_range_is_not_what_a_text_says_of_a_price() -> None:
    found = read(definitions(club="Halden United", price="12 to 25 €"), club=TEXT, price=TEXT)
    assert found.data["price"] == "12 to 25 €"


REVIEW = """<script type="application/ld+json">{"@type": "BlogPosting", "author": {"name":
"Jen Marlow"}, "publisher": {"name": "Readerly"}, "datePublished": "2024-05-03"}</script>
<h1>A book I like</h1><p>I read it in one night, and it does not disappoint at all.</p>
<ul><li><b>Author:</b> Ada Quist</li><li><b>Publisher:</b> Harrow</li>
<li><b>Published:</b> 12 March 2024</li></ul>"""
BOOK: dict[str, Any] = {"title": TEXT, "author": TEXT, "publisher": TEXT, "published": DAY}


def test_who_wrote_of_a_book_has_not_written_it() -> None:
    found = read(REVIEW, "Book", **BOOK)
    read_there = {name: found.data[name] for name in ("author", "publisher", "published")}
    assert read_there == {"author": "Ada Quist", "publisher": "Harrow", "published": "2024-03-12"}


def test_a_label_that_contradicts_an_article_leaves_what_it_states_unsure() -> None:
    assert set(read(REVIEW, **BOOK).unsure) >= {"/author", "/publisher", "/published"}


@pytest.mark.parametrize(("shown", "is_sure"), [("04/05/2024", False), ("05/03/2024", True)])
def test_a_label_of_several_readings_contradicts_unless_one_of_them_is_what_is_stated(
    shown: str, is_sure: bool
) -> None:
    found = read(REVIEW.replace("12 March 2024", shown), **BOOK)
    assert found.data["published"] == "2024-05-03"
    assert ("/published" not in found.unsure) is is_sure


def test_what_an_article_states_of_itself_is_sure() -> None:
    plain = REVIEW.partition("<ul>")[0]
    assert read(plain, **BOOK).unsure == ["/title"]
    assert read(plain, "Blog posting", **BOOK).unsure == ["/title"]


SHOP = """<script type="application/ld+json">{"@type": "LocalBusiness", "name": "Bikes",
"telephone": "0800 496 0000"}</script><h1>Bikes in Leeds</h1><p><b>Phone:</b> %s</p>
<p><b>Manager:</b> Ann</p>"""


@pytest.mark.parametrize(("shown", "is_sure"), [("0113 496 0155", False), ("0800 496 0000", True)])
def test_a_number_that_a_label_contradicts_is_unsure(shown: str, is_sure: bool) -> None:
    found = read(SHOP % shown, "Branch", name=TEXT, phone=TEXT, manager=TEXT)
    assert ("/phone" not in found.unsure) is is_sure


@pytest.mark.parametrize("beside", ["", " "])
def test_a_number_beside_its_label_is_the_value_with_or_without_space(beside: str) -> None:
    rows = (("Accession number", "1932.14"), ("Height", "2148 m"), ("Medium", "Oil on canvas"))
    shown = "".join(
        f"<div><span class=l>{label}</span>{beside}<span class=v>{value}</span></div>"
        for label, value in rows
    )
    height = {"type": "number", "description": "in m"}
    fields: dict[str, Any] = {"accession_number": TEXT, "height": height, "medium": TEXT}
    found = read(f"<h1>Harbour at dusk</h1><div>{shown}</div>", **fields)
    assert found.data == {"accession_number": "1932.14", "height": 2148, "medium": "Oil on canvas"}


@pytest.mark.parametrize(
    ("value", "is_sure"),
    [
        ("1.86 m (6 ft 1 in)", False),
        ("1.86 m (with shoes 1.9 m)", False),
        ("1.86 m (2019)", True),
    ],
)
def test_another_number_in_a_note_leaves_the_one_before_it_unsure(
    value: str, is_sure: bool
) -> None:
    height = {"type": "number", "description": "height in m"}
    found = read(definitions(club="Halden", height=value), club=TEXT, height=height)
    assert found.data["height"] == 1.86
    assert ("/height" not in found.unsure) is is_sure
