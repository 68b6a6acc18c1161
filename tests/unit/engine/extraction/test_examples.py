"""One page with its record teaches where the pages of its site show the values."""

from typing import Any

from app.engine.extraction.records.extract import extract
from app.engine.extraction.site.examples import learn_example
from app.engine.extraction.site.template import Template
from tests.plans import MINUTES, TEXT, TEXTS, plan_of

URL = "https://example.com/lamp"
PLAN = plan_of(maker=TEXT, tags=TEXTS, origin=TEXT)
PAGE = """<html><body><div class=top><i>Our shop</i></div><div class=x1>{maker}</div>
<ul class=x2>{tags}</ul><p class=x3>Made in {origin} | Map</p></body></html>"""
LAMP = {"maker": "Acme Works", "tags": ["red", "tall"], "origin": "Lisbon"}
TENT = {"maker": "Borg Tents", "tags": ["green", "light", "new"], "origin": "Ghent"}


def page(record: dict[str, Any]) -> str:
    tags = "".join(f"<li class=t>{tag}</li>" for tag in record["tags"])
    return PAGE.format(maker=record["maker"], tags=tags, origin=record["origin"])


def taught(record: dict[str, Any] = LAMP) -> dict[str, Any]:
    """What is read from the page of the tent after the page of the lamp with `record`."""
    template = learn_example(page(LAMP), URL, PLAN, record)
    records = extract(page(TENT), URL, PLAN, template).records
    return records[0].data if records else {}


def test_without_an_example_these_pages_say_nothing() -> None:
    assert extract(page(TENT), URL, PLAN).records == ()


def test_values_and_items_are_read_where_the_example_shows_them_without_words_around_them() -> None:
    assert taught() == TENT


def test_a_value_that_the_page_does_not_show_teaches_nothing() -> None:
    assert "maker" not in taught(LAMP | {"maker": "Nobody"})


def test_what_an_example_taught_survives_its_json_form() -> None:
    template = learn_example(page(LAMP), URL, PLAN, LAMP)
    assert Template.from_json(template.as_json()) == template


def test_the_place_of_an_example_wins_over_a_heading_that_the_title_agrees_with() -> None:
    named = plan_of(name=TEXT)
    form = (
        "<html><head><title>Shop</title></head><body><h1>Shop</h1>"
        "<div class=x1>{}</div></body></html>"
    )
    template = learn_example(form.format("Acme lamp"), URL, named, {"name": "Acme lamp"})
    (record,) = extract(form.format("Borg tent"), URL, named, template).records
    assert record.data["name"] == "Borg tent"


FACTS = """<html><body><div class=facts><p>Time</p><b>{time}</b>{more}<p>Meal</p><b>{meal}</b></div>
<div class=layout-{layout}><section><ul class=parts><li>{part}</li></ul></section></div>"""
FACTS_PLAN = plan_of(origin=TEXT, span=MINUTES, pieces=TEXTS)


def facts(time: str, meal: str, part: str, layout: str = "a", more: str = "") -> str:
    return FACTS.format(time=time, meal=meal, part=part, layout=layout, more=more)


def taught_facts(markup: str) -> dict[str, Any]:
    example = facts("1 h 20 min", "Lunch", "oats")
    data = {"origin": "Lunch", "span": 80, "pieces": ["oats"]}
    template = learn_example(example, URL, FACTS_PLAN, data)
    records = extract(markup, URL, FACTS_PLAN, template).records
    return records[0].data if records else {}


def test_one_of_several_places_alike_is_known_by_the_text_before_it() -> None:
    more = "<p>Method</p><b>Oven</b>"
    assert taught_facts(facts("1 h", "Dinner", "rice", more=more))["origin"] == "Dinner"


def test_what_another_field_is_called_is_no_value_where_an_example_has_one() -> None:
    assert "origin" not in taught_facts(facts("1 h", "Pieces", "rice"))


def test_a_number_is_found_where_the_example_writes_it_in_other_words() -> None:
    assert taught_facts(facts("2 h 5 min", "Dinner", "rice"))["span"] == 125


