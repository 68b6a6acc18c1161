"""Rows of a term and what is said of it are records if the page says that they are what is asked
for; a page on which nothing fits has none.
"""

from collections.abc import Iterable

import pytest

from app.engine.extraction.records.extract import extract
from app.engine.extraction.schema.schema import Plan, plan

URL = "https://manual.test/terms"
TERMS = {
    "Anchor": "What holds a ship where it is.",
    "Buoy": "A float that marks a place in the water, for those who have to find it again.",
    "Cleat": "A fitting to which a rope is made fast.",
    "Draught": "The depth of water that a ship needs.",
    "Fender": "What is hung between a ship and a quay.",
}
DEFINITIONS = "".join(f"<dt>{term}</dt><dd><p>{text}</p></dd>" for term, text in TERMS.items())
NAMES = (
    ("term", "definition"),
    ("acronym", "meaning"),
    ("name", "description"),
    ("option", "explanation"),
)


def fields(*names: str) -> Plan:
    return plan({"type": "object", "properties": {name: {"type": "string"} for name in names}})


def pairs(body: str, wanted: Plan, title: str = "Words of sailors") -> list[tuple[str, ...]]:
    markup = f"<html lang=en><head><title>{title}</title></head><body>{body}</body></html>"
    return [tuple(each.data.values()) for each in extract(markup, URL, wanted).records]


def page(rows: str) -> str:
    return f"<h1>Words of sailors</h1>{rows}"


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize(
    "rows",
    [
        f"<dl>{DEFINITIONS}</dl>",
        "<table>" + "".join(f"<tr><td>{k}</td><td>{v}</td></tr>" for k, v in TERMS.items())
        + "</table>",
        "".join(f"<p><b>{k}</b>: {v}</p>" for k, v in TERMS.items()),
        "<ul>" + "".join(f"<li><code>{k}</code> - {v}</li>" for k, v in TERMS.items()) + "</ul>",
    ],
    ids=["definitions", "plain table", "paragraphs", "items"],
)  # fmt: skip
def test_terms_are_read_by_any_name_of_a_term(names: tuple[str, str], rows: str) -> None:
    assert pairs(page(rows), fields(*names)) == list(TERMS.items())


def test_lists_below_each_letter_are_one() -> None:
    body = "".join(
        f"<h2>{term[0]}</h2><dl><dt>{term}</dt><dd>{text}</dd></dl>" for term, text in TERMS.items()
    )
    assert pairs(page(body), fields("term", "definition")) == list(TERMS.items())


def test_a_definition_is_whole_however_long_it_is() -> None:
    long = "It is made of rope. " * 30
    body = f"<dl><dt>Hawser</dt><dd><p>{long}</p><p>See also anchor.</p></dd>{DEFINITIONS}</dl>"
    first = pairs(page(body), fields("term", "definition"))[0]
    assert first[1] == f"{long}See also anchor."


def test_terms_that_share_a_definition_are_one_record() -> None:
    body = f"<dl><dt>-h</dt><dt>--help</dt><dd>Shows this text.</dd>{DEFINITIONS}</dl>"
    assert pairs(page(body), fields("term", "explanation"))[0] == ("-h", "Shows this text.")


OTHERS = "<p>" + "A page has other things to say as well. " * 40 + "</p>"


def test_a_list_on_a_page_about_something_else_is_not_its_records() -> None:
    assert pairs(page(f"{OTHERS}<dl>{DEFINITIONS}</dl>"), fields("term", "definition")) == []


def test_a_heading_says_what_a_list_is() -> None:
    body = page(f"{OTHERS}<h2>Options</h2><dl>{DEFINITIONS}</dl>")
    assert pairs(body, fields("option", "explanation")) == list(TERMS.items())
    assert pairs(body, fields("command", "explanation")) == []


