"""A page and a plan in, records with their passages out; no model, no network."""

import json

import pytest

from app.engine.extraction.records.extract import PageRecords, extract, extract_text
from app.engine.extraction.records.records import Record
from app.engine.extraction.text.forms import Malformed
from app.engine.pages.formats.html import parse
from tests.plans import NUMBER, TEXT, TEXTS, plan_of

URL = "https://shop.test/lamps/oak"
PRODUCT = plan_of(
    "name",
    "price",
    called="Product",
    name=TEXT,
    price=NUMBER,
    brand={"type": "object", "properties": {"name": TEXT}},
    tags=TEXTS,
)
LAMP = """
<html lang="en"><head><title>Oak lamp - Shop</title></head><body><h1>Oak lamp</h1>
<table><tr><th>Price</th><td>$1,299.50</td></tr><tr><th>Brand</th><td>Alder</td></tr></table>
<h2>Tags</h2><ul><li>wood<li>light<li>home</ul></body></html>
"""
STATED = """
<html lang="en"><head><title>Oak lamp</title><script type="application/ld+json">
{"@context": "https://schema.org", "@graph": [
 {"@type": "Product", "name": "Oak lamp", "brand": {"@id": "#alder"}, "keywords": "wood, light",
  "offers": {"@type": "Offer", "price": 1299.50, "priceCurrency": "USD"}},
 {"@type": "Brand", "@id": "#alder", "name": "Alder", "url": "https://alder.test/"}]}
</script></head><body><h1>Oak lamp</h1><p>Made by hand.</p></body></html>
"""


def only(page: PageRecords) -> dict[str, object]:
    assert len(page.records) == 1
    return page.records[0].data


def page_of(body: str) -> str:
    return f"<html lang='en'><head><title>Oak lamp</title></head><body>{body}</body></html>"


@pytest.mark.parametrize("markup", [LAMP, STATED])
def test_a_record_is_read_from_what_a_page_shows_or_states(markup: str) -> None:
    data = only(extract(markup, URL, PRODUCT))
    assert data["name"] == "Oak lamp"
    assert data["price"] == 1299.5
    assert data["brand"] == {"name": "Alder"}


@pytest.mark.parametrize("markup", [LAMP, STATED])
def test_every_value_cites_its_passage(markup: str) -> None:
    page = extract(markup, URL, PRODUCT)
    for each in page.records[0].provenance:
        assert page.text[each.start : each.end] == each.quote
        assert page.text[: each.start].endswith(each.prefix)
        assert page.text[each.end :].startswith(each.suffix)


def test_a_selector_finds_the_element_that_holds_the_quote() -> None:
    page = extract(LAMP, URL, PRODUCT)
    price = next(each for each in page.records[0].provenance if each.pointer == "/price")
    (cell,) = parse(LAMP).xpath(price.selector)
    assert cell.text_content() == price.quote == "$1,299.50"


def test_a_stated_value_that_the_page_shows_once_cites_the_visible_place() -> None:
    page = extract(STATED, URL, PRODUCT)
    name = next(each for each in page.records[0].provenance if each.pointer == "/name")
    assert name.kind == "visible"
    assert name.end <= page.visible_end
    assert name.json_pointer == "/script[0]#/@graph/0/name"
    assert name.method == "json_ld"


def test_a_value_that_is_only_stated_cites_the_script_block() -> None:
    page = extract(STATED, URL, PRODUCT)
    price = next(each for each in page.records[0].provenance if each.pointer == "/price")
    assert price.kind == "structured"
    assert price.quote == "1299.50"
    assert price.json_pointer == "/script[0]#/@graph/0/offers/price"


def test_a_required_value_that_is_missing_is_named_and_never_made_up() -> None:
    page = page_of("<h1>Oak lamp</h1><p>Brand: Alder</p>")
    record = extract(page, URL, PRODUCT).records[0]
    assert "price" not in record.data
    assert [(each.pointer, each.keyword) for each in record.unsatisfied] == [("/price", "required")]


def test_what_is_not_sure_enough_is_a_candidate() -> None:
    date = plan_of(published={"type": "string", "format": "date"})
    record = extract(page_of("<p>Published: 05/04/2021</p>"), URL, date).records[0]
    assert record.data == {}
    assert record.candidates["/published"][0].quote == "05/04/2021"


