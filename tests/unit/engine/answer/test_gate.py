"""Two probabilities of an answer, and the thresholds from which one is shown."""

import pytest

from app.engine.answer.confidence.gate import (
    GATE,
    GATE_BY_MEANING,
    best_cosine,
    by_meaning,
    may_be_answered,
    passes,
)
from app.engine.answer.evidence import Confidence, Evidence
from app.engine.answer.extracts import extractive
from app.engine.search.interface import IndexStats
from app.engine.search.query import Query, parse

STATS = IndexStats(1000, 60.0, {})
QUESTION = "Which engine drives the old Orm ferry?"
GOOD = "A steam engine drives the old Orm ferry."
SOMEWHAT = "Engines are loud in every weather."


def query(question: str, language: str = "en") -> Query:
    return parse(question, language=language)


def near(cosine: float | None, text: str = GOOD, score: float = 1.0, source: int = 0) -> Evidence:
    return Evidence(source, text, 0, len(text), score, language="en", cosine=cosine)


def sure(question: str, *found: Evidence) -> Confidence:
    return extractive.answer(query(question), found, STATS).confidence


def sources(question: str, text: str, cosine: float | None = None) -> float:
    return sure(question, near(cosine, text)).sources


def test_a_lead_that_holds_more_of_the_question_is_surer() -> None:
    assert sources(QUESTION, GOOD) > sources(QUESTION, SOMEWHAT) + 0.3
    assert sources(QUESTION, GOOD, 0.4) > sources(QUESTION, SOMEWHAT, 0.4) + 0.1


def test_words_said_together_weigh_more_than_words_here_and_there() -> None:
    together = "Rain fell. A steam engine drives the old Orm ferry. Cats sleep. Wind blows."
    apart = "The engine failed. Rain fell. He drives. Snow lies. Old men sat. Wind. An Orm ferry."
    assert sources(QUESTION, together) > sources(QUESTION, apart) + 0.2


def test_a_passage_that_is_near_in_meaning_is_surer() -> None:
    assert sources(QUESTION, SOMEWHAT, 0.7) > sources(QUESTION, SOMEWHAT, 0.3) + 0.3


def test_other_words_may_answer_if_they_mean_the_same() -> None:
    other = sources(QUESTION, "A steam engine moves this old boat from Orm.", 0.8)
    assert passes(query(QUESTION), other, by_meaning=True)


def test_an_answer_that_stands_out_is_more_probably_right() -> None:
    def beside(score: float) -> float:
        return sure(QUESTION, near(0.6), near(0.5, SOMEWHAT, score, 1)).answer

    assert beside(0.4) > beside(0.98) + 0.1


def test_a_passage_nearer_than_others_is_more_probably_right() -> None:
    def beside(cosine: float) -> float:
        return sure(QUESTION, near(0.6), near(cosine, SOMEWHAT, 0.9, 1)).answer

    assert beside(0.2) > beside(0.58) + 0.1


def test_steps_are_as_probably_right_as_a_fact() -> None:
    found = near(0.6), near(0.5, SOMEWHAT, 0.9, 1)
    fact, steps = sure(QUESTION, *found), sure("How do I drive the old Orm ferry?", *found)
    assert steps.answer == pytest.approx(fact.answer, abs=0.01)


def test_by_words_steps_are_less_probably_all_there_than_a_fact() -> None:
    found = near(None), near(None, SOMEWHAT, 0.9, 1)
    fact, steps = sure(QUESTION, *found), sure("How do I drive the old Orm ferry?", *found)
    assert steps.answer < fact.answer - 0.1


def test_an_answer_is_never_surer_than_that_there_is_one() -> None:
    found = sure(QUESTION, near(0.3, SOMEWHAT, 1.0))
    assert found.answer == found.sources


@pytest.mark.parametrize("question", ["x", "42", "2+2", "what is 2+2", "?!", "C"])
def test_a_question_without_a_word_is_refused_though_its_signs_stand_there(question: str) -> None:
    text = "Given x and C, what is 2 + 2 x or 42?  It is 2 + 2 x, or 42, in C."
    assert sources(question, text) == 0.0


@pytest.mark.parametrize("question", ["猫", "C++", "-v", "ps", "x86"])
def test_a_short_word_is_a_question(question: str) -> None:
    assert sources(question, f"This is about {question} and about nothing else.") > 0.0


@pytest.mark.parametrize(
    ("question", "language"), [("Was ist das?", "de"), ("谁发明了电灯？", "zh")]
)
def test_languages_that_match_less_pass_earlier(question: str, language: str) -> None:
    assert not passes(query("What is it?"), GATE)
    assert passes(query(question, language), GATE)


def test_the_best_of_the_passages_says_how_near_the_question_is() -> None:
    assert best_cosine([near(0.2), near(0.6), near(None)]) == 0.6


def test_meaning_that_is_known_of_half_the_passages_says_nothing() -> None:
    assert best_cosine([near(0.6), near(None)]) is None


def test_one_word_is_enough_of_a_question_for_what_says_it() -> None:
    said = near(0.44, "Each such group of lines is called a hunk.")
    answer = extractive.answer(query("What is a hunk?"), [said], STATS)
    assert answer.answered


@pytest.mark.parametrize(
    ("lead", "cosine", "shown"), [(0.25, 0.45, True), (0.15, 0.2, False)], ids=["near", "far"]
)
def test_meaning_makes_up_for_words_of_an_everyday_question(
    lead: float, cosine: float, shown: bool
) -> None:
    assert passes(query(QUESTION), by_meaning(lead, cosine), by_meaning=True) is shown


def test_what_is_too_unsure_to_be_shown_may_be_worth_a_models_look() -> None:
    just_too_little = 0.99 * GATE_BY_MEANING
    assert may_be_answered(query(QUESTION), just_too_little, by_meaning=True)
    assert not passes(query(QUESTION), just_too_little, by_meaning=True)
    assert not may_be_answered(query(QUESTION), 0.49 * GATE_BY_MEANING, by_meaning=True)
