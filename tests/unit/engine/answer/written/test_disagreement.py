"""Sources that disagree are reported for what a model wrote, also when it keeps silent about it."""

from collections import Counter

from app.engine.answer.evidence import Answer, Confidence, Evidence
from app.engine.answer.written.writer import Writer, WriterLimits, written_answer
from app.engine.search.interface import IndexStats
from app.engine.search.query import parse
from app.engine.text import analysis
from tests.scripted_model import draft
from tests.unit.engine.answer.written.test_writing import Scripted

LONG = "The river Elm is 80 kilometres long."
SHORT = "The river Elm is 95 kilometres long."
OPENED = "The river Elm has three islands."
BOTH = [(LONG, [(1, LONG)]), (SHORT, [(2, SHORT)])]


def answered(*written: tuple[str, list[tuple[int, str]]], pages: tuple[str, ...]) -> Answer:
    query = parse("How long is the river Elm?", ["en"], "en")
    terms = Counter(term for page in pages for term in analysis.terms(page, "en"))
    stats = IndexStats(1000, 20.0, dict.fromkeys(terms, 5))
    evidence = [
        Evidence(n, text, 0, len(text), 1.0 - n / 100, "Rivers", (), "en")
        for n, text in enumerate(pages)
    ]
    writer = Writer(query, Scripted(draft(*written)), WriterLimits(10.0, 4000))
    found = writer.write(evidence, stats)
    assert found.outcome == "ok"
    return written_answer(query, found, range(len(pages)), Confidence(0.9, 0.9), stats)


def test_what_the_model_leaves_out_is_cited_as_an_extract() -> None:
    answer = answered(BOTH[0], pages=(LONG, SHORT))
    assert answer.text == (
        f"{LONG} [1] {SHORT} [2]\n\nThe sources disagree: 80 kilometres / 95 kilometres."
    )
    (found,) = answer.contradictions
    assert (found.values, found.citations) == (("80 kilometres", "95 kilometres"), (1, 2))
    assert [x.quote for x in answer.citations] == [LONG, SHORT]


def test_what_the_model_cites_is_not_cited_again() -> None:
    answer = answered(*BOTH, pages=(LONG, SHORT))
    assert [x.quote for x in answer.citations] == [LONG, SHORT]
    assert len(answer.contradictions) == 1


def test_sources_that_agree_are_not_mentioned() -> None:
    answer = answered(BOTH[0], pages=(LONG, f"{LONG} {OPENED}"))
    assert (answer.text, answer.contradictions) == (f"{LONG} [1]", ())