@pytest.mark.parametrize(
    "body",
    [
        f"<h1>Options of moor</h1><dl>{DEFINITIONS}</dl>",
        f"<h1>moor</h1><dl class=option>{DEFINITIONS}</dl>",
        f"<h1>moor</h1><h2>The options</h2><h3>A</h3><dl>{DEFINITIONS}</dl>",
    ],
    ids=["title", "class", "heading above a letter"],
)
def test_a_page_that_is_made_of_terms_has_to_say_what_they_are(body: str) -> None:
    assert pairs(body, fields("option", "explanation"), "moor") == list(TERMS.items())
    assert pairs(body, fields("museum", "explanation"), "moor") == []


def test_the_options_of_what_a_page_is_about_are_no_records_beside_it() -> None:
    line = "<p>moor - Make a ship fast to a quay</p><p>It is a command.</p>"
    body = f"<h1>moor</h1>{line}{OTHERS}<h2>Commands</h2><dl>{DEFINITIONS}</dl>"
    read = pairs(body, fields("command", "purpose"), "moor")
    assert read == [("moor", "Make a ship fast to a quay")]


def test_the_class_of_a_list_says_what_its_entries_are() -> None:
    def lists(kind: str, names: str) -> str:
        entry = '<dl class="py {}"><dt>{}</dt><dd><p>What it is for, and when.</p></dd></dl>'
        return "".join(entry.format(kind, name) for name in names.split())

    body = page(lists("class", "Boat Port Sail Rope") + lists("method", "moor sail turn"))
    read = pairs(body, fields("method", "description"))
    assert [values[0] for values in read] == ["moor", "sail", "turn"]


def test_the_properties_of_one_thing_are_no_records() -> None:
    rows = "<tr><td>Brand</td><td>Alder</td></tr><tr><td>Model</td><td>Oak 7</td></tr>"
    rows += "<tr><td>Height</td><td>30 cm</td></tr>"
    assert pairs(f"<h1>Oak 7</h1><table>{rows}</table>", fields("model", "brand"), "Oak 7") == [
        ("Oak 7", "Alder")
    ]


def test_a_line_at_the_top_says_what_the_page_is_called_and_what_that_is() -> None:
    body = f"<h1>knot(1)</h1><p>knot - ties two ropes together</p><p>This command ties.</p>{OTHERS}"
    expected = [("knot", "ties two ropes together")]
    assert pairs(body, fields("command", "purpose"), "knot(1)") == expected


@pytest.mark.parametrize(
    "names", [("term", "definition"), ("function", "description"), ("name", "price", "brand")]
)
def test_a_page_on_which_nothing_fits_has_no_records(names: tuple[str, ...]) -> None:
    assert pairs(f"<h1>Words of sailors</h1>{OTHERS}", fields(*names)) == []


def test_the_name_of_a_field_that_ends_every_heading_is_no_part_of_the_value() -> None:
    body = "".join(
        f"<div class=part><h2>{name} Directive</h2><table><tr><th>Description:</th><td>{text}</td>"
        "</tr><tr><th>Syntax:</th><td>on|off</td></tr></table></div>"
        for name, text in TERMS.items()
    )
    found = pairs(page(body), fields("directive", "description", "syntax"))
    assert [each[0] for each in found] == list(TERMS)


def test_the_type_or_the_value_behind_a_declared_name_is_no_part_of_it() -> None:
    entries = "".join(
        f"<dl class='py attribute'><dt>Ship.{name} = 0</dt><dd><p>{text}</p></dd></dl>"
        for name, text in TERMS.items()
    )
    found = pairs(page(entries), fields("attribute", "description"))
    assert found == [(f"Ship.{name}", text) for name, text in TERMS.items()]


def test_a_list_within_an_entry_makes_rows_no_more_of_the_page() -> None:
    entries = [f"<dt>{k}</dt><dd>{v}" for k, v in TERMS.items()]
    inner = "".join(f"<dl class=list>{each}</dd></dl>" for each in entries[1:])
    line = "<p>Moor — make a ship fast</p><p>It is a command.</p>"
    body = f"<h1>Moor</h1>{line}<dl class=list>{entries[0]}{inner}</dd></dl>"
    found = pairs(body, fields("command", "description"), title="Moor")
    assert found == [("Moor", "make a ship fast")]