def test_a_page_that_lists_things_has_a_record_of_each() -> None:
    cards = "".join(
        f"<div class='card'><a class='name' href='/p/{n}'>Lamp {n}</a><span>${n}9.50</span></div>"
        for n in range(1, 8)
    )
    page = extract(page_of(f"<h1>Lamps</h1><div>{cards}</div>"), URL, PRODUCT)
    assert [(each.data["name"], each.data["price"]) for each in page.records] == [
        (f"Lamp {n}", n * 10 + 9.5) for n in range(1, 8)
    ]


def test_things_of_one_kind_that_are_stated_side_by_side_are_records() -> None:
    items = [
        {"@type": "ListItem", "item": {"@type": "Product", "name": f"Lamp {n}", "price": n}}
        for n in range(3)
    ]
    block = json.dumps({"@type": "ItemList", "itemListElement": items})
    page = extract(stated(block), URL, PRODUCT)
    assert [each.data["name"] for each in page.records] == ["Lamp 0", "Lamp 1", "Lamp 2"]


def test_objects_in_a_list_are_read_with_their_own_places() -> None:
    review = {"type": "object", "properties": {"author": TEXT, "rating": TEXT}}
    wanted = plan_of(called="Product", name=TEXT, reviews={"type": "array", "items": review})
    reviews = [
        {"@type": "Review", "author": {"name": name}, "reviewRating": {"ratingValue": n}}
        for n, name in enumerate(("Ann", "Bob"))
    ]
    block = json.dumps({"@type": "Product", "name": "Oak lamp", "review": reviews})
    record = extract(stated(block), URL, wanted).records[0]
    assert record.data["reviews"] == [
        {"author": "Ann", "rating": "0"},
        {"author": "Bob", "rating": "1"},
    ]
    assert "/reviews/1/author" in {each.pointer for each in record.provenance}


def test_the_visible_family_reads_nothing_that_is_only_stated() -> None:
    assert "price" not in only(extract(STATED, URL, PRODUCT, family="visible"))


def test_the_structured_family_reads_nothing_that_is_only_shown() -> None:
    assert extract(LAMP, URL, PRODUCT, family="structured").records[0].data.get("price") is None


def test_without_a_plan_there_is_the_text_and_its_lines() -> None:
    page = extract(LAMP, URL, None)
    assert page.text[: page.visible_end].startswith("Oak lamp\nPrice")
    assert page.records == ()
    assert "Oak lamp" in [line for _, line in page.lines]


def test_a_parsed_tree_stays_as_it_is() -> None:
    root = parse(LAMP)
    before = [(element.tag, element.text, element.tail) for element in root.iter()]
    extract(root, URL, PRODUCT)
    assert [(element.tag, element.text, element.tail) for element in root.iter()] == before


def test_plain_text_is_read_by_its_labels() -> None:
    data = only(extract_text("Oak lamp\n\nPrice: $12.50\nTags: wood, light\n", URL, PRODUCT))
    assert data["price"] == 12.5
    assert data["tags"] == ["wood", "light"]


LONG = " ".join(f"{name * 60}{name}" for name in "abcdefgh")
BOXES = f"<div class='{LONG}'>" * 12
WRAPPED = f"{BOXES}<h1 class='{LONG}'>Oak lamp</h1><b class=price>$5</b>"
ROWS = "".join(
    f"<section><h3>Lamp {n}</h3>{BOXES}<b class=price>$5.{n}0</b>{'</div>' * 12}</section>"
    for n in range(5)
)


def stated(thing: str) -> str:
    return page_of(f"<script type='application/ld+json'>{thing}</script>x")


