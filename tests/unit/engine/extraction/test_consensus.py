"""What pages of one host say about each other: template text, and the place that works."""

from dataclasses import replace

import pytest

from app.engine.extraction.records.readings import Entity, FieldReading, Readings
from app.engine.extraction.records.records import assemble
from app.engine.extraction.schema.schema import plan
from app.engine.extraction.site.consensus import learn
from app.engine.extraction.site.template import Habit, Template
from app.engine.extraction.text.forms import Malformed

TEXT = {"type": "string"}
PLAN = plan({"type": "object", "properties": {"name": TEXT}})
TYPED = plan(
    {"type": "object", "properties": {"name": {"enum": ["new", "used"], "type": "string"}}}
)


def reading(value: str, confidence: float, path: str = "a", method: str = "text") -> FieldReading:
    return FieldReading(value, confidence, method, path, quote=value, start=9, end=9 + len(value))


def page(*readings: FieldReading) -> Readings:
    return Readings((Entity(1.0, 0, {"/name": readings}),))


def best(template: Template | None, *readings: FieldReading) -> FieldReading:
    assert template is not None
    return template.weighed("/name", readings)[0]


NAMES = ["Blue Lamp", "Red Tent", "Old Chair", "Small Drill", "Wide Mirror"]


def test_three_pages_say_nothing() -> None:
    assert learn(PLAN, [page(reading(name, 0.6)) for name in NAMES[:3]]) is None


def test_text_of_the_template_is_no_value() -> None:
    pages = [page(reading("Sign in", 0.7, "a"), reading(name, 0.5, "b")) for name in NAMES]
    readings = pages[0].entities[0].fields["/name"]
    assert best(learn(PLAN, pages), *readings).value == "Blue Lamp"


def test_a_value_that_is_the_same_on_all_pages_is_kept_where_there_is_no_other() -> None:
    pages = [page(reading("Acme", 0.6)) for _ in range(5)]
    assert best(learn(PLAN, pages), reading("Acme", 0.6)).confidence >= 0.6


def test_a_line_that_all_pages_share_describes_none_of_them() -> None:
    wanted = plan({"type": "object", "properties": {"name": TEXT, "description": TEXT}})
    line = reading("A library for people who write programs.", 0.8, "text:.about@p<aside")
    pages = [
        Readings(
            (
                Entity(
                    1.0,
                    0,
                    {"/name": (reading(name, 0.4, "text:title@h1"),), "/description": (line,)},
                ),
            )
        )
        for name in NAMES
    ]
    template = learn(wanted, pages)
    assert template is not None
    assert template.weighed("/description", [line])[0].confidence < 0.25
    assert assemble(wanted, pages[0]) != ()
    assert assemble(wanted, pages[0], template) == ()


def test_a_page_of_another_making_is_as_sure_as_it_is_alone() -> None:
    pages = [page(reading(name, 0.6, "text:name@p<main")) for name in NAMES]
    alone = reading("Tall Clock", 0.6, "text:name@b<div<table")
    assert best(learn(PLAN, pages), alone).confidence == 0.6


def test_pages_of_two_makings_on_one_host_do_not_dilute_each_other() -> None:
    some = [page(reading(name, 0.6, "text:name@p<main")) for name in NAMES]
    others = [page(reading(f"{name} 2", 0.5, "text:title@b<div<table")) for name in NAMES * 4]
    wanted = reading("Tall Clock", 0.6, "text:name@p<main")
    alone = best(learn(PLAN, some), wanted).confidence
    assert best(learn(PLAN, [*some, *others]), wanted).confidence == alone


def test_what_a_page_states_about_itself_may_be_the_same_on_all() -> None:
    pages = [page(reading("Acme", 0.9, "a", "json_ld")) for _ in range(5)]
    assert best(learn(PLAN, pages), *pages[0].entities[0].fields["/name"]).confidence >= 0.9


def test_a_label_that_names_the_field_may_have_the_same_value_on_all_pages() -> None:
    pages = [page(reading("Acme", 0.8, "a", "table")) for _ in range(5)]
    assert best(learn(PLAN, pages), *pages[0].entities[0].fields["/name"]).confidence >= 0.8


def test_a_choice_of_few_values_is_not_taken_for_template_text() -> None:
    pages = [page(reading("new", 0.6)) for _ in range(5)]
    assert best(learn(TYPED, pages), reading("new", 0.6)).confidence >= 0.5


def test_the_place_that_works_on_all_pages_goes_before_a_surer_one_on_one_page() -> None:
    pages = [page(reading(name, 0.55, "usual")) for name in NAMES]
    pages[0] = page(reading("Lucky", 0.65, "once"), reading(NAMES[0], 0.55, "usual"))
    readings = pages[0].entities[0].fields["/name"]
    assert best(learn(PLAN, pages), *readings).value == "Blue Lamp"