def entries(kind: str, terms: Iterable[str], text: str = "What it is for, and when.") -> str:
    entry = '<dl class="py {}"><dt>{}</dt><dd><p>{} {}</p></dd></dl>'
    return "".join(entry.format(kind, term, text, at) for at, term in enumerate(terms))


def test_what_an_entry_consists_of_are_no_more_entries() -> None:
    inner = "".join(f"<dt>{k}</dt><dd>{v}</dd>" for k, v in TERMS.items())
    lists = f"Makes fast.<dl class=fields>{inner}</dl>"
    body = page(OTHERS + entries("function", ("moor", "sail", "turn"), lists))
    read = pairs(body, fields("function", "description"))
    assert [values[0] for values in read] == ["moor", "sail", "turn"]


def test_of_a_declaration_the_name_is_read_that_a_class_marks() -> None:
    declared = (
        "template&lt;class <b class=sig-name>T</b>&gt; auto "
        "<b class=sig-prename>ship::</b><b class=sig-name>{}</b>(int <i>depth</i>, {})"
    )
    terms = [declared.format(name, "Rope &amp;rope, " * 20) for name in ("moor", "sail", "turn")]
    read = pairs(page(entries("function", terms)), fields("function", "description"))
    assert [values[0] for values in read] == ["ship::moor", "ship::sail", "ship::turn"]


def test_of_several_names_of_one_option_the_first_is_read() -> None:
    both = "<b class=descname>--{0}</b> &lt;x&gt;, <b class=descname>-{0}</b>"
    terms = [both.format(name) for name in ("moor", "sail", "turn")]
    read = pairs(page(entries("cmdoption", terms)), fields("cmdoption", "description"))
    assert [values[0] for values in read] == ["--moor", "--sail", "--turn"]


def test_entries_that_a_class_marks_are_records_below_a_line_about_the_page() -> None:
    line = "<h1>moor — Make a ship fast</h1>"
    body = f"{line}{OTHERS}{entries('method', ('moor', 'sail', 'turn'))}"
    read = pairs(body, fields("method", "description"), "moor — Make a ship fast")
    assert [values[0] for values in read] == ["moor", "sail", "turn"]


def test_what_a_class_marks_comes_before_what_a_heading_names() -> None:
    cells = [f"<td>{k} {n}</td><td>{v}</td>" for k, v in TERMS.items() for n in "ab"]
    table = f"Where it is: <table><tr>{'</tr><tr>'.join(cells)}</tr></table>"
    body = f"<h1>Attribute</h1>{entries('attribute', ('moor', 'sail', 'turn'), table)}"
    read = pairs(body, fields("attribute", "description"), "Attribute")
    assert [values[0] for values in read] == ["moor", "sail", "turn"]


def test_rows_that_a_class_names_leave_a_page_that_answers_more() -> None:
    cars = "".join(f"<li><p>Oak {n}</p><p class=price>${n}00</p></li>" for n in (7, 8, 9))
    price = "<p>Price: $500</p><p>Engine: 2 cylinders of 1 litre</p><p>Colour: red</p>"
    body = f"<h1>Oak 5</h1>{price}{OTHERS}<h2>Cars</h2><ul class=car-list>{cars}</ul>"
    text = {"type": "string"}
    wanted = dict.fromkeys(("model", "price", "engine", "colour"), text)
    found = pairs(body, plan({"title": "Car", "type": "object", "properties": wanted}), "Oak 5")
    assert [values[1] for values in found] == ["$500"]


@pytest.mark.parametrize("heading", ["Questions of sailors", "FAQ", "Where we are"])
def test_disclosures_below_a_heading_of_questions_are_questions_with_answers(heading: str) -> None:
    asked = {f"How deep is the {term}?": f"{text} Ask on board." for term, text in TERMS.items()}
    shown = "".join(
        f"<details><summary>{question}</summary><p>{text}</p></details>"
        for question, text in asked.items()
    )
    found = pairs(page(f"<p>We sail.</p><h2>{heading}</h2>{shown}"), fields("question", "answer"))
    assert found == ([] if heading == "Where we are" else [*asked.items()])
