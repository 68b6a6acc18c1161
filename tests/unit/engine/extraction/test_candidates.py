"""The forms in which pages name their values: each is read by the name of a field."""

import json
from typing import Any

import pytest

from app.engine.extraction.methods import json_ld
from app.engine.extraction.records.extract import PageRecords, extract
from app.engine.extraction.text.onetext import one
from app.engine.pages.formats.html import parse
from tests.plans import ADDRESS, MINUTES, NUMBER, TEXT, TEXTS, plan_of
from tests.unit.engine.extraction.reading import records

URL = "https://site.test/"
SCHEMA = plan_of(
    called="Book",
    title=TEXT,
    author=TEXT,
    publisher=TEXT,
    pages={"type": "integer"},
    price=NUMBER,
    published={"type": "string", "format": "date"},
    image=ADDRESS,
    phone=TEXT,
    isbn_13={"type": "string", "pattern": r"97[89]\d{10}"},
    prep_time=MINUTES,
    keywords=TEXTS,
    steps=TEXTS,
)


def read(body: str, head: str = "") -> tuple[dict[str, object], dict[str, str]]:
    """The data of the one record on a page, and by pointer the methods that read it."""
    page = extract(f"<html lang='en'><head>{head}</head><body>{body}</body></html>", URL, SCHEMA)
    (record,) = page.records
    return record.data, {each.pointer: each.method for each in record.provenance}


def row(label: str, value: str) -> str:
    """A table of one row."""
    return f"<table><tr><th>{label}</th><td>{value}</td></tr></table>"


@pytest.mark.parametrize(
    ("body", "method"),
    [
        ("<table><tr><th>Publisher</th><td>Alder Press</td></tr></table>", "table"),
        ("<table><tr><td>Publisher:</td><td>Alder Press</td></tr></table>", "table"),
        (
            "<table><tr><th>Year<th>Publisher</tr><tr><td>1999<td>Alder Press</tr></table>",
            "table",
        ),
        ("<dl><dt>Publisher</dt><dd>Alder Press</dd></dl>", "labels"),
        ("<b>Publisher:</b> Alder Press<br><b>Format:</b> Cloth<br>", "labels"),
        ("<b>Publisher:</b> Alder Press <b>Format:</b> Cloth", "labels"),
        ("<ul><li><strong>Publisher</strong>: Alder Press</ul>", "labels"),
        ("<p>Publisher: Alder Press</p>", "labels"),
        ("<p>Format: Cloth | Publisher: Alder Press | Weight: 2 kg</p>", "labels"),
        ("<p>Verlag：Alder Press</p>", "labels"),
        ("<div><span>Publisher</span> <span>Alder Press</span></div>", "labels"),
        ("<div><h5>Publisher</h5><p>Alder Press</p></div>", "labels"),
        ("<div class='book-publisher'>Alder Press</div>", "text"),
        ("<div class='publisher'>Alder Press<br>June 2010</div>", "text"),
        (
            "<div itemscope itemtype='http://schema.org/Book'><i itemprop='publisher' itemscope>"
            "<b itemprop='name'>Alder Press</b></i></div>",
            "microdata",
        ),
        (
            "<div vocab='https://schema.org/' typeof='Book'><i property='schema:publisher'>"
            "Alder Press</i></div>",
            "rdfa",
        ),
    ],
)
def test_a_value_is_read_by_what_names_it(body: str, method: str) -> None:
    data, methods = read(body)
    assert data["publisher"] == "Alder Press"
    assert methods["/publisher"] == method


def test_the_state_of_an_app_is_read_where_nothing_else_is_stated() -> None:
    state = '{"props": {"book": {"title": "Oaks", "publisher": "Alder Press", "pages": 99}}}'
    data, _ = read(f"<p>x</p><script type='application/json'>{state}</script>")
    assert data["publisher"] == "Alder Press"


def test_the_head_names_values() -> None:
    data, methods = read("<p>x</p>", "<meta property='og:image' content='/oaks.jpg'>")
    assert data["image"] == "https://site.test/oaks.jpg"
    assert methods["/image"] == "opengraph"


@pytest.mark.parametrize(
    "head",
    [
        "<title>Oaks of the North | Site</title>",
        "<title>Site - Oaks of the North</title>",
        "<title>Oaks of the North: a book</title>",
    ],
)
def test_a_heading_that_the_title_holds_is_the_title(head: str) -> None:
    body = "<h1>Site</h1><h2>Oaks of the North</h2><p>Phone: 555 01 23</p><h2>Related books</h2>"
    data, _ = read(body, head)
    assert data["title"] == "Oaks of the North"


