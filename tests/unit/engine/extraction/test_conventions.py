"""What pages say by ordinary conventions: addresses of links, widgets, tips, pictures, lists."""

import pytest

from app.engine.extraction.records.extract import PageRecords, extract
from tests.plans import ADDRESS, MINUTES, NUMBER, TEXT, TEXTS, plan_of

URL = "https://site.test/oaks"
SCHEMA = plan_of(
    name=TEXT,
    keywords=TEXTS,
    cuisine=TEXT,
    rating=NUMBER,
    rating_count={"type": "integer"},
    image=ADDRESS,
    total_time=MINUTES,
    parts=TEXTS,
    description=TEXT,
)


def page(body: str) -> PageRecords:
    return extract(f"<html><title>Oaks</title><body><h1>Oaks</h1>{body}</body></html>", URL, SCHEMA)


def best(body: str, field: str) -> object:
    """The most probable reading of a field."""
    [entity] = page(body).readings.entities
    readings = entity.fields.get(f"/{field}")
    return readings[0].value if readings else None


@pytest.mark.parametrize(
    ("body", "field", "value"),
    [
        ("<p><a href=/tag/a>Trees</a> <a href=/tag/b>Wood</a></p>", "keywords", ["Trees", "Wood"]),
        ("<a href='/search?cuisine=thai'>Thai</a>", "cuisine", "Thai"),
        ("<div class=tags><a href=/x>Trees</a> <a href=/y>Wood</a></div>", "keywords",
         ["Trees", "Wood"]),
        ("<i role=img aria-label='4.6 out of 5 stars'></i>", "rating", 4.6),
        ("<i data-rating=4.5></i>", "rating", 4.5),
        ("<img src=/s.gif alt='87 votes, average: 4.9 out of 5'>", "rating_count", 87),
        ("<p>4.4 (437)</p>", "rating", 4.4),
        ("<p>4.4 (437)</p>", "rating_count", 437),
        ("<p>9 ratings</p>", "rating_count", 9),
        ("<div title='Total time: 47 min'>★</div>", "total_time", 47),
        ("<p>95 min</p>", "total_time", 95),
        ("<p><b>Cuisine:</b> Thai / <b>Level:</b> easy</p>", "cuisine", "Thai"),
        ("<p class=cuisine>Cuisine: Thai</p>", "cuisine", "Thai"),
    ],
)  # fmt: skip
def test_a_convention_says_what_a_value_is(body: str, field: str, value: object) -> None:
    assert best(body, field) == value


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ("<a href='https://other.test/?cuisine=thai'>Thai</a><p>9 ratings</p>", "cuisine"),
        ("<label><input type=radio aria-label='5 stars'></label><p>9 ratings</p>", "rating"),
        ("<p>Let it rest for 20 minutes, and then walk for another 30 minutes along the river "
         "bank.</p><p>9 ratings</p>", "total_time"),
        ("<p>9 ratings</p><pre>cuisine: str</pre>", "cuisine"),
        ("<p>The <code><span>cuisine</span></code> of a place</p><p>9 ratings</p>", "cuisine"),
    ],
)  # fmt: skip
def test_what_only_looks_like_it_is_no_value(body: str, field: str) -> None:
    assert best(body, field) is None


def test_the_quote_of_an_attribute_stands_in_the_text() -> None:
    read = page("<i data-rating=4.5></i>")
    reading = read.readings.entities[0].fields["/rating"][0]
    assert read.text[reading.start : reading.end] == reading.quote == "4.5"


@pytest.mark.parametrize(
    "markup",
    [
        "<img src=/s.jpg srcset='/s.jpg 300w, /big.jpg 1200w'>",
        "<img src=/s.jpg data-pin-media=https://site.test/big.jpg>",
        "<a href='https://pins.test/new?media=https%3A%2F%2Fsite.test%2Fbig.jpg'>Pin</a>",
        "<div style='background-image:url(/big.jpg)'>.</div>",
        "<header class=head><img src=/big.jpg></header>",
    ],
)
def test_the_largest_form_of_a_picture_is_the_one(markup: str) -> None:
    assert best(f"{markup}<p>9 ratings</p>", "image") == "https://site.test/big.jpg"


def test_a_picture_goes_before_those_that_repeat_and_lead_elsewhere() -> None:
    cards = "".join(f"<div class=card><a href=/{n}><img src=/{n}.jpg></a></div>" for n in range(4))
    body = f"<figure><img src=/oak.jpg></figure>{cards}<p>9 ratings</p>"
    assert best(body, "image") == "https://site.test/oak.jpg"


def test_a_list_ends_where_another_field_begins() -> None:
    prose = "<p>Sand the wood with care, for a long time, until it shines like a mirror.</p>"
    body = f"<h3>Parts</h3><ul><li>Leg<li>Top</ul><p>Description</p>{prose * 3}"
    assert best(body, "parts") == ["Leg", "Top"]


def test_words_that_end_every_item_are_no_part_of_them() -> None:
    items = "".join(
        f"<li>{part} <a href=/buy>shopping list</a></li>" for part in ("Leg", "Top", "Nut")
    )
    assert best(f"<h3>Parts</h3><ul>{items}</ul>", "parts") == ["Leg", "Top", "Nut"]


def test_links_are_no_description() -> None:
    menu = "<ul><li><a href=/a>The first chapter of it</a><li><a href=/b>The second</a></ul>"
    assert best(f"<p>9 ratings</p><h2>Overview</h2>{menu}", "description") is None


def test_a_heading_does_not_name_the_line_before_it() -> None:
    body = "<p>9 ratings</p><p>They grow slowly in the mountains.</p><h2>Description</h2>"
    assert best(body, "description") is None


def test_the_head_of_a_column_says_nothing_of_the_page() -> None:
    rows = "".join(f"<tr><td>{n}</td><td>It grows at {n} degrees of frost.</td></tr>" for n in "12")
    table = f"<table><tr><th>Number</th><th>Description</th></tr>{rows}</table>"
    read = page(f"<p>9 ratings</p>{table}").readings.entities[0].fields["/description"]
    assert {each.method for each in read} == {"table"}


def test_an_address_that_is_none_costs_no_other_link() -> None:
    body = '<a href="//[x/tag/soft">soft</a> <a href="/cuisine/thai">Thai</a>'
    assert best(body, "cuisine") == "Thai"
