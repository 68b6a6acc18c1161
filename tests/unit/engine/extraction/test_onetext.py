"""The one text of a page: what is seen, then what is stated; every place known as it is written."""

import pytest

from app.engine.extraction.text.onetext import OneText, one
from app.engine.extraction.text.stated import JoinedValues, Leaf
from app.engine.pages.formats.html import parse


def text_of(body: str) -> str:
    page = one(parse(f"<html><body>{body}</body></html>"))
    return page.text[: page.visible_end]


def slice_of(page: OneText, leaf: Leaf) -> str:
    return page.text[leaf.start : leaf.end]


def stated(script: str) -> OneText:
    return one(parse(f'<p>x</p><script type="application/ld+json">{script}</script>'))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>a <b>b</b>  c</p>", "a b c"),
        ("<p>a</p><p>b</p>", "a\nb"),
        ("<ul><li>a<li>b</ul>", "a\nb"),
        ("a<br>b<br><br>c", "a\nb\nc"),
        ("<p> a </p> <p>\n b</p>", "a\nb"),
        ("<td>x</td>", "x"),
        ("<b>a</b><i>b</i>", "ab"),
        ("<b>Höhe</b><i>2.148 m</i>", "Höhe 2.148 m"),
        ("<span>Type</span><span>voûte</span>", "Type voûte"),
        ("<span><a>Ada</a></span><span>NOR</span>", "Ada NOR"),
        ("<span>Price (each)</span><span>£3</span><span>+2 %</span>", "Price (each) £3 +2 %"),
        ("<span>O</span><span>nce upon</span>", "Once upon"),
        ("<p><code><i>let</i><b>ter</b></code></p>", "letter"),
        ("<b>1</b><i>2</i>", "1 2"),
        ("<b>CO</b><sub>2</sub>, H<sub>2</sub>O", "CO2, H2O"),
        ("a<script>no()</script>b<style>p{}</style>", "ab"),
        ("<p>a&nbsp;\u3000b</p>", "a b"),
        ("<p>Donau&shy;dampf\u200b</p>", "Donaudampf"),
        ("<pre><i class=lineno>1</i>a = 1</pre>", "a = 1"),
        ("<p>E\u0301cole</p>", "École"),
        ("<p><b>£350,000</b><b>3 beds</b><b>4</b>th</p>", "£350,000 3 beds 4th"),
    ],
)
def test_white_space_is_folded_across_nodes_and_blocks_stand_on_lines(body: str, text: str) -> None:
    assert text_of(body) == text


@pytest.mark.parametrize(
    "written",
    ["אבגד", "مُحَمَّد ١٢٣", "東京タワー", "กรุงเทพฯ", "👩\u200d👩\u200d👧 ok", "École", "𝔘 “x”"],
)
def test_an_element_is_where_the_text_says_in_every_script(written: str) -> None:
    root = parse(f"<p>before</p><table><tr><td>{written}</td></tr></table>")
    page = one(root)
    assert page.of(next(root.iter("td"))) == written


def test_a_mark_in_another_element_than_its_letter_does_not_move_places() -> None:
    root = parse("<p>e<b>\u0301</b>a</p><i>z</i>")
    page = one(root)
    assert page.of(next(root.iter("i"))) == "z"


def test_elements_come_in_the_order_of_the_document() -> None:
    page = one(parse("<div><p>a<b>b</b></p><p>c</p></div>"))
    assert [element.tag for element in page.places] == ["body", "div", "p", "b", "p"]


def test_the_smallest_element_that_holds_a_slice_is_found() -> None:
    page = one(parse("<div><p>one <b>two</b> three</p><p>four</p></div>"))
    assert page.holder(4, 7).tag == "b"
    assert page.holder(4, 13).tag == "p"
    assert page.holder(4, 18).tag == "div"


def test_a_stated_value_has_a_line_that_begins_with_where_it_was_stated() -> None:
    page = stated('{"@type": "Offer", "offers": {"price": "9"}}')
    assert page.text[page.visible_end :].splitlines()[-1] == "/script[0]#/offers/price 9"


def test_keys_are_escaped_in_pointers() -> None:
    page = stated('{"a/b~c": "v"}')
    assert page.blocks[0].content["a/b~c"].pointer == "/script[0]#/a~1b~0c"


@pytest.mark.parametrize(
    ("script", "value"),
    [
        pytest.param('{"it": 4.50}', "4.50", id="the digits of the page"),
        pytest.param('<!-- {"it": 4,} -->', "4", id="comments and trailing commas"),
        pytest.param(
            '{"it": "<p>Salt &amp; pepper</p><p>Stir</p>"}',
            "Salt & pepper\nStir",
            id="markup and entities",
        ),
    ],
)
def test_a_stated_value_is_read_from(script: str, value: str) -> None:
    page = stated(script)
    assert slice_of(page, page.blocks[0].content["it"]) == value


def test_short_values_of_a_list_stand_on_one_line_each_with_its_place() -> None:
    page = stated('{"tags": ["a", "b c", ""]}')
    tags = page.blocks[0].content["tags"]
    assert isinstance(tags, JoinedValues)
    assert slice_of(page, tags.whole) == "a, b c"
    assert [slice_of(page, item) for item in tags.items] == ["a", "b c"]
    assert tags.items[1].pointer == "/script[0]#/tags/1"


def test_entities_that_were_escaped_twice_do_not_move_the_items_of_a_list() -> None:
    page = stated('{"tags": ["x &amp;amp; y", "z"]}')
    tags = page.blocks[0].content["tags"]
    assert [slice_of(page, item) for item in tags.items] == ["x &amp; y", "z"]


def test_attributes_that_state_a_value_have_lines() -> None:
    root = parse('<time datetime="2020-01-02">then</time><a href="/x">y</a><img src="i.png">')
    page = one(root)
    leaves = {name: slice_of(page, leaf) for (_, name), leaf in page.attributes.items()}
    assert leaves == {"datetime": "2020-01-02", "href": "/x", "src": "i.png"}


def test_addresses_in_menus_have_none() -> None:
    assert not one(parse('<nav><a href="/x">y</a></nav>')).attributes


def test_named_values_of_the_head_have_lines() -> None:
    page = one(parse('<head><meta property="og:title" content="T"><title>D</title></head>x'))
    assert [(name, slice_of(page, leaf)) for name, leaf in page.meta] == [
        ("og:title", "T"),
        ("title", "D"),
    ]


def test_what_is_stated_has_a_bound() -> None:
    block = "{" + ",".join(f'"k{number}": "{"v" * 9_000}"' for number in range(90)) + "}"
    script = f'<script type="application/ld+json">{block}</script>'
    page = one(parse(f"<p>x</p>{script}{script}"))
    assert page.truncated
    assert len(page.text) < 1_100_000


@pytest.mark.parametrize(("kind", "truncated"), [("ld+json", True), ("json", False)])
def test_the_state_of_an_app_may_hold_more_than_is_read(kind: str, truncated: bool) -> None:
    values = ",".join(f'{{"{number}": "v"}}' for number in range(5_001))
    page = one(parse(f'<p>x</p><script type="application/{kind}">[{values}]</script>'))
    assert page.truncated == truncated


def test_json_too_deep_to_be_read_is_left_out() -> None:
    page = stated("[" * 900 + "1" + "]" * 900)
    assert not page.blocks


def test_what_the_parser_takes_for_a_part_of_the_head_is_visible() -> None:
    page = one(parse("<title>Lamps</title><main><h1>Alder</h1></main><p>9.50 EUR"))
    assert page.text[: page.visible_end] == "Alder\n9.50 EUR"
