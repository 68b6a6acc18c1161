"""Extracts: which block answers, what is shown with it, and where it ends."""

from collections.abc import Sequence
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


def test_a_paragraph_is_shown_whole_and_led_by_the_sentence_that_answers() -> None:
    text = "The server is fast. The default port of the server is 5432. Few change it."
    question = "What is the default port of the server?"
    assert shown(question, text) == text
    assert lead(question, text) == "The default port of the server is 5432."


def test_a_short_paragraph_takes_those_that_follow() -> None:
    text = f"The default port is 5432.\n\n{LONG}\n\n{LONG}\n\n{LONGER}"
    assert shown("What is the default port?", text).count(LONG) > 1


def test_where_nothing_follows_what_comes_before_is_shown() -> None:
    text = f"{LONG}\n\nThe default port is 5432."
    assert shown("What is the default port?", text) == text


def test_an_extract_may_leave_its_passage() -> None:
    text = f"The default port is 5432.\n\n{LONG}"
    assert shown("What is the default port?", text, end=25) == text


@pytest.mark.parametrize("heading", ["Storage", "2.1. Storage (files)", "## Storage"])
def test_an_extract_never_leaves_its_section(heading: str) -> None:
    text = f"Ports\n\nThe default port is 5432.\n\n{heading}\n\n{LONG}"
    assert shown("What is the default port?", text, end=35) == text[: text.index(heading) - 2]


def test_a_short_section_is_shown_with_its_heading_which_does_not_lead() -> None:
    text = "max_connections\n\nThe limit is 100 by itself.\n\nmax_files\n\nNo limit."
    facts = {"start": 17, "end": 44, "headings": ("max_connections",)}
    assert shown("What limits max_connections?", text, **facts) == text[:44]
    assert lead("What limits max_connections?", text, **facts) == "The limit is 100 by itself."


def test_a_lead_in_is_shown_with_its_list() -> None:
    text = "Copies differ in one thing:\n\n- a shallow copy shares\n- a deep copy does not"
    assert lead("In what one thing do copies differ?", text) == text


def test_a_listing_is_shown_with_the_sentence_above_it() -> None:
    text = f"{LONGER}\n\nA dump is written by one command.\n\npg_dump mydb > db.sql\n\n{LONGER}"
    assert "command.\n\npg_dump mydb > db.sql" in lead("Which command writes a dump?", text)


def test_a_paragraph_that_leans_back_is_shown_with_the_one_before() -> None:
    text = f"{LONGER}\n\nRedis keeps data in memory.\n\nIt listens on port 6379.\n\n{LONGER}"
    question = "Which port does it listen on?"
    assert shown(question, text) == "Redis keeps data in memory.\n\nIt listens on port 6379."
    assert lead(question, text) == "It listens on port 6379."


def test_a_value_is_shown_with_the_name_of_what_has_it() -> None:
    text = (
        "reserved_connections (integer)\nHow many are kept for administrators.\n\n"
        "The default value is three connections.\n\n" + LONGER
    )
    given = shown("What is the default value of reserved connections?", text)
    assert given.startswith("reserved_connections")


def test_entries_of_one_run_are_parted() -> None:
    text = "-a\nShows all of the files.\n-b\nShows the biggest of the files."
    assert (
        lead("Which option shows the biggest files?", text) == "-b\nShows the biggest of the files."
    )


def test_the_question_of_a_page_comes_with_its_answer_and_does_not_lead() -> None:
    text = f"{LONGER}\n\nHow do I change the port?\n\nEdit the file and restart it.\n\n{LONGER}"
    question = "How do I change the port?"
    assert shown(question, text).startswith(f"{question}\n\nEdit the file")
    assert lead(question, text) == "Edit the file and restart it."


def test_what_only_restates_the_question_does_not_lead() -> None:
    text = f"Change the default port\n\n{LONG}\n\nThe port is changed by an option."
    assert lead("How do I change the default port?", text, headings=("X",)).startswith("The port")


def test_what_quotes_the_question_does_not_lead() -> None:
    question = "How do I change the default port?"
    text = f"ask '{question}' > answer.json\n\n{LONG}\n\nThe port is an option."
    assert lead(question, text) == "The port is an option."


