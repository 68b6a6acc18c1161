"""Extracts: what of a passage is shown, and what is shown with it."""

from dataclasses import replace

import pytest

from app.engine.answer.evidence import Evidence
from app.engine.answer.extracts.extracts import Extract, Extracts
from app.engine.search.interface import IndexStats
from app.engine.search.overlap import Overlap
from app.engine.search.query import parse
from app.engine.text.analysis import Analyzer

ANALYZER = Analyzer()
LONG = "The server keeps its data in files that nobody else writes to, one for each table of it."

LONGER = f"{LONG} " * 9


def extracts(question: str) -> Extracts:
    query = parse(question, ANALYZER)
    return Extracts(query, Overlap(query, IndexStats(1000, 60.0, {})), ANALYZER)


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


def lead(question: str, text: str, **facts: object) -> str:
    x = extract(question, text, **facts)
    return text[x.lead_start : x.lead_end]


def test_a_passage_is_shown_whole() -> None:
    text = f"{LONGER}\n\nThe default port is 5432. {LONG}\n\n{LONGER}"
    middle = {"start": len(LONGER) + 2, "end": len(text) - len(LONGER) - 2}
    assert shown("Which port?", text, **middle) == text[middle["start"] : middle["end"]]


def test_a_short_passage_takes_what_follows() -> None:
    text = f"The default port is 5432.\n\n{LONG}\n\n{LONG}\n\n{LONGER}"
    assert shown("What is the default port?", text, end=25).count(LONG) > 1


def test_where_nothing_follows_what_comes_before_is_shown() -> None:
    text = f"{LONG}\n\nThe default port is 5432."
    assert shown("What is the default port?", text, start=len(LONG) + 2) == text


def test_a_block_that_a_passage_cuts_is_shown_whole() -> None:
    items = [f"- item number {n} says something of its own about widgets" for n in range(12)]
    text = "\n".join(items)
    half = text.index(items[6])
    assert shown("Which item is about number 2?", text, end=half - 1) == text
    assert shown("Which item is about number 8?", text, start=half) == text


def test_of_a_block_too_long_to_be_shown_whole_the_passage_is() -> None:
    items = [f"- item number {n} says something of its own about widgets" for n in range(60)]
    text = "\n".join(items)
    part = {"start": text.index(items[20]), "end": text.index(items[30]) - 1}
    given = shown("Which item is about number 25?", text, **part)
    assert given == text[part["start"] : part["end"]]


@pytest.mark.parametrize("heading", ["Storage", "2.1. Storage (files)", "## Storage"])
def test_an_extract_never_leaves_its_section(heading: str) -> None:
    text = f"Ports\n\nThe default port is 5432.\n\n{heading}\n\n{LONG}"
    assert shown("What is the default port?", text, end=32) == "The default port is 5432."


def test_the_headings_of_a_passage_are_not_in_its_extract() -> None:
    text = "max_connections\n\nThe limit is 100 by itself.\n\nmax_files\n\nNo limit."
    facts = {"end": 44, "headings": ("max_connections",)}
    assert shown("What limits max_connections?", text, **facts) == "The limit is 100 by itself."


@pytest.mark.parametrize("before", ["They differ in one thing:", "How do they differ?"])
def test_what_leads_to_a_passage_is_shown_with_it(before: str) -> None:
    text = f"{LONGER}\n\n{before}\n\n{LONG * 2}"
    start = text.index(before) + len(before) + 2
    assert shown("How?", text, start=start) == text[text.index(before) :]


@pytest.mark.parametrize("ending", ["It is done like this:", "Table 3. The ports"])
def test_what_a_passage_ends_with_is_shown_with_what_it_announces(ending: str) -> None:
    text = f"{LONG * 4}\n\n{ending}\n\nserver --port 5432\n\n{LONGER}"
    given = shown("How?", text, end=text.index(ending) + len(ending))
    assert given.endswith("server --port 5432")


@pytest.mark.parametrize("ending", ["It is done like this:", "Table 3. The ports"])
def test_what_announces_something_too_long_is_left_out(ending: str) -> None:
    text = f"{LONG * 4}\n\n{ending}\n\n{LONGER}"
    assert shown("How?", text, end=text.index(ending) + len(ending)) == LONG * 4


def test_a_passage_that_leans_back_is_shown_with_what_comes_before() -> None:
    text = f"{LONGER}\n\nRedis keeps data in memory.\n\nIt listens on port 6379. {LONG * 4}"
    given = shown("Which port does it listen on?", text, start=text.index("It listens"))
    assert given.startswith("Redis keeps data in memory.")


def test_an_entry_does_not_run_into_the_next() -> None:
    text = "disk_limit\nThe limit of a disk.\n\nfile_limit\nThe number of open files."
    assert "file_limit" not in shown("What is disk_limit?", text, end=31)


def test_a_page_without_anything_to_show_has_no_extract() -> None:
    assert extracts("port").of(evidence("port " * 1000)) is None


def test_the_best_come_in_the_order_of_their_passages() -> None:
    parts = [
        evidence(f"A port has a number. {LONG * 2}", 0, 1.0),
        evidence("The default port of the server is 5432.", 1, 0.9),
    ]
    best = extracts("What is the default port of the server?").best(parts, 2)
    assert [x.evidence.source for x in best] == [0, 1]


def test_the_best_do_not_overlap() -> None:
    text = f"The port is 5432.\n\n{LONG}\n\nPorts are numbers."
    middle = text.index("Ports")
    parts = [evidence(text, end=middle - 2), evidence(text, start=middle, score=0.9)]
    assert len(extracts("Which port is it?").best(parts, 2)) == 1


def test_the_best_do_not_repeat_each_other() -> None:
    parts = [evidence(f"The port is 5432. {LONG * 2}", n) for n in range(2)]
    assert len(extracts("Which port is it?").best(parts, 2)) == 1


def test_a_page_is_not_shown_to_repeat_itself() -> None:
    entry = f"The port of {{}} is 5432. {LONG * 2}"
    text = f"{entry.format('reader')}\n\n{LONGER}\n\n{entry.format('writer')}"
    at = text.index(entry.format("writer"))
    parts = [evidence(text, end=at - len(LONGER) - 4), evidence(text, start=at)]
    assert len(extracts("Which port is it?").best(parts, 2)) == 1


@pytest.mark.parametrize("text", ["DROP TABLE, CREATE TABLE AS", "VACUUM — collect garbage"])
def test_a_few_words_that_say_nothing_have_no_extract(text: str) -> None:
    assert extracts("How do I vacuum a table?").of(evidence(text)) is None


@pytest.mark.parametrize("text", ["Owls lay four eggs.", "Port: 8080", "vacuumdb --all owls"])
def test_a_few_words_that_say_something_have_one(text: str) -> None:
    assert extracts("How do I vacuum a table?").of(evidence(text)) is not None


def test_the_name_of_an_entry_is_shown_with_what_it_means() -> None:
    text = f"--depth\n{LONG}"
    assert shown("What is depth?", text, headings=("Options", "--depth")) == text


def test_of_a_long_table_rows_are_shown_from_the_one_that_answers_on() -> None:
    rows = [f"setting_{n} | {n} | How many of those the server keeps, at least." for n in range(30)]
    table = "\n".join(["name | default | meaning", *rows])
    given = shown("What is setting_7?", table)
    assert given.startswith("setting_7 |")
    assert given.count("\n") < 8


def test_a_short_table_is_shown_whole() -> None:
    table = "name | default\nport | 8080\nhost | localhost"
    assert shown("What is the port?", table) == table
