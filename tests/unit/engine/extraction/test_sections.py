"""Entries of manuals are records; what heads, mentions or lists them is none."""

from typing import Any

from app.engine.extraction.records.extract import extract
from app.engine.extraction.records.likelihood import of_one
from app.engine.extraction.records.readings import FieldReading
from app.engine.extraction.schema.schema import plan

TEXT = {"type": "string"}
WANTED = plan({"type": "object", "properties": {"function": TEXT, "description": TEXT}})
NAMES = ("moor_ship", "load_cargo", "raise_anchor")
SAID = {
    "moor_ship": "Ties a ship to the nearest free place of the quay.",
    "load_cargo": "Brings everything aboard that stands on the quay.",
    "raise_anchor": "Pulls the anchor up and stows it under the deck.",
}


def records(body: str, title: str = "Harbour") -> list[dict[str, Any]]:
    page = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    return [each.data for each in extract(page, "https://manual.test/harbour", WANTED).records]


def entries(write: str) -> str:
    return "".join(write.format(name=name, text=SAID[name]) for name in NAMES)


EXPECTED = [{"function": name, "description": SAID[name]} for name in NAMES]


def test_a_row_ends_at_a_heading_of_its_rank_so_that_this_says_what_follows() -> None:
    types = "".join(
        f'<h2 class="entry">{name}</h2><div><p>A kind of vessel, as {name} is one.</p></div>'
        for name in ("ship_t", "boat_t", "raft_t")
    )
    functions = entries('<h2 class="entry">{name}</h2><div><p>{text}</p></div>')
    body = f'<h2 class="group">Types</h2>{types}<h2 class="group">Functions</h2>{functions}'
    assert records(body) == EXPECTED


def test_a_list_of_what_is_returned_is_no_part_of_what_is_said() -> None:
    returned = "<dl class=section><dt>Returns</dt><dd>true if all went well</dd></dl>"
    heading = entries(f'<h2 class="entry">{{name}}</h2><div><p>{{text}}</p>{returned}</div>')
    listed = entries(f"<dt>{{name}}</dt><dd><p>{{text}}</p>{returned}</dd>")
    assert records(heading, "Functions") == EXPECTED
    assert records(f"<h2>Functions</h2><dl>{listed}</dl>", "Functions") == EXPECTED


def test_a_mention_in_a_sentence_is_not_what_an_entry_is_called() -> None:
    mention = 'See <code class="function">sink()</code> too.'
    body = "<h2>Functions</h2>" + entries(
        f"<div class='entry'><h3>{{name}}</h3><p>{{text}} {mention}</p></div>"
    )
    assert [each["function"] for each in records(body, "Functions")] == list(NAMES)


def test_entries_are_records_rather_than_the_table_of_their_names_above() -> None:
    table = entries(
        "<tr><td class='function_type'>int</td><td class='function_name'>{name}</td></tr>"
    )
    listed = entries(
        "<div class='entry'><h3>{name}</h3><pre>int {name}();</pre><p>{text}</p></div>"
    )
    body = f"<h2>Functions</h2><table>{table}</table><div><h2>Functions</h2>{listed}</div>"
    assert records(body) == EXPECTED


def test_the_last_word_of_a_menu_names_nothing_below_it() -> None:
    body = (
        "<nav><ul><li>Types</li><li>Function</li></ul></nav><div>Package harbour</div>"
        "<p>Ties a ship to the nearest free place of the quay, and tells the others.</p>"
    )
    assert all(each.get("function") != "Package harbour" for each in records(body))


def test_a_page_of_one_term_is_called_by_no_text_of_several_lines() -> None:
    quote, path = "moor\nint moor(int rope);", "labels:function detail@li"
    reading = FieldReading(quote, 0.8, "labels", path, quote=quote)
    assert of_one(WANTED, {"/function": (reading,)}) == {}


def test_values_of_rows_that_are_improbable_records_are_unsure() -> None:
    wanted = plan({
        "title": "Function",
        "type": "object",
        "properties": {"name": TEXT, "description": TEXT},
    })  # fmt: skip
    text = "It is explained at length how the quay is found, and who pays for it. " * 9
    entry = (
        f"<h3>{{0}} ()</h3><p>{text}</p><h4>Parameters</h4><table>"
        "<tr><td class=parameter_name>ship<td class=parameter_description>the ship of {0}"
        "<tr><td class=parameter_name>quay<td class=parameter_description>the quay of {0}</table>"
    )
    page = f"<body><h1>Harbour</h1>{''.join(map(entry.format, NAMES))}</body>"
    found = extract(page, "https://manual.test/harbour", wanted).records
    assert [each.unsure for each in found] == [[f"/{name}" for name in each.data] for each in found]