@pytest.mark.parametrize(
    "body",
    [
        "<p>by Ann Alder</p>",
        "<a rel='author' href='/x'>Ann Alder</a>",
        "<a href='/authors/ann'>Ann Alder</a>",
        "<span class='author'>By Ann Alder</span>",
    ],
)
def test_an_author_is_named_without_the_words_before(body: str) -> None:
    assert read(f"<h1>Oaks</h1>{body}")[0]["author"] == "Ann Alder"


@pytest.mark.parametrize(
    ("body", "field", "value"),
    [
        ("<p>212 pages</p>", "pages", 212),
        ("<p>Some words. Published in print 2021-05-04 for all</p>", "published", "2021-05-04"),
        ("<p>Only $12.50 today</p>", "price", 12.5),
        ("<p>The number is 9783161484100 here</p>", "isbn_13", "9783161484100"),
        ("<p>Prep: 1 h 5 min</p>", "prep_time", 65),
        ("<p>Vorbereitung 20 Min.</p>", "prep_time", 20),
        ("<p>Phone: 212-555-0123 (Mon to Fri)</p>", "phone", "212-555-0123"),
        ("<b>Phone</b><b>+43 664 1234567</b>", "phone", "+43 664 1234567"),
        ("<b>Phone</b><b>+43 4872 55210</b>", "phone", "+43 4872 55210"),
        ("<p>Phone: +44 (0)20 7946 0123 (Mon to Fri)</p>", "phone", "+44 (0)20 7946 0123"),
    ],
)
def test_a_value_is_known_by_its_form(body: str, field: str, value: object) -> None:
    assert read(body)[0][field] == value


@pytest.mark.parametrize(
    "body",
    [
        "<h2>Steps</h2><ol><li>Dig a hole<li>Plant the oak<li>Water it well</ol>",
        "<h2>Steps</h2><p>Dig a hole</p><p>Plant the oak</p><p>Water it well</p>",
        "<h2>Steps</h2><p>1. Dig a hole<br>2. Plant the oak<br>3. Water it well</p>",
        "<div><b>Steps</b></div><ul><li>Dig a hole<li>Plant the oak<li>Water it well</ul>",
        "<h2>Steps</h2><ul><li>• Dig a hole<li>• Plant the oak<li>• Water it well</ul>",
    ],
)
def test_a_list_below_its_name_is_an_array(body: str) -> None:
    assert read(body)[0]["steps"] == ["Dig a hole", "Plant the oak", "Water it well"]


def test_a_text_of_parts_is_an_array_of_them() -> None:
    assert read("<p>Keywords: oak, north; wood</p>")[0]["keywords"]


def test_what_stands_in_a_menu_is_less_sure_than_what_stands_in_the_text() -> None:
    text = f"<p>{'Some words about oaks. ' * 9}</p>"
    body = (
        f"<nav><p>Publisher: Menu House</p></nav><main>{text}<p>Publisher: Alder Press</p></main>"
    )
    assert read(body)[0]["publisher"] == "Alder Press"


def test_a_label_that_comes_again_and_again_is_of_the_parts_of_a_list() -> None:
    others = "".join(f"<li>Publisher: House {n}</li>" for n in range(5))
    body = f"<ul>{others}</ul><div class='main'><b>Publisher:</b> Alder Press</div>"
    assert read(body)[0]["publisher"] == "Alder Press"


def script(**thing: object) -> str:
    return f"<script type=application/ld+json>{json.dumps(thing)}</script>"


def linked(**said: object) -> str:
    """A script that describes a book."""
    return script(**{"@type": "Book", "name": "Oaks", **said})


@pytest.mark.parametrize("nothing", ["null", "None", "undefined", "NaN", "N/A"])
def test_a_text_that_programs_write_for_nothing_is_no_value(nothing: str) -> None:
    assert "publisher" not in read("<h1>Oaks</h1>", linked(publisher=nothing))[0]


@pytest.mark.parametrize(("prices", "shown"), [(("10", "25"), None), (("10", "10"), 10)])
def test_several_offers_have_one_price_if_all_have_it(
    prices: tuple[str, str], shown: int | None
) -> None:
    offers = [{"@type": "Offer", "price": price} for price in prices]
    assert read("<h1>Oaks</h1>", linked(offers=offers))[0].get("price") == shown


