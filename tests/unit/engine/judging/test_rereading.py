"""A kept page that is read again, and what of it is another opinion."""

from typing import Any

from app.engine.extraction.records.extract import extract
from app.engine.extraction.records.readings import Entity, FieldReading
from app.engine.judging import checks, kept_page, second_extraction
from app.engine.judging.second_extraction import Reread
from app.engine.judging.singles import alike
from app.engine.pages.blocks.structured import load
from app.engine.sandbox.extract import markup_of
from tests.costs import times_as_much
from tests.judged import TEXT
from tests.plans import NUMBER, TEXTS, plan_of
from tests.plans import TEXT as WORDS

SETTING = plan_of(
    *("setting", "default", "meaning"), setting=WORDS, default=WORDS, meaning=WORDS, summary=WORDS
)
ARTICLE = plan_of("title", title=WORDS, summary=WORDS)


def kept(text: str, stated: str = "", title: str = "") -> dict[str, Any]:
    url = "https://a.example/"
    return {"url": url, "title": title, "text": f"{text}{stated}", "visible_end": len(text)}


def entity(**values: str) -> Entity:
    readings = {f"/{name}": (FieldReading(x, 0.9, "text", name),) for name, x in values.items()}
    return Entity(1.0, 0, readings)


def reread(data: dict[str, str], methods: dict[str, str], read: Reread) -> checks.CheckOutcome:
    provenance = [
        {"pointer": f"/{name}", "quote": value, "start": 0, "method": methods.get(name)}
        for name, value in data.items()
    ]
    wanted = ARTICLE if "title" in data else SETTING
    return second_extraction.reread(wanted, {"data": data, "provenance": provenance}, "", read)


def test_a_kept_page_states_again_what_it_stated() -> None:
    stated = (
        "/script[0]#/@type Product\n/script[0]#/offers/0/price 20\n"
        "/script[0]#/description Two\nlines\nmeta og:title Lamp"
    )
    page = {"url": "https://a.example/", "text": f"{TEXT}{stated}", "visible_end": len(TEXT)}
    markup = kept_page.document(page).body.decode()
    body = markup.partition('ld+json">')[2].partition("</script>")[0]
    assert load(body) == {
        "@type": "Product",
        "offers": [{"price": "20"}],
        "description": "Two\nlines",
    }
    assert '<meta name="og:title" property="og:title" content="Lamp">' in markup
    assert "<p>Maker: Acme</p>" in markup


def test_no_text_of_a_page_becomes_markup() -> None:
    text = "<script>x</script>\n/script[0]#/a </script><script>y"
    page = {"url": "https://a.example/", "text": text, "visible_end": 19}
    markup = kept_page.document(page).body.decode()
    assert markup.count("<script") == 1
    assert "&lt;script&gt;x" in markup


def test_only_the_other_family_is_another_opinion_of_our_own_record() -> None:
    assert kept_page.families([{"method": "json_ld"}]) == ("visible",)
    assert kept_page.families([{"method": "labels"}]) == ("structured",)
    assert kept_page.families([{"pointer": "/name"}]) == ("structured", "visible")


def test_each_value_of_a_record_is_compared_with_the_family_it_was_not_read_by() -> None:
    record = {"title": "Barn owls", "summary": "They sleep by day."}
    read = Reread({"structured": [entity(title="Barn owls")], "visible": []}, "Barn owls")
    assert reread(record, {"title": "text", "summary": "opengraph"}, read).verdict == "agreed"


def test_the_family_a_value_was_read_by_does_not_bear_it_out() -> None:
    read = Reread({"structured": [entity(title="Barn owls")], "visible": []}, "Barn owls")
    assert reread({"title": "Barn owls"}, {"title": "opengraph"}, read).verdict == "silent"


def test_only_the_name_of_a_record_has_to_be_in_the_title_of_its_page() -> None:
    record = {"setting": "METRICS_PORT", "default": "0", "meaning": "Where figures are served."}
    assert reread(record, {}, Reread({}, "METRICS_PORT")).verdict == "silent"
    assert reread(record, {}, Reread({}, "Terms of use")).contradicted == ("/setting",)


def test_one_of_three_required_values_is_too_little_to_agree() -> None:
    record = {"setting": "METRICS_PORT", "default": "0", "meaning": "Where figures are served."}
    one = Reread({"visible": [entity(setting="METRICS_PORT")]}, "METRICS_PORT")
    assert reread(record, {}, one).verdict == "silent"
    two = Reread({"visible": [entity(setting="METRICS_PORT", default="0")]}, "METRICS_PORT")
    assert reread(record, {}, two).verdict == "agreed"


def test_other_sentences_of_a_page_contradict_no_summary() -> None:
    summary = "Barn owls sleep by day and hunt mice by night over fields and meadows."
    read = Reread({"visible": [entity(title="Barn owls", summary="Read on for more.")]}, None)
    assert reread({"title": "Barn owls", "summary": summary}, {}, read).verdict == "agreed"


def test_a_short_title_that_stands_on_a_line_of_its_own_heads_the_kept_page() -> None:
    page = kept("Home\nBarn owls\nThey sleep by day.", title="Barn owls | Birds")
    assert "<h1>Barn owls</h1>" in kept_page.document(page).body.decode()


