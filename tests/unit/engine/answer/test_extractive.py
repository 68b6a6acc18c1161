"""Answers: which extracts are given, how they are cited, and when there is no answer."""

import re
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.answer.evidence import Answer, Confidence, Evidence
from app.engine.answer.extracts.extractive import answer, markers
from app.engine.pages.blocks.canonical import canonical
from app.engine.search.interface import IndexStats
from app.engine.search.query import parse

STATS = IndexStats(1000, 60.0, {})

PORT = "The server is fast. The default port of the server is 5432. It is written in C."
ASKED = "What is the default port of the server?"
FILLER = "All of its data is in files that nobody else writes to, one for each of its many tables. "


def evidence(text: str, source: int = 0, score: float = 1.0, **facts: object) -> Evidence:
    base = Evidence(source, text, 0, len(text), score, language="en")
    return replace(base, **facts)  # type: ignore[arg-type]


def ask(question: str, *found: Evidence) -> Answer:
    return answer(parse(question), found, STATS)


def test_a_citation_points_at_snapshot_and_answer() -> None:
    text = f"Début\n\n😀 {PORT}"
    given = ask(ASKED, evidence(text, start=7))
    (citation,) = given.citations
    assert text[citation.start : citation.end] == citation.quote
    assert given.text[citation.answer_start : citation.answer_end] == given.sentences[0]
    assert text[: citation.start].endswith(citation.prefix)
    assert text[citation.end :].startswith(citation.suffix)
    assert citation.match == "exact"


def test_the_lead_of_a_citation_is_what_answers() -> None:
    (citation,) = ask(ASKED, evidence(PORT)).citations
    lead = PORT[citation.lead_start : citation.lead_end]
    assert lead == "The default port of the server is 5432."


def test_a_question_nobody_answers_gets_an_honest_sentence_and_the_sources() -> None:
    given = ask("Who painted the Mona Lisa?", evidence(PORT, 3), evidence("Cats sleep.", 1, 0.2))
    assert (given.answered, given.citations, given.sources) == (False, (), (3, 1))
    assert given.text == "The sources that were read do not answer this question."


def test_a_refusal_speaks_the_language_of_the_question() -> None:
    assert ask("Wer hat die Mona Lisa gemalt?").text.startswith("Die gelesenen Quellen")


def test_without_evidence_there_is_no_answer() -> None:
    given = ask("What is it?")
    assert (given.answered, given.sources, given.confidence) == (False, (), Confidence(0.0, 0.0))


def test_a_quoted_question_does_not_make_a_source_relevant() -> None:
    text = "Try it:\n\nsearch -d 'Who painted the Mona Lisa?'\n\nIt takes a second."
    assert not ask("Who painted the Mona Lisa?", evidence(text)).answered


def test_cited_sources_are_numbered_first_and_none_is_cut() -> None:
    other = "Cats sleep all day. Dogs do not."
    given = ask(
        ASKED,
        *(evidence(other, 10 + i, 0.1) for i in range(10)),
        evidence(PORT, 4, 0.9),
    )
    assert given.sources[0] == 4
    assert len(given.sources) == 11


def test_a_second_extract_is_shown_when_it_is_nearly_as_good() -> None:
    other = f"By default the port of the server is 5432. {FILLER * 2}"
    given = ask(ASKED, evidence(PORT, 0), evidence(other, 1, 0.95))
    assert [x.n for x in given.citations] == [1, 2]


def test_a_second_extract_that_is_much_worse_is_left_out() -> None:
    other = f"A server may have many a port. {FILLER * 2}"
    given = ask(ASKED, evidence(PORT, 0), evidence(other, 1, 0.5))
    assert [x.n for x in given.citations] == [1]


def test_an_example_of_asking_the_question_is_no_second_extract() -> None:
    example = f'Choose a profile for one call:\n\nask --profile work "{ASKED}"\n\nIt is kept.'
    given = ask(ASKED, evidence(PORT), evidence(example, 1, 0.9))
    assert given.text == f"{PORT} [1]"


OTHERS = ("Cats sleep all day and purr.", "Dogs bark at night.", "Owls hunt mice in the dark.")