def shelf(many: int) -> PageRecords:
    """A page that describes so many books, each with its offer."""
    books = [
        {"@type": "Book", "name": f"Oaks {n}", "offers": {"@type": "Offer", "price": f"{n}.50"}}
        for n in range(many)
    ]
    script = f"<script type='application/ld+json'>{json.dumps(books)}</script>"
    return extract(f"<html><head>{script}</head></html>", URL, SCHEMA)


def test_all_of_many_stated_things_are_records_or_the_page_says_that_some_are_left_out() -> None:
    whole = shelf(400)
    assert (len(whole.records), whole.truncated) == (400, False)
    assert shelf(1_500).truncated


def test_references_that_multiply_cost_no_more_than_what_is_read() -> None:
    graph = [
        {"@id": f"#{name}", "itemListElement": [{"@id": f"#{other}"}] * 900}
        for name, other in ("ab", "bc", "cd")
    ]
    page = one(parse(linked(about=[{"@id": "#a"}] * 900, subjectOf={"@graph": graph})))
    assert json_ld.things(page)
    assert page.truncated


def test_the_lowest_of_several_prices_is_not_surely_the_price() -> None:
    head = linked(offers={"@type": "AggregateOffer", "lowPrice": "10", "highPrice": "25"})
    (record,) = extract(f"<html><head>{head}</head><h1>Oaks</h1></html>", URL, SCHEMA).records
    assert "/price" in record.unsure


@pytest.mark.parametrize(
    "more", [{}, {"offers": [{"@type": "Offer", "price": "10"}, {"@type": "Offer", "price": "25"}]}]
)
def test_a_price_beside_the_range_that_it_is_of_is_no_value(more: dict[str, object]) -> None:
    offer = {"@type": "AggregateOffer", "price": "10", "lowPrice": "10", "highPrice": "25", **more}
    assert "price" not in read("<h1>Oaks</h1>", linked(offers=offer))[0]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        pytest.param(
            "<p>Price: was $19</p><p>Author: Ada Moor</p>", "price", id="what a price was"
        ),
        pytest.param(row("Pages", "10<sup>3</sup>"), "pages", id="more digits, raised"),
        pytest.param(row("Phone", "see website") + row("Pages", "5"), "phone", id="without digits"),
    ],
)
def test_what_is_called_as_a_value_is_none(body: str, field: str) -> None:
    assert field not in read(f"<h1>Oaks</h1>{body}")[0]


@pytest.mark.parametrize(
    "price",
    [
        "<del>$19</del> <ins>$15</ins>",
        "<span style='text-decoration:line-through'>$19</span> $15",
        "$15 <s>$19</s>",
        "$15<sup><a href=#tax>2</a></sup>",
        "$15<sup>[2]</sup>",
    ],
)
def test_what_is_struck_out_and_marks_of_notes_are_no_part_of_a_value(price: str) -> None:
    assert read(f"<h1>Oaks</h1>{row('Price', price)}")[0]["price"] == 15


@pytest.mark.parametrize("mark", ["<sup>a</sup>", " <span class=action>[edit]</span>"])
def test_the_mark_of_a_note_is_no_part_of_a_name(mark: str) -> None:
    assert read(f"<h1>Oaks</h1>{row('Publisher', f'Alder{mark}')}")[0]["publisher"] == "Alder"


def test_a_value_that_nobody_sees_is_unsure() -> None:
    def unsure(looks: str) -> list[str]:
        table = f"<table {looks}><tr><th>Publisher</th><td>Alder Press</td></tr></table>"
        body = f"<h1>Oaks</h1><p>Pages: 336, on paper made of old oaks</p>{table}"
        (record,) = extract(f"<html lang=en>{body}</html>", URL, SCHEMA).records
        return record.unsure

    assert "/publisher" not in unsure("")
    assert "/publisher" in unsure("style='display: none'")
    assert "/publisher" in unsure("hidden")


@pytest.mark.parametrize("rest", ["<br>and Elm House</td>", "</td><td>Elm House</td>"])
def test_a_part_of_what_a_label_names_is_unsure(rest: str) -> None:
    table = f"<table><tr><th>Publisher</th><td>Alder Press{rest}</tr></table>"
    (record,) = extract(f"<html lang=en><h1>Oaks</h1>{table}</html>", URL, SCHEMA).records
    assert "publisher" not in record.data or "/publisher" in record.unsure


