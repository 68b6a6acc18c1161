"""Every quote stands where it says, and makes its value: on real pages and on hostile ones."""

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.engine.extraction.records.extract import PageRecords, extract
from app.engine.extraction.schema.schema import Field, Plan, plan
from app.engine.extraction.text.onetext import one
from app.engine.extraction.values.typed import Context
from app.engine.extraction.values.values import recompute
from app.engine.pages.facts.links import base_of
from app.engine.pages.formats.encoding import decode
from app.engine.pages.formats.html import parse
from app.engine.pages.page import PageUnreadable

EACH_OF_PAGES = 18
DATA = Path(__file__).parents[5] / "shared" / "data"
URL = "https://site.test/a/b"
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
EVERYTHING = plan(
    {
        "type": "object",
        "properties": {
            "title": TEXT,
            "author": TEXT,
            "price": {"type": "number"},
            "published": {"type": "string", "format": "date"},
            "total_time": {"type": "integer", "description": "in minutes"},
            "rating": {"type": "number"},
            "in_stock": {"type": "boolean"},
            "image": {"type": "string", "format": "uri"},
            "description": TEXT,
            "keywords": TEXTS,
            "ingredients": TEXTS,
            "instructions": TEXTS,
            "isbn_13": {"type": "string", "pattern": r"97[89]\d{10}"},
            "phone": TEXT,
            "brand": {"type": "object", "properties": {"name": TEXT}},
            "reviews": {
                "type": "array",
                "items": {"type": "object", "properties": {"author": TEXT, "text": TEXT}},
            },
        },
    }
)


def fields_of(schema: Plan) -> dict[str, Field]:
    """Fields by their pointer without the numbers of items."""
    named: dict[str, Field] = {}
    for field in schema.every():
        named[field.pointer] = field
        if field.item:
            named[f"{field.pointer}/*"] = field.item
        elif field.items and field.type == "array":
            below = fields_of(field.items)
            named |= {f"{field.pointer}/*{name}": each for name, each in below.items()}
    return named


FIELDS = fields_of(EVERYTHING)


def value_at(data: object, pointer: str) -> object:
    for part in pointer.split("/")[1:]:
        data = data[int(part)] if isinstance(data, list) else data[part]  # type: ignore[index]
    return data


def check(page: PageRecords, url: str) -> int:
    """How many provenances there are, each of which is as it should be."""
    context = Context(url=url, language=page.language)
    count = 0
    for record in page.records:
        for each in record.provenance:
            assert page.text[each.start : each.end] == each.quote
            assert each.kind == ("visible" if each.start < page.visible_end else "structured")
            name = "/".join("*" if part.isdigit() else part for part in each.pointer.split("/"))
            value = recompute(each.quote, each.transform, FIELDS[name], context)
            assert value == value_at(record.data, each.pointer)
            count += 1
    return count


def pages_of(archive: str) -> Iterator[tuple[str, str]]:
    """Some pages of an archive."""
    number = 0
    with tarfile.open(DATA / archive) as tar:
        for member in tar:
            if member.name.endswith((".html", ".htm")):
                number += 1
                if number % EACH_OF_PAGES:
                    continue
                file = tar.extractfile(member)
                assert file is not None
                yield member.name, decode(file.read(), None, markup=True)


@pytest.mark.parametrize("archive", ["recipes.tar.xz", "swde.tar.xz", "wcxb.tar.xz"])
def test_each_value_of_real_pages_follows_from_its_quote(archive: str) -> None:
    if not (DATA / archive).exists():
        pytest.skip(f"{DATA / archive} is absent")
    count = 0
    for name, markup in pages_of(archive):
        url = f"https://{name.split('/')[-2]}/"
        try:
            page = extract(markup, url, EVERYTHING)
        except PageUnreadable:
            continue
        count += check(page, base_of(parse(markup), url))
    assert count > 30