@pytest.mark.parametrize(
    "markup",
    [
        LAMP,
        STATED,
        WRAPPED,
        ROWS,
        stated(f'{{"@type": "{LONG * 9}", "name": "Oak lamp", "price": 5}}'),
        stated(r'{"@type": "Product", "name": "Oak \u0000lamp", "offers": {"price": 5}}'),
        stated(r'{"@type": "Product", "name": "Oak lamp", "pr\u0000ice": {"price": 5}}'),
        stated(r'{"@type": "Product", "name": "Oak lamp", "pr\ud800ice": {"price": 5}}'),
    ],
    ids=["shown", "stated", "classes", "rows", "type", "nul", "nul in a key", "surrogate"],
)
def test_what_crosses_the_pipe_comes_back_equal(markup: str) -> None:
    page = extract(markup, URL, PRODUCT)
    assert page.records
    form = json.loads(json.dumps(page.as_json(), ensure_ascii=False).encode())
    assert PageRecords.from_json(form).as_json() == page.as_json()


def test_more_than_a_thousand_doubtful_values_in_a_list_cross_the_pipe() -> None:
    day = {"type": "string", "format": "date"}
    review = {"type": "object", "properties": {"author": TEXT, "start": day, "end": day}}
    wanted = plan_of(name=TEXT, reviews={"type": "array", "items": review})
    reviews = [
        {"author": f"Ann {n}", "start": "03/04/2021", "end": "04/05/2021"} for n in range(700)
    ]
    thing = {"@type": "Product", "name": "Oak lamp", "reviews": reviews}
    (record,) = extract(stated(json.dumps(thing)), URL, wanted).records
    assert len(record.candidates) > 1_000
    assert Record.from_json(record.as_json()) == record


@pytest.mark.parametrize(
    ("name", "value"),
    [("visible_end", 10**9), ("text", "a\0"), ("records", {}), ("lines", [["a"]]), ("title", 3)],
)
def test_a_form_that_is_none_is_refused(name: str, value: object) -> None:
    form = extract(LAMP, URL, PRODUCT).as_json() | {name: value}
    with pytest.raises(Malformed):
        PageRecords.from_json(form)


def test_a_quote_that_does_not_fit_its_place_is_refused() -> None:
    form = extract(LAMP, URL, PRODUCT).as_json()
    form["records"][0]["provenance"][0]["end"] += 1
    with pytest.raises(Malformed):
        PageRecords.from_json(form)


@pytest.mark.parametrize(
    ("markup", "needed"),
    [
        (page_of("<div id='root'></div><script src='a.js'></script>"), True),
        (page_of("<div id='__next'></div>"), True),
        (page_of("<noscript>You need to enable JavaScript to run this app.</noscript>"), True),
        (page_of('<p>Loading</p><script type=\'application/json\'>{"props": {"a": 1}}</script>'),
         True),
        (page_of("<p>Short.</p>"), False),
        (LAMP, False),
        (STATED, False),
    ],
)  # fmt: skip
def test_an_empty_app_needs_rendering_and_a_page_that_says_little_does_not(
    markup: str, needed: bool
) -> None:
    assert extract(markup, URL, PRODUCT).needs_rendering is needed


@pytest.mark.parametrize(
    ("title", "heading", "soft_404"),
    [
        ("404 Not Found", "404 Not Found", True),
        ("Seite nicht gefunden", "Seite nicht gefunden", True),
        ("Page introuvable", "Page introuvable", True),
        ("Error 404", "Error 404", True),
        ("404", "404", True),
        ("404 | Shop", "Sorry.", True),
        ("Jade bridge 404 | Shop", "Jade bridge 404", False),
    ],
)
def test_a_page_that_says_it_is_none_is_soft_404(title: str, heading: str, soft_404: bool) -> None:
    markup = f"<html><head><title>{title}</title></head><body><h1>{heading}</h1></body></html>"
    assert extract(markup, URL, PRODUCT).soft_404 is soft_404


def test_a_stated_value_is_not_cited_inside_of_a_longer_word_or_number() -> None:
    stated = json.dumps(
        {
            "@context": "https://schema.org",
            "@type": "Product",
            "name": "Rosa",
            "offers": {"@type": "Offer", "price": "12.50", "priceCurrency": "USD"},
        }
    )
    page = extract(
        f'<html lang="en"><head><script type="application/ld+json">{stated}</script></head><body>'
        "<p>Made in Rosario by hand.</p><p>Quote order 112.507 to us.</p></body></html>",
        URL,
        PRODUCT,
    )
    assert {x.kind for x in page.records[0].provenance} == {"structured"}
