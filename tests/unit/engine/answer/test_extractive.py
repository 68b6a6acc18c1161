"""Answers: which sentences are given, how they are cited, and when there is no answer."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.answer.evidence import Answer, Evidence
from app.engine.answer.extractive import answer, markers, without_note_marks
from app.engine.retrieval.interface import Stats
from app.engine.retrieval.query import parse
from app.engine.text.analysis import Analyzer

ANALYZER = Analyzer()
STATS = Stats(1000, 60.0, {})

PORT = "The server is fast. The default port of the server is 5432. It is written in C."


def evidence(text: str, source: int = 0, score: float = 1.0, **facts: object) -> Evidence:
    base = Evidence(source, text, 0, len(text), score, language="en")
    return replace(base, **facts)  # type: ignore[arg-type]


def ask(question: str, *found: Evidence) -> Answer:
    return answer(parse(question, ANALYZER), found, STATS, ANALYZER)


def test_the_sentence_that_holds_the_answer_is_given() -> None:
    given = ask("What is the default port of the server?", evidence(PORT))
    assert given.text == "The default port of the server is 5432. [1]"


def test_citation_points_at_snapshot_and_answer() -> None:
    text = "Début. 😀 " + PORT
    given = ask("What is the default port of the server?", evidence(text))
    (citation,) = given.citations
    assert text[citation.start : citation.end] == citation.quote
    assert given.text[citation.answer_start : citation.answer_end] == given.sentences[0]
    assert text[: citation.start].endswith(citation.prefix)
    assert text[citation.end :].startswith(citation.suffix)
    assert citation.match == "exact"


def test_offsets_count_from_the_snapshot_not_from_the_passage() -> None:
    whole = "Front matter.\n\n" + PORT
    given = ask("default port of the server?", evidence(whole, start=15))
    assert whole[given.citations[0].start : given.citations[0].end] == given.sentences[0]


def test_question_nobody_answers_gets_an_honest_sentence_and_the_sources() -> None:
    given = ask("Who painted the Mona Lisa?", evidence(PORT, 3), evidence("Cats sleep.", 1, 0.2))
    assert (given.answered, given.citations, given.sources) == (False, (), (3, 1))
    assert given.text == "The sources that were read do not answer this question."


def test_refusal_speaks_the_language_of_the_question() -> None:
    assert ask("Wer hat die Mona Lisa gemalt?").text.startswith("Die gelesenen Quellen")


def test_without_evidence_there_is_no_answer() -> None:
    given = ask("What is it?")
    assert (given.answered, given.sources, given.confidence) == (False, (), 0.0)


def test_cited_sources_are_numbered_first_and_none_is_cut() -> None:
    other = "Cats sleep all day. Dogs do not."
    given = ask(
        "What is the default port of the server?",
        evidence(other, 7, 1.0),
        evidence(PORT, 4, 0.9),
        *(evidence(other, 10 + i, 0.1) for i in range(9)),
    )
    assert given.sources[0] == 4
    assert len(given.sources) == 11


def test_sentences_of_one_source_stand_in_reading_order() -> None:
    text = "Blue whales eat krill. Ships are big. Blue whales live in oceans."
    given = ask("What do blue whales eat, and where do blue whales live?", evidence(text))
    starts = [x.start for x in given.citations]
    assert len(starts) > 1
    assert starts == sorted(starts)


def test_repeated_sentence_of_another_source_is_given_once() -> None:
    copy = "Elsewhere we read much. The default port of the server is 5432."
    given = ask("What port is the default of our server?", evidence(PORT, 0), evidence(copy, 1))
    assert given.text.count("5432") == 1


@pytest.mark.parametrize("heading", ["## Default port", "Default port"])
def test_heading_is_never_the_answer(heading: str) -> None:
    text = f"{heading}\n\nThe value is 5432 unless changed."
    given = ask("What is the default port?", evidence(text, title="Default port"))
    assert given.sentences == ("The value is 5432 unless changed.",)


def test_heading_gives_its_words_to_the_sentence_under_it() -> None:
    text = "work_mem\n\nSets memory for sorts.\n\nmax_connections\n\nThe limit is 100 by itself."
    given = ask("What is the limit of max_connections?", evidence(text))
    assert "The limit is 100 by itself." in given.sentences


def test_lead_in_takes_the_code_under_it() -> None:
    text = "To dump a database into a file:\n\npg_dump mydb > db.sql\n\nThat is all of it."
    given = ask("How do I dump a database into a file?", evidence(text))
    assert given.sentences[0] == "To dump a database into a file:\n\npg_dump mydb > db.sql"


def test_numbered_step_takes_the_other_steps() -> None:
    text = "Install\n\n1. Unpack the archive.\n2. Run the install script.\n3. Start the server."
    given = ask("How do I run the install script?", evidence(text))
    assert given.sentences == (text.removeprefix("Install\n\n"),)


def test_list_item_answers_alone() -> None:
    text = "Options\n\n- --quiet: print nothing\n- --no-cache: do not use the build cache"
    given = ask("Which option makes the build not use the cache?", evidence(text))
    assert "- --no-cache: do not use the build cache" in given.sentences


def test_pronoun_takes_the_sentence_before_it() -> None:
    text = "Redis keeps data in memory. It listens on port 6379 by default."
    given = ask("What port does Redis listen on by default?", evidence(text))
    assert given.sentences == (text,)


def test_pronoun_does_not_reach_into_another_paragraph() -> None:
    text = "Apples are red.\n\nIt listens on port 6379 by default."
    given = ask("What port does it listen on by default?", evidence(text))
    assert given.sentences == ("It listens on port 6379 by default.",)


def test_note_mark_of_the_page_leaves_the_answer_but_not_the_quote() -> None:
    text = "The default port of the server is 5432.[12]"
    (citation,) = ask("What is the default port of the server?", evidence(text)).citations
    assert (citation.quote, citation.match) == (text, "normalised")


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("In 1998.[3]", "In 1998."),
        ("In 1998 [3][4] it was.", "In 1998 it was."),
        ("x = argv[1];", "x = argv[ 1 ];"),
        ("The first is argv[0].", "The first is argv[ 0 ]."),
        ("See [the note].", "See [the note]."),
    ],
)
def test_nothing_in_a_sentence_reads_as_our_marker(sentence: str, shown: str) -> None:
    assert without_note_marks(sentence) == shown


WORDS = [
    "server",
    "port",
    "東京都",
    "ポート。",
    "بورت؟",
    "हिन्दी।",
    "😀",
    "e\u0301",
    "[3]",
    "5432.",
    "It",
    ":",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "x[0]",
]


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join), max_size=4))
def test_citations_are_exact_in_every_script(texts: list[str]) -> None:
    found = [evidence(text, i, 1 / (i + 1), language=None) for i, text in enumerate(texts)]
    given = ask("server port 東京都 5432", *found)
    for n in markers(given.text):
        assert 1 <= n <= len(given.sources)
    assert sorted(given.sources) == list(range(len(texts)))
    assert list(markers(given.text)) == [x.n for x in given.citations]
    for citation, sentence in zip(given.citations, given.sentences, strict=True):
        assert given.sources[citation.n - 1] == citation.source
        assert citation.quote == texts[citation.source][citation.start : citation.end]
        assert given.text[citation.answer_start : citation.answer_end] == sentence
        assert re.match(rf"\s\[{citation.n}\]", given.text[citation.answer_end :])
        assert (citation.match == "exact") == (sentence == citation.quote)
