"""When the passages found are enough for an answer."""

import pytest

from app.engine.answer.evidence import Evidence
from app.engine.answer.gate import GATE, confidence, passes
from app.engine.answer.units import units
from app.engine.retrieval.interface import Stats
from app.engine.retrieval.overlap import Overlap
from app.engine.retrieval.query import parse
from app.engine.text.analysis import Analyzer

ANALYZER = Analyzer()
STATS = Stats(1000, 60.0, {})


def sure(question: str, text: str, scores: tuple[float, ...] = (1.0,), **facts: str) -> float:
    query = parse(question, ANALYZER, language="en")
    found = Evidence(0, text, 0, len(text), 1.0, language="en", title=facts.get("title", ""))
    cut = [(found, units(found, ANALYZER, question))]
    return confidence(query, cut, scores, Overlap(query, STATS), ANALYZER)


QUESTION = "Which engine drives the old Orm ferry?"


def test_words_said_together_weigh_more_than_words_here_and_there() -> None:
    together = "Rain fell. A steam engine drives the old Orm ferry. Cats sleep. Wind blows."
    apart = "The engine failed. Rain fell. He drives. Snow lies. Old men sat. Wind. An Orm ferry."
    assert sure(QUESTION, together) > sure(QUESTION, apart) + 0.3


def test_passage_without_the_name_in_the_question_is_less_sure() -> None:
    named = sure(QUESTION, "Engines of the old Orm type are loud.")
    other = sure(QUESTION, "Engines of the old ferry type are loud.")
    assert named > other


def test_best_passage_that_stands_out_is_surer() -> None:
    text = "A steam engine drives the ferry."
    crowd, alone = (1.0, 0.98, 0.97, 0.96, 0.95), (1.0, 0.3, 0.3, 0.2, 0.1)
    assert sure(QUESTION, text, alone) > sure(QUESTION, text, crowd)


def test_one_word_of_a_short_question_is_less_than_five_of_a_long_one() -> None:
    assert sure("ferry", "The ferry is old.") < sure(
        "engine drives old Orm ferry", "An engine drives the old Orm ferry."
    )


def test_words_of_the_title_count_half() -> None:
    text = "It has a steam engine."
    assert (
        sure(QUESTION, text)
        < sure(QUESTION, text, title="Orm ferry")
        < sure(QUESTION, "The Orm ferry has a steam engine.")
    )


def test_nothing_found_is_no_confidence() -> None:
    query = parse(QUESTION, ANALYZER)
    assert confidence(query, [], [], Overlap(query, STATS), ANALYZER) == 0.0


@pytest.mark.parametrize("question", ["x", "42", "2+2", "what is 2+2", "?!", "C"])
def test_a_question_without_a_word_is_refused_though_its_signs_stand_there(question: str) -> None:
    assert (
        sure(question, "Given x and C, what is 2 + 2 x or 42?  It is 2 + 2 x, or 42, in C.") == 0.0
    )


@pytest.mark.parametrize("question", ["猫", "C++", "-v", "ps", "x86"])
def test_a_short_word_is_a_question(question: str) -> None:
    assert sure(question, f"This is about {question} and about nothing else.") > 0.0


@pytest.mark.parametrize(
    ("question", "language"), [("Was ist das?", "de"), ("谁发明了电灯？", "zh")]
)
def test_languages_that_match_less_pass_earlier(question: str, language: str) -> None:
    just_too_little = 0.47
    assert not passes(parse("What is it?", ANALYZER, language="en"), just_too_little)
    assert passes(parse(question, ANALYZER, language=language), GATE)