def test_the_title_of_a_kept_page_is_read_again_from_what_it_shows() -> None:
    page = kept("Home\nBarn owls\nThey sleep by day.", title="Barn owls")
    markup = markup_of(kept_page.document(page))
    [read] = extract(markup, page["url"], ARTICLE, family="visible").readings.entities
    assert read.fields["/title"][0].value == "Barn owls"


def test_what_a_form_asks_for_is_no_line_of_the_page() -> None:
    markup = kept_page.document(kept("Address\nYour name (optional)")).body.decode()
    assert "Your name" not in markup


def test_a_label_that_another_label_follows_is_a_form() -> None:
    markup = kept_page.document(kept("Address:\nPassword:\nMaker:\nAcme")).body.decode()
    assert "Address" not in markup
    assert "<p>Maker:</p>\n<p>Acme</p>" in markup


def test_a_page_without_its_title_has_no_heading() -> None:
    assert "<h1>" not in kept_page.document(kept(TEXT, title="Terms of use")).body.decode()


def test_what_the_scripts_of_a_kept_page_stated_is_given_as_objects() -> None:
    page = kept("Lamp\n", "/script[0]#/@type Product\n/script[0]#/offers/price 20\nmeta a b")
    objects = kept_page.structured(page["text"], page["visible_end"])
    assert objects == [{"@type": "Product", "offers": {"price": "20"}}]


def test_accents_and_colons_make_no_other_text() -> None:
    title = ARTICLE.fields[0]
    assert alike(title, "Sacks Café", "Sacks Cafe Review")
    assert alike(title, "Pumpkin Pie", "Cookbook:Pumpkin Pie I")


def test_a_part_of_a_word_of_the_title_heads_no_kept_page() -> None:
    page = kept("Home\nnight-owls(1) Manual Page\nThey hunt.\nOWLS\nAll", title="night-owls(1)")
    assert "<h1>night-owls(1) Manual Page</h1>" in kept_page.document(page).body.decode()


def test_the_line_that_is_the_title_heads_the_kept_page_before_one_that_begins_with_it() -> None:
    page = kept("DROP OWL name, mice\nDROP OWL\nMore", title="DROP OWL")
    assert "<h1>DROP OWL</h1>" in kept_page.document(page).body.decode()


def heading(text: str) -> Entity:
    return Entity(1.0, 0, {"/title": (FieldReading(text, 0.9, "text", "text:title@h1<body"),)})


def test_another_heading_does_not_contradict_a_name_that_is_the_title_of_the_page() -> None:
    read = Reread({"visible": [heading("BIRDS")]}, "night-owls(1)")
    assert reread({"title": "night-owls"}, {}, read).verdict == "silent"


def test_another_heading_does_not_contradict_a_name_that_is_the_address_of_the_page() -> None:
    read = Reread(
        {"visible": [heading("BIRDS")]}, "Manual", "https://a.example/birds/barn-owls.html"
    )
    assert reread({"title": "Barn owls"}, {}, read).verdict == "silent"


def test_a_heading_contradicts_a_name_that_is_a_part_of_a_word_of_the_title() -> None:
    read = Reread({"visible": [heading("night-owls(1)")]}, "night-owls(1)", "https://a.example/")
    assert reread({"title": "OWLS"}, {}, read).contradicted == ("/title",)


def test_a_label_contradicts_a_name_that_is_the_title_of_the_page() -> None:
    read = Reread({"visible": [entity(title="Barn owls")]}, "Birds of the night")
    assert reread({"title": "Birds of the night"}, {}, read).contradicted == ("/title",)


def test_the_same_number_in_another_currency_is_another_value() -> None:
    priced = plan_of("price", price=NUMBER)
    readings = (FieldReading(20, 0.9, "table", "price", quote="20 EUR"),)
    record = {
        "data": {"price": 20},
        "provenance": [{"pointer": "/price", "quote": "20 USD", "start": 0}],
    }
    read = Reread({"visible": [Entity(1.0, 0, {"/price": readings})]})
    checked = second_extraction.reread(priced, record, "20 USD", read)
    assert checked.contradicted == ("/price",)


def test_a_price_in_another_currency_is_no_other_way_to_write_it() -> None:
    price = plan_of(price=WORDS).fields[0]
    assert not alike(price, "20 EUR", "20 USD")
    assert not alike(price, "€20", "$20")


def test_long_lists_that_differ_cost_no_more_than_shorter_ones() -> None:
    cost = times_as_much(lambda: differing_lists(800), lambda: differing_lists(200), most=2)
    assert cost < 2


def differing_lists(items: int) -> None:
    tagged = plan_of(tags=TEXTS)
    other = FieldReading([f"{n} hawks of the field" for n in range(items)], 0.9, "labels", "p")
    read = Reread({"visible": [Entity(1.0, 0, {"/tags": (other,)})]})
    record = {"data": {"tags": [f"{n} owls in a wood" for n in range(items)]}, "provenance": []}
    second_extraction.reread(tagged, record, "", read)