def alike(first: float) -> list[Evidence]:
    """Passages that say the same beside something else, by scores: `first`, .9 and .9 ..."""
    return [evidence(f"{PORT} {x}", n, (first, 0.9)[n > 0]) for n, x in enumerate(OTHERS)]


def test_a_third_extract_is_shown_when_the_first_hardly_stands_out() -> None:
    assert [x.n for x in ask(ASKED, *alike(0.9)).citations] == [1, 2, 3]


def test_two_extracts_are_enough_when_the_first_stands_out() -> None:
    first, *others = alike(1.1)
    found = replace(first, cosine=0.8), *(replace(x, cosine=0.3) for x in others)
    assert [x.n for x in ask(ASKED, *found).citations] == [1, 2]


def test_there_is_no_fourth_extract() -> None:
    fourth = evidence(f"{PORT} Fish swim in the deep sea.", 3, 0.9)
    assert len(ask(ASKED, *alike(0.9), fourth).citations) == 3


def test_a_citation_has_the_headings_above_it() -> None:
    (citation,) = ask(ASKED, evidence(PORT, headings=("Network", "Ports"))).citations
    assert citation.headings == ("Network", "Ports")


def test_passages_of_one_page_stand_best_first() -> None:
    text = f"Ports\n\nA server has a default port.\n\nX\n\n{FILLER}\n\nValues\n\n{PORT}"
    given = ask(
        ASKED,
        evidence(text, start=text.index("Values"), score=1.1, headings=("Values",)),
        evidence(text, end=text.index("X") - 2, headings=("Ports",)),
    )
    assert [x.start for x in given.citations] == [text.index(PORT), text.index("A server")]


def test_what_another_source_repeats_is_given_once() -> None:
    given = ask(ASKED, evidence(PORT, 0), evidence(PORT, 1))
    assert given.text.count("5432") == 1


def test_a_row_is_shown_as_column_and_value_beside_its_verbatim_quote() -> None:
    text = "default port | server\n5432 | the default port of postgres\n6379 | another server"
    given = ask("What is the default port of postgres?", evidence(text))
    (citation,) = given.citations
    assert given.text.startswith("default port: 5432; server: the default port of postgres\n")
    assert text[citation.start : citation.end] == citation.quote
    assert citation.match == "normalised"


def test_the_marker_under_a_listing_has_a_line_of_its_own() -> None:
    text = "To dump a database into a file:\n\npg_dump mydb > db.sql"
    given = ask("How do I dump a database into a file?", evidence(text))
    assert given.text.endswith("\n```\npg_dump mydb > db.sql\n```\n[1]")


def test_a_note_mark_of_the_page_leaves_the_answer_but_not_the_quote() -> None:
    text = "The default port of the server is 5432.[12]"
    (citation,) = ask(ASKED, evidence(text)).citations
    assert (citation.quote, citation.match) == (text, "normalised")


def test_what_cannot_be_shown_is_no_answer() -> None:
    assert not ask(ASKED, evidence("default port server " * 500)).answered


WORDS = (
    "server", "port", "東京都", "ポート。", "بورت؟", "हिन्दी।", "😀", "e\u0301", "[3]", "5432.",
    "It", ":", "\n", "\n\n", "- ", "1. ", "x[0]", "```", "a | b",
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join), max_size=4))
def test_citations_are_exact_in_every_script(raw: list[str]) -> None:
    texts = [canonical(x) for x in raw]
    found = [evidence(text, i, 1 / (i + 1), language=None) for i, text in enumerate(texts)]
    given = ask("server port 東京都 5432", *found)
    assert sorted(given.sources) == list(range(len(texts)))
    assert list(markers(given.text)) == [x.n for x in given.citations]
    for citation, sentence in zip(given.citations, given.sentences, strict=True):
        assert given.sources[citation.n - 1] == citation.source
        assert citation.quote == texts[citation.source][citation.start : citation.end]
        assert citation.start <= citation.lead_start < citation.lead_end <= citation.end
        assert given.text[citation.answer_start : citation.answer_end] == sentence
        assert re.match(rf"\s\[{citation.n}\]", given.text[citation.answer_end :])
        assert (citation.match == "exact") == (sentence == citation.quote)


def test_a_very_long_number_in_brackets_is_no_marker() -> None:
    assert list(markers(f"[{'9' * 5_000}] and [2]")) == [2]