@pytest.mark.parametrize(
    "scrap",
    [
        "[source]",
        "/",
        "See also the default port.",
        "Information on the default port can be found in the manual.",
        "Port",
    ],
)
def test_a_fragment_or_a_pointer_does_not_lead(scrap: str) -> None:
    text = f"{scrap}\n\nThe value is 5432 unless somebody has changed it."
    assert lead("What is the default port?", text).startswith("The value is 5432")


def test_a_caption_is_neither_alone_nor_last() -> None:
    text = f"The default port is 5432.\n\n{LONG}\n\nTable 3. The ports\n\n{LONGER}"
    assert shown("What is the default port?", text).endswith(LONG)


def test_a_row_leads_as_a_whole() -> None:
    rows = [f"/v1/{name} | Read what the {name} keeps. | nothing" for name in ("x", "y", "z") * 4]
    text = "\n".join(["route | what it does | takes", *rows, "/v1/tokens | Sign in. | a password"])
    assert lead("How do I sign in with a password?", text) == "/v1/tokens | Sign in. | a password"


def test_a_paragraph_that_a_listing_interrupts_is_not_last() -> None:
    broken = "It is there so that, for example, supposing that in the end we have"
    text = f"The default port is 5432. {LONG}\n\n{broken}\n\n{LONGER}"
    assert shown("What is the default port?", text).endswith(LONG)


def test_a_row_is_judged_with_its_header() -> None:
    rows = "\n".join(
        f"port {n} | {n} | for service number {n} of the many there are" for n in range(60)
    )
    text = f"name | value | meaning\n{rows}"
    assert lead("What is the value of port 41?", text).startswith("port 41 | 41 | ")


def test_of_a_long_list_the_items_around_are_shown() -> None:
    items = [f"- item number {n} says something of its own about widgets" for n in range(60)]
    given = shown("Which item is about number 41?", "\n".join(items))
    assert items[41] in given.split("\n")
    assert all(line in items for line in given.split("\n"))


def test_a_paragraph_too_long_to_be_shown_is_cut_between_sentences() -> None:
    text = f"{LONGER} The default port is 5432. {LONGER}"
    given = shown("What is the default port?", text)
    assert given.startswith("The default port is 5432.")
    assert given.endswith("of it.")


def test_what_holds_nothing_to_show_has_no_extract() -> None:
    assert extracts("port").of(evidence("port " * 1000)) is None


def test_the_best_do_not_touch_each_other() -> None:
    text = f"The port is 5432.\n\n{LONG * 2}\n\nPorts are numbers.\n\n{LONG * 2}"
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
    parts = [evidence(text, end=at - len(LONGER)), evidence(text, start=at)]
    assert len(extracts("Which port is it?").best(parts, 2)) == 1


def test_a_better_block_outweighs_a_slightly_better_passage() -> None:
    parts = [
        evidence(f"A port has a number. {LONG * 2}", 0, 1.0),
        evidence(f"The default port of the server is 5432. {LONG}", 1, 0.9),
    ]
    best = extracts("What is the default port of the server?").best(parts, 2)
    assert [x.evidence.source for x in best] == [1, 0]


SYNONYMS = f"Ships carry goods over the sea. {LONG}\n\nA vessel needs a harbour. {LONG}"


@pytest.mark.parametrize(
    ("cosine", "expected"),
    [(0.9, "A vessel needs a harbour."), (None, "Ships carry goods over the sea.")],
)
def test_a_block_leads_by_its_meaning_where_all_are_known(
    cosine: float | None, expected: str
) -> None:
    query = parse("Where do ships land?", ANALYZER)

    def meaning(texts: Sequence[str]) -> list[float | None]:
        return [cosine if "harbour" in text else 0.1 for text in texts]

    extracts = Extracts(query, Overlap(query, IndexStats(1000, 60.0, {})), ANALYZER, meaning)
    given = extracts.of(evidence(SYNONYMS))
    assert given is not None
    assert SYNONYMS[given.lead_start : given.lead_end].startswith(expected)