def test_the_price_of_a_unit_is_not_surely_the_price() -> None:
    table = "<table><tr><th>Price</th><td>$4 - $9</td></tr><tr><th>Unit price</th><td>$1.20</td>"
    (record,) = extract(f"<html lang=en><h1>Oaks</h1>{table}</table>", URL, SCHEMA).records
    assert "price" not in record.data or "/price" in record.unsure


@pytest.mark.parametrize("name", ["address", "adresse", "direccion", "indirizzo"])
def test_an_address_goes_on_over_the_lines_of_its_cell(name: str) -> None:
    cell = row(name.title(), "1 High Street<br>Leeds LS1 4AP")
    found = records(f"<h1>Town hall</h1>{cell}", **{name: TEXT})
    assert found == [{name: "1 High Street Leeds LS1 4AP"}]


def test_an_address_ends_before_a_line_with_a_label() -> None:
    cell = row("Address", "1 High Street<br>Leeds LS1 4AP<br>Phone: 0113 496 0000")
    found = records(f"<h1>Town hall</h1>{cell}", address=TEXT)
    assert found == [{"address": "1 High Street Leeds LS1 4AP"}]


@pytest.mark.parametrize(
    ("stated", "names"),
    [
        ("John Doe, Jr.", ["John Doe, Jr."]),
        ("Jane Doe and Max Roe", ["Jane Doe", "Max Roe"]),
        ("Doe, Jane", None),
    ],
)
def test_authors_are_told_apart_by_what_stands_between_them(
    stated: str, names: list[str] | None
) -> None:
    authors = plan_of(authors=TEXTS)
    page = extract(f"<html><head>{linked(author=stated)}</head></html>", URL, authors)
    assert page.records[0].data.get("authors") == names


def test_a_value_is_unsure_if_its_page_names_another_one_the_same_way() -> None:
    def sure(*publishers: str) -> bool:
        rows = "".join(f"<tr><th>Publisher</th><td>{each}</td></tr>" for each in publishers)
        page = f"<html lang=en><h1>Oaks</h1><table>{rows}<tr><td>a<td>b<td>c</table></html>"
        (record,) = extract(page, URL, SCHEMA).records
        return "publisher" in record.data and "/publisher" not in record.unsure

    assert sure("Alder Press")
    assert not sure("Alder Press", "Elm House")


def sure(body: str, **fields: object) -> dict[str, object]:
    """The sure values of the one record on a page."""
    page = f"<html lang=en><h1>Oaks</h1>{body}</html>"
    (record,) = extract(page, URL, plan_of(**fields)).records
    return {name: v for name, v in record.data.items() if f"/{name}" not in record.unsure}


@pytest.mark.parametrize(
    "price", ["from £49", "ab 49 €", "over £49", "£49+", "<span>From</span> <b>£49</b>"]
)
def test_the_least_or_the_most_of_a_number_is_no_value(price: str) -> None:
    table = f"<table><tr><th>Price</th><td>{price}</td></tr><tr><th>Height</th><td>3</td></tr>"
    assert sure(f"{table}</table>", price=NUMBER, height=NUMBER) == {"height": 3}


def test_the_least_is_the_value_of_a_field_that_asks_for_it() -> None:
    table = "<table><tr><th>Price from</th><td>from £49</td></tr></table>"
    assert sure(table, price_from=NUMBER) == {"price_from": 49}


@pytest.mark.parametrize(
    "part",
    [
        {"starRating": {"ratingValue": "4"}},
        {"review": [{"@type": "Review", "reviewRating": {"ratingValue": "2"}}]},
        {"video": {"@type": "VideoObject", "duration": "PT5M"}},
    ],
)
def test_what_is_stated_of_a_part_is_not_surely_said_of_the_whole(part: dict[str, Any]) -> None:
    hotel = script(**{"@type": "Hotel", "name": "Oaks", **part})
    assert sure(hotel, rating=NUMBER, duration=NUMBER) == {}


MUSEUM = {"@type": "Museum", "name": "Sea Museum", "telephone": "+45 76 16 39 60"}


