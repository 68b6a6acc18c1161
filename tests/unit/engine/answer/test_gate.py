"""When the passages found are enough for an answer."""

import pytest

from app.engine.answer.blocks.units import units
from app.engine.answer.confidence.gate import GATE, best_cosine, confidence, may_be_answered, passes
from app.engine.answer.evidence import Evidence
from app.engine.search.interface import IndexStats
from app.engine.search.overlap import Overlap
from app.engine.search.query import parse
from app.engine.text.analysis import Analyzer

ANALYZER = Analyzer()
STATS = IndexStats(1000, 60.0, {})


def sure(
    question: str,
    text: str,
    scores: tuple[float, ...] = (1.0,),
    title: str = "",
    cosine: float | None = None,
) -> float:
    query = parse(question, ANALYZER, language="en")
    found = Evidence(0, text, 0, len(text), 1.0, title, language="en", cosine=cosine)
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


SOMEWHAT = "Engines of the old Orm type are loud."


def test_a_passage_that_is_near_in_meaning_is_surer() -> None:
    assert sure(QUESTION, SOMEWHAT, cosine=0.7) > sure(QUESTION, SOMEWHAT, cosine=0.3) + 0.3


def test_words_count_beside_meaning() -> None:
    more = "A steam engine drives the old Orm ferry."
    assert sure(QUESTION, more, cosine=0.5) > sure(QUESTION, SOMEWHAT, cosine=0.5) + 0.1


def test_other_words_may_answer_if_they_mean_the_same() -> None:
    query = parse(QUESTION, ANALYZER, language="en")
    text = "A boiler moves this boat from Orm."
    assert passes(query, sure(QUESTION, text, cosine=0.8), by_meaning=True)


def test_the_best_of_the_passages_says_how_near_the_question_is() -> None:
    assert best_cosine([near(0.2), near(0.6), near(None)]) == 0.6


def test_meaning_that_is_known_of_half_the_passages_says_nothing() -> None:
    assert best_cosine([near(0.6), near(None)]) is None


def near(cosine: float | None) -> Evidence:
    return Evidence(0, "text", 0, 4, 1.0, cosine=cosine)


def test_one_word_must_be_near_what_is_found() -> None:
    query, text = parse("asdf", ANALYZER, language="en"), "In asdf every key is one finger's."
    assert passes(query, sure("asdf", text, cosine=0.55), by_meaning=True)
    assert not may_be_answered(query, sure("asdf", text, cosine=0.45), by_meaning=True)


def test_what_is_too_unsure_to_be_shown_may_be_worth_a_models_look() -> None:
    query = parse(QUESTION, ANALYZER, language="en")
    assert may_be_answered(query, 0.21, by_meaning=True)
    assert not passes(query, 0.49, by_meaning=True)
    assert not may_be_answered(query, 0.19, by_meaning=True)