WORDS = st.sampled_from(
    [
        "Price:", "$1,299.50", "Author", "by Ann", "2021-05-04", "4 servings", "אבגד",
        "مُحَمَّد ١٢٣", "東京\u3000タワー", "กรุงเทพฯ", "e\u0301", "\u0301", "a\u200bb",
        "\u202egpj", "x\u00ady", "&amp;", "&#0;", "&lt;b&gt;", "\ud83d\ude00",
        "👩\u200d👩", "ﬁ", "İ", "Ingredients", "1. mix", "97" + "8" * 11,
        "\u0344\u0345" * 20, "a:b:c", "：", "|", "", "   ", "Review", "Title",
        "Total time: 1 h 5 min",
    ]
)  # fmt: skip
TAGS = st.sampled_from(
    [
        "p", "b", "div class=price", "span class=author", "td", "th", "tr", "table",
        "ul", "li", "dl", "dt", "dd", "h1", "h2", "br", "a href=/x",
        "div itemscope itemtype=http://schema.org/Product", "span itemprop=name",
        "meta itemprop=price content=9.5", "div typeof=Review", "i property=author",
        "time datetime=2020-01-02", "script type=application/ld+json", "noscript",
        "img src=//a/b alt=c", "section id=ingredients", "label", "strong", "title",
        "nav", "form", "select", "option",
    ]
)  # fmt: skip
JSON = st.recursive(
    WORDS | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.none(),
    lambda below: (
        st.lists(below, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["@type", "@id", "@graph", "name", "offers", "price", "review", "a/b~", ""]
            ),
            below,
            max_size=4,
        )
    ),
    max_leaves=12,
)
MARKUP = st.recursive(
    WORDS | JSON.map(lambda value: f"<script type='application/ld+json'>{_json(value)}</script>"),
    lambda below: st.tuples(TAGS, st.lists(below, max_size=5)).map(
        lambda each: f"<{each[0]}>{''.join(each[1])}</{each[0].split()[0]}>"
    ),
    max_leaves=40,
)


def _json(value: object) -> str:
    return json.dumps(value)


@example("<table><div><td></td><td>Price:</td></div></table>", "all")
@given(MARKUP, st.sampled_from(["all", "structured", "visible"]))
def test_each_value_of_hostile_pages_follows_from_its_quote(markup: str, family: str) -> None:
    try:
        page = extract(f"<html><body>x{markup}", URL, EVERYTHING, family=family)  # type: ignore[arg-type]
    except PageUnreadable:
        return
    check(page, URL)
    assert PageRecords.from_json(page.as_json()) == page


@given(MARKUP)
def test_the_places_of_elements_hold_what_they_show(markup: str) -> None:
    page = one(parse(f"<html><body>x{markup}"))
    assert page.text.encode()  # no half of a surrogate pair
    for element, (start, end) in page.places.items():
        assert 0 <= start < end <= page.visible_end
        assert not page.text[start].isspace()
        above = page.places.get(element.getparent())
        assert above is None or above[0] <= start <= end <= above[1]


def rows(count: int) -> str:
    return "".join(f"<tr><td>Price {n}</td><td>${n}.00</td></tr>" for n in range(count))


@pytest.mark.parametrize(
    "markup",
    [
        f"<table>{rows(2_000)}</table>",
        "<div class=price>" * 250 + "x",
        "<p>Price: " * 2_000,
        "<b>Author:</b> " * 6_000,
        "<h2>Ingredients</h2>" * 5_000 + "<li>x",
        "<ul class=ingredients><li>" * 120 + "x",
        f"<p>{'Price: ' * 50_000}",
        f"<p>{'a' * 1_000_000}",
        f"<p>{'1.' * 60_000}",
        f"<p>{'by ' * 60_000}",
        "<i itemscope itemprop=author>" * 240 + "x",
        "<div itemscope><i itemprop=price>3</i></div>" * 5_000,
        "<a href=/p rel=author>Ann</a>" * 6_000,
        "<script type='application/ld+json'>["
        + '{"@type": "Offer", "price": 1},' * 5_000
        + "0]</script>",
        "<script type='application/ld+json'>" + '{"offers":' * 400 + "1" + "}" * 400 + "</script>x",
        f"<p>{chr(0x301) * 100_000}",
        f"<title>{'a - ' * 100_000}</title><h1>{'a - ' * 60}</h1>",
        f"<p class='{'price ' * 100_000}'>x",
        f"<meta name=price content='{'9' * 2_000_000}'>x",
    ],
    ids=lambda markup: f"{markup[:24]}…{len(markup)}",
)
def test_a_page_made_to_cost_ends_with_values_that_follow_from_their_quotes(markup: str) -> None:
    try:
        page = extract(f"<html><body>{markup}", URL, EVERYTHING)
    except PageUnreadable:
        return
    check(page, URL)
