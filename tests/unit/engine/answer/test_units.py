"""The sentences and lines that the gate and the search for contradictions go by."""

from dataclasses import replace

import pytest

from app.engine.answer.blocks.units import units
from app.engine.answer.evidence import Evidence
from app.engine.text.analysis import Analyzer

ANALYZER = Analyzer()
SIGNATURES = "os.cpu_count()\nReturn the number of CPUs in the system.\n\nos.nice(n)\nBe nice."


def cut(text: str, question: str = "", **facts: object) -> list[str]:
    evidence = Evidence(0, text, 0, len(text), 1.0, language="en")
    evidence = replace(evidence, **facts)  # type: ignore[arg-type]
    return [text[x.start : x.end] for x in units(evidence, ANALYZER, question)]


@pytest.mark.parametrize("heading", ["## Default port", "Default port"])
def test_a_heading_is_no_unit(heading: str) -> None:
    text = f"{heading}\n\nThe value is 5432 unless changed."
    assert cut(text, title="Default port") == ["The value is 5432 unless changed."]


def test_a_heading_gives_its_words_to_the_sentence_under_it() -> None:
    text = "max_connections\n\nThe limit is 100 by itself."
    (unit,) = units(Evidence(0, text, 0, len(text), 1.0, language="en"), ANALYZER)
    assert "max_connections" in unit.headings


def test_a_lead_in_takes_the_code_under_it() -> None:
    text = "To dump a database into a file:\n\npg_dump mydb > db.sql\n\nThat is all of it."
    assert cut(text)[0] == "To dump a database into a file:\n\npg_dump mydb > db.sql"


def test_a_question_of_the_source_is_no_unit() -> None:
    text = "What is the default port of the server? Ask the port registry of the server."
    assert cut(text) == ["Ask the port registry of the server."]


def test_a_header_is_no_unit_but_comes_with_the_first_row() -> None:
    text = "default port | server\n5432 | postgres\n6379 | another server"
    assert cut(text)[0] == "default port | server\n5432 | postgres"


def test_a_description_takes_the_signature_above_it() -> None:
    assert cut(SIGNATURES)[0] == "os.cpu_count()\nReturn the number of CPUs in the system."


def test_a_signature_is_found_where_the_passage_begins_below_it() -> None:
    assert cut(SIGNATURES, start=SIGNATURES.index("Return"))[0].startswith("os.cpu_count()")


def test_a_later_sentence_of_an_entry_takes_the_name_of_the_entry() -> None:
    text = "max_links (integer)\nLimits links. The default is 100. More cost memory.\n\nEnd."
    assert "max_links (integer)\nLimits links. The default is 100." in cut(text)


def test_the_summary_line_of_a_manual_page_is_a_unit() -> None:
    text = "EXPLAIN — show the execution plan of a statement\n\nIt has options, which are many."
    assert cut(text)[0] == "EXPLAIN — show the execution plan of a statement"


def test_a_lead_in_takes_its_list_from_behind_the_passage() -> None:
    text = "Copies differ in one thing:\n\nA shallow copy shares.\nA deep copy does not.\n\nMore."
    assert cut(text, end=text.index("\n")) == [text.removesuffix("\n\nMore.")]


def test_a_lead_in_to_what_is_too_long_is_no_unit() -> None:
    text = f"These are the default ports:\n\n{'x ' * 500}.\n\nPorts are numbers by default."
    assert cut(text)[-1] == "Ports are numbers by default."
    assert not any(x.startswith("These") for x in cut(text))


def test_the_next_lead_in_ends_the_code_of_the_one_before() -> None:
    text = "To read a file:\n\nopen(path).read()\n\nTo write a file:\n\nopen(path, 'w').write(x)"
    assert cut(text)[0] == "To read a file:\n\nopen(path).read()"


def test_a_numbered_step_takes_the_other_steps() -> None:
    text = "Install\n\n1. Unpack the archive.\n2. Run the install script.\n3. Start the server."
    assert cut(text) == [text.removeprefix("Install\n\n")]


def test_a_pronoun_takes_the_sentence_before_it() -> None:
    text = "Redis keeps data in memory. It listens on port 6379 by default."
    assert text in cut(text)


def test_a_pronoun_does_not_reach_into_another_paragraph() -> None:
    assert "It listens on port 6379." in cut("Apples are red.\n\nIt listens on port 6379.")


def test_a_line_that_only_has_words_of_the_question_is_no_unit() -> None:
    assert cut("See also\n\nTRUNCATE", "How does TRUNCATE work?", end=20) == []