def test_a_place_with_a_value_of_its_own_on_every_page_is_surer() -> None:
    pages = [page(reading(name, 0.4)) for name in NAMES]
    assert best(learn(PLAN, pages), reading("Blue Lamp", 0.4)).confidence > 0.4


def test_what_the_template_adds_after_a_mark_is_cut_off_value_and_quote() -> None:
    pages = [page(reading(f"{name} | Shop", 0.6)) for name in NAMES]
    cut = best(learn(PLAN, pages), reading("Blue Lamp | Shop", 0.6))
    assert (cut.value, cut.quote, cut.start, cut.end) == ("Blue Lamp", "Blue Lamp", 9, 18)
    assert cut.suffix == " | Shop"


def test_what_the_template_adds_before_a_mark_is_cut_off() -> None:
    pages = [page(reading(f"Buy now: {name}", 0.6)) for name in NAMES]
    cut = best(learn(PLAN, pages), reading("Buy now: Blue Lamp", 0.6))
    assert (cut.value, cut.start) == ("Blue Lamp", 18)


def test_what_all_names_begin_with_is_kept_where_no_mark_parts_it() -> None:
    pages = [page(reading(f"Canon {name}", 0.6)) for name in NAMES]
    assert best(learn(PLAN, pages), reading("Canon Blue Lamp", 0.6)).value == "Canon Blue Lamp"


def test_of_two_places_that_differ_by_the_same_words_the_bare_one_is_right() -> None:
    pages = [page(reading(f"{name} Review", 0.7, "a"), reading(name, 0.6, "b")) for name in NAMES]
    readings = pages[0].entities[0].fields["/name"]
    assert best(learn(PLAN, pages), *readings).value == "Blue Lamp"


def test_a_value_read_otherwise_than_from_its_quote_is_not_cut() -> None:
    pages = [page(reading(f"{name} | Shop", 0.6)) for name in NAMES]
    other = replace(reading("Blue Lamp | Shop", 0.6), value="BL")
    assert best(learn(PLAN, pages), other).value == "BL"


def test_fields_of_which_nothing_is_known_stay_as_they_are() -> None:
    template = learn(PLAN, [page(reading(name, 0.6)) for name in NAMES])
    assert template is not None
    assert template.weighed("/price", (reading("9", 0.3),)) == (reading("9", 0.3),)


def test_a_template_survives_its_json_form() -> None:
    template = learn(PLAN, [page(reading(f"{name} | Shop", 0.6)) for name in NAMES])
    assert template is not None
    assert Template.from_json(template.as_json()) == template


@pytest.mark.parametrize(
    "form",
    [
        None,
        {"habits": []},
        {"habits": {"/a": {"support": {"x": 2}}}},
        {"habits": {"/a": {**Habit().as_json(), "constants": [1]}}},
        {"habits": {"/a": {**Habit().as_json(), "after": {"x": ["a" * 1000]}}}},
    ],
)
def test_what_is_no_template_is_refused(form: object) -> None:
    with pytest.raises(Malformed):
        Template.from_json(form)


def rows(*names: str) -> Readings:
    """A page with several records."""
    entities = (Entity(1.0, n, {"/name": (reading(x, 0.6),)}) for n, x in enumerate(names))
    return Readings(tuple(entities))


def test_pages_about_one_thing_say_nothing_of_the_rows_of_a_list() -> None:
    template = learn(PLAN, [page(reading(name, 0.9, "b")) for name in NAMES])
    data = [record.data for record in assemble(PLAN, rows(*NAMES), template)]
    assert data == [{"name": name} for name in NAMES]


def test_lists_say_nothing_of_what_is_template_text() -> None:
    assert learn(PLAN, [rows("Blue Lamp", "Red Tent")] * 5) is None


def test_one_of_several_records_has_a_value() -> None:
    doubtful = Entity(1.0, 9, {"/name": (reading("Sale", 0.4),)})
    several = Readings((*rows("Blue Lamp", "Red Tent").entities, doubtful))
    assert [record.data for record in assemble(PLAN, several)] == [
        {"name": "Blue Lamp"},
        {"name": "Red Tent"},
    ]


def test_one_of_several_records_with_one_value_says_what_it_is_called() -> None:
    wanted = plan({"type": "object", "properties": dict.fromkeys(("name", "note"), TEXT)})
    note = {"/note": (reading("Sold out", 0.6),)}
    nameless = Entity(1.0, 9, note)
    told = Entity(1.0, 9, note | {"/name": (reading("Oak Chair", 0.6),)})
    several = Readings((*rows("Blue Lamp").entities, nameless, told))
    assert [record.data for record in assemble(wanted, several)] == [
        {"name": "Blue Lamp"},
        {"name": "Oak Chair", "note": "Sold out"},
    ]