def test_a_place_is_found_again_where_what_is_far_around_it_differs() -> None:
    assert taught_facts(facts("1 h", "Dinner", "rice", layout="b"))["pieces"] == ["rice"]


def test_the_only_item_of_a_list_is_not_cut_at_its_commas() -> None:
    page = facts("1 h", "Dinner", "1,5 kilo rice, cooked")
    assert taught_facts(page)["pieces"] == ["1,5 kilo rice, cooked"]


FUNCTIONS = plan_of(name=TEXT, signature=TEXT, summary=TEXT)
FUNCTION = """<dl class="py function">
<dt class=sig><span class=module>m.</span><b class=descname>{0}</b>(<em>{1}</em>)
<a class=headerlink href="#{0}">¶</a></dt><dd><p>{2}</p><p>More of it.</p></dd></dl>"""
TREES = [
    ("parse", "text", "Parse the text into a tree."),
    ("walk", "node", "Yield all nodes below this one."),
    ("dump", "tree, indent", "Return the tree as a string."),
]
FILES = [
    ("load", "path", "Read a file from the disk."),
    ("save", "path", "Write a file to the disk."),
    ("close", "", "Close what is open."),
    ("remove", "path", "Remove a file from the disk."),
]
PARSE = {"name": "parse", "summary": "Parse the text into a tree."}


def reference(functions: list[tuple[str, str, str]]) -> str:
    listed = "".join(FUNCTION.format(*each) for each in functions)
    return f"""<html><head><title>m: things</title></head><body><section><h1>m: things</h1>
        <p>This module does things with a few words about what they are.</p>{listed}</section>"""


def taught_rows(data: Any, functions: list[tuple[str, str, str]]) -> list[dict[str, Any]]:
    template = learn_example(reference(TREES), URL, FUNCTIONS, data)
    template = Template.from_json(template.as_json())
    return [each.data for each in extract(reference(functions), URL, FUNCTIONS, template).records]


def test_one_record_of_a_page_teaches_the_rows_of_all_others() -> None:
    assert [each["summary"] for each in taught_rows(PARSE, TREES)] == [each[2] for each in TREES]


def test_rows_are_found_on_other_pages_of_the_site() -> None:
    assert [each["name"] for each in taught_rows(PARSE, FILES)] == [each[0] for each in FILES]


def test_a_single_row_on_another_page_is_a_record() -> None:
    assert [each["name"] for each in taught_rows(PARSE, FILES[:1])] == ["load"]


def test_several_records_of_a_page_teach_its_rows() -> None:
    walk = {"name": "walk", "summary": "Yield all nodes below this one."}
    assert len(taught_rows([PARSE, walk], FILES)) == len(FILES)


def test_a_mark_behind_the_values_of_rows_is_no_part_of_them() -> None:
    read = taught_rows(PARSE | {"signature": "m.parse(text)"}, FILES[:2])
    assert [each["signature"] for each in read] == ["m.load(path)", "m.save(path)"]


def test_a_record_whose_values_stand_in_no_row_teaches_no_rows() -> None:
    assert learn_example(page(LAMP), URL, PLAN, LAMP).rows == {}


def test_rows_that_show_little_of_a_record_are_no_records() -> None:
    rows = "".join(f"<li><b>Acme {n}</b><i>Lisbon {n}</i></li>" for n in range(4))
    data = {f"f{n}": f"value {n}" for n in range(4)} | {"maker": "Acme 1", "origin": "Lisbon 1"}
    wanted = plan_of(**dict.fromkeys(data, TEXT))
    assert learn_example(f"<html><body><ul>{rows}</ul>", URL, wanted, data).rows == {}


def test_marks_in_the_classes_of_a_page_do_not_part_its_paths() -> None:
    def marked(record: dict[str, Any]) -> str:
        return page(record).replace("class=", "class='@container max-[<9px]' id=")

    template = learn_example(marked(LAMP), URL, PLAN, LAMP)
    assert extract(marked(TENT), URL, PLAN, template).records[0].data["maker"] == "Borg Tents"
