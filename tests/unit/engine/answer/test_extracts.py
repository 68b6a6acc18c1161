"""Extracts: what of a passage is shown, and what is shown with it."""

from dataclasses import replace

from app.engine.answer.evidence import Evidence
from app.engine.answer.extracts.extracts import Extract, Extracts
from app.engine.search.interface import IndexStats
from app.engine.search.overlap import Overlap
from app.engine.search.query import parse

LONG = "The server keeps its data in files that nobody else writes to, one for each table of it."

LONGER = f"{LONG} " * 9


def extracts(question: str) -> Extracts:
    query = parse(question)
    return Extracts(query, Overlap(query, IndexStats(1000, 60.0, {})))


def evidence(text: str, source: int = 0, score: float = 1.0, **facts: object) -> Evidence:
    base = Evidence(source, text, 0, len(text), score, language="en")
    return replace(base, **facts)  # type: ignore[arg-type]


def extract(question: str, text: str, **facts: object) -> Extract:
    found = extracts(question).of(evidence(text, **facts))
    assert found is not None
    return found


def shown(question: str, text: str, **facts: object) -> str:
    x = extract(question, text, **facts)
    return text[x.start : x.end]


def test_a_passage_is_shown_whole() -> None:
    text = f"{LONGER}\n\nThe default port is 5432. {LONG}\n\n{LONGER}"
    middle = {"start": len(LONGER) + 2, "end": len(text) - len(LONGER) - 2}
    assert shown("Which port?", text, **middle) == text[middle["start"] : middle["end"]]


def test_the_headings_of_a_passage_are_not_in_its_extract() -> None:
    text = "max_connections\n\nThe limit is 100 by itself.\n\nmax_files\n\nNo limit."
    facts = {"end": 44, "headings": ("max_connections",)}
    assert shown("What limits max_connections?", text, **facts) == "The limit is 100 by itself."


def test_of_a_passage_only_headings_are_left_out() -> None:
    text = "Network\n\nPorts\n\nPorts are numbers.\n\nPorts\n\nOne is 5432."
    facts = {"title": "Network", "headings": ("Network", "Ports")}
    assert shown("Which numbers?", text, **facts) == text.removeprefix("Network\n\nPorts\n\n")


def test_a_page_without_anything_to_show_has_no_extract() -> None:
    assert extracts("port").of(evidence("port " * 1000)) is None


def test_the_best_come_in_the_order_of_their_passages() -> None:
    parts = [
        evidence(f"A port has a number. {LONG * 2}", 0, 1.0),
        evidence("The default port of the server is 5432.", 1, 0.9),
    ]
    best = extracts("What is the default port of the server?").best(parts, 2)
    assert [x.evidence.source for x in best] == [0, 1]


def test_the_best_do_not_repeat_each_other() -> None:
    parts = [evidence(f"The port is 5432. {LONG * 2}", n) for n in range(2)]
    assert len(extracts("Which port is it?").best(parts, 2)) == 1


def test_a_page_is_not_shown_to_repeat_itself() -> None:
    entry = f"The port of {{}} is 5432. {LONG * 2}"
    text = f"{entry.format('reader')}\n\n{LONGER}\n\n{entry.format('writer')}"
    at = text.index(entry.format("writer"))
    parts = [evidence(text, end=at - len(LONGER) - 4), evidence(text, start=at)]
    assert len(extracts("Which port is it?").best(parts, 2)) == 1


def test_the_name_of_an_entry_is_shown_with_what_it_means() -> None:
    text = f"--depth\n{LONG}"
    assert shown("What is depth?", text, headings=("Options", "--depth")) == text


def test_of_a_long_table_rows_are_shown_from_the_one_that_answers_on() -> None:
    rows = [f"setting_{n} | {n} | How many of those the server keeps, at least." for n in range(30)]
    table = "\n".join(["name | default | meaning", *rows])
    given = shown("What is setting_7?", table)
    assert given.startswith("setting_7 |")
    assert given.count("\n") < 8


def test_a_row_that_a_passage_cuts_is_shown_from_its_beginning() -> None:
    row = f"port | 8080 | {LONG} The port may change."
    text = f"name | default | meaning\n{row}\nhost | localhost | {LONGER}"
    given = shown("May the port change?", text, start=text.index("The port may"))
    assert given.startswith("port | 8080 |")


def test_a_short_table_is_shown_whole() -> None:
    table = "name | default\nport | 8080\nhost | localhost"
    assert shown("What is the port?", table) == table