@pytest.mark.parametrize("inside", [MUSEUM, [MUSEUM], {"@type": "Place", "containsPlace": MUSEUM}])
def test_what_is_said_of_another_thing_in_a_thing_is_not_said_of_it(inside: object) -> None:
    city = script(**{"@type": "City", "name": "Oaks", "containsPlace": inside})
    assert records(f"<h1>Oaks</h1>{city}", name=TEXT, phone=TEXT) == [{"name": "Oaks"}]


def test_a_thing_that_is_written_with_another_one_first_is_read_whole() -> None:
    author = {"name": "Ann Lee", "@type": "Person"}
    book = script(
        author=author, name="Oaks", numberOfPages=120, isbn="9780306406157", **{"@type": "Book"}
    )
    assert sure(book, number_of_pages=NUMBER, isbn=TEXT) == {
        "number_of_pages": 120,
        "isbn": "9780306406157",
    }


def test_an_offer_with_a_name_and_the_place_of_an_event_are_said_of_the_whole() -> None:
    offer = {"@type": "Offer", "name": "Standard", "price": "15", "priceCurrency": "GBP"}
    hall = {"@type": "Place", "name": "Hall", "address": {"addressLocality": "Leeds"}}
    event = script(**{"@type": "Event", "name": "Oaks", "offers": offer, "location": hall})
    assert sure(event, price=NUMBER)["price"] == 15
    assert sure(event, address_locality=TEXT) == {"address_locality": "Leeds"}


@pytest.mark.parametrize(("name", "value"), [("rating", 8.7), ("stars", 4), ("star_rating", 4)])
def test_the_rating_of_a_thing_is_the_aggregate_and_its_stars_are_not(
    name: str, value: float
) -> None:
    rated = {"starRating": {"ratingValue": "4"}, "aggregateRating": {"ratingValue": "8.7"}}
    assert sure(script(**{"@type": "Hotel", "name": "Oaks", **rated}), **{name: NUMBER}) == {
        name: value
    }


def test_a_label_begins_behind_no_point_of_a_number() -> None:
    body = "<h1>Oaks</h1><p>Width: <b>4.5</b> Height: <b>3.5</b></p>"
    assert records(body, width=NUMBER, height=NUMBER) == [{"width": 4.5, "height": 3.5}]


def test_a_label_that_says_more_than_a_field_is_called_is_not_surely_its_label() -> None:
    table = "<table><tr><th>{}</th><td>€5</td></tr></table>"
    assert sure(table.format("Price"), price=NUMBER) == {"price": 5}
    assert sure(table.format("Delivery price"), price=NUMBER) == {}


def test_a_label_that_is_what_a_field_is_called_is_of_no_other() -> None:
    table = "<table><tr><th>Number of floors</th><td>3</td></tr><tr><th>Floor</th><td>2</td></tr>"
    assert sure(f"{table}</table>", floors=NUMBER, floor=NUMBER)["floor"] == 2
    assert "floors" not in sure(f"{table}</table>", floors=NUMBER, floor=NUMBER)


def test_the_year_of_a_label_is_not_its_value() -> None:
    table = "<table><tr><th colspan=2>Population (2020)</th></tr><tr><th>Total</th><td>5</td></tr>"
    body = f"{table}<tr><th>Mayor</th><td>Ann Lee</td></tr></table>"
    assert "population" not in sure(body, population=NUMBER, mayor=TEXT)


def test_an_open_range_keeps_its_end() -> None:
    table = "<table><tr><th>Term</th><td>2019–</td></tr></table>"
    assert sure(table, term=TEXT) == {"term": "2019–"}


def test_a_list_below_a_heading_ends_where_its_section_does() -> None:
    box = "<div>Write to us every day of the year</div><div>and we shall answer it at once</div>"
    body = f"<main><h2>Effects</h2><ul><li>rest</li><li>joy</li></ul></main><aside>{box}</aside>"
    found = records(body, effects={"type": "array", "items": TEXT})
    assert found == [{"effects": ["rest", "joy"]}]


def test_an_icon_and_a_link_to_the_place_itself_are_no_part_of_a_value() -> None:
    owner = "<i class=material-icons>person</i> Ann Lee <a href=#owner>¶</a>"
    table = f"<table><tr><th>Owner</th><td>{owner}</td></tr></table>"
    assert sure(table, owner=TEXT) == {"owner": "Ann Lee"}
    alone = "<table><tr><th>Owner</th><td><i class=icon>Ann</i></td></tr></table>"
    assert sure(alone, owner=TEXT) == {"owner": "Ann"}
