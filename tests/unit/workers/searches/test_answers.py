"""The answer: the model's where its quotes bear it out, otherwise extracts or none."""

from dataclasses import dataclass, field, replace
from typing import Any, cast, get_args

import pytest

from app.engine.answer.confidence.gate import GATE_BY_MEANING, WORTH_A_LOOK
from app.engine.answer.evidence import Answer, Confidence
from app.engine.answer.written.writer import Outcome
from app.engine.models.chat import ModelFailed, Reply
from app.engine.search.rank import RankedPassage
from app.engine.semantic.embedder import Scale
from tests.scripted_model import draft
from tests.unit.workers.searches import made
from workers.searches import answers
from workers.searches.candidates import Candidates
from workers.searches.further_context import PooledCandidates

EGGS = ("It holds four to seven eggs.", [(1, "holds four to seven eggs")])
LIE = ("A clutch holds nine eggs.", [(1, "holds four to seven eggs")])
OTHER = "Young owls leave the nest after 60 days."
YOUNG = (OTHER, [(1, OTHER)])
DECLINED = draft(answered=False)
SEARCH = draft(answered=False, queries=["owlets fledge"])
FLOOR = WORTH_A_LOOK * GATE_BY_MEANING


@dataclass
class Scripted:
    """A model that replies one text after the other; an exception is raised instead."""

    replies: list[str | Exception]
    name: str = "m"
    asked: list[str] = field(default_factory=list)

    def ask(self, messages: Any, schema: Any, *, seconds: float) -> Reply:
        self.asked.append(messages[-1]["content"])
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return Reply(reply, 100, 20)


@dataclass
class Reading:
    """Further searches that find `pooled`."""

    pooled: PooledCandidates
    searches: list[tuple[str, ...]] = field(default_factory=list)

    def search(
        self, query: Any, candidates: Candidates, texts: tuple[str, ...]
    ) -> PooledCandidates:
        self.searches.append(texts)
        return self.pooled


@dataclass
class Asked:
    found: answers.SearchAnswer
    model: Scripted
    reading: Reading
    stages: list[str]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Answer the question with a model that replies so, where the extracts have that confidence."""

    def ask(*replies: str | Exception, confidence: float = 0.9, **more: Any) -> Asked:
        model = Scripted(list(replies))
        reading = Reading(
            PooledCandidates(_candidates(OTHER), _sure(more.pop("promises", 0.7)), answered=True)
        )
        monkeypatch.setattr(answers, "chat_model", lambda _: model)
        monkeypatch.setattr(answers.extractive, "answer", lambda *_: _extracts(confidence))
        candidates = _candidates(made.TEXT, cosine=more.pop("cosine", 0.5))
        work = made.Work(made.settings(**more), 60.0)
        found = answers.answer(cast(Any, work), made.query(), candidates, cast(Any, reading))
        return Asked(found, model, reading, work.stages)

    return ask


def _candidates(text: str, cosine: float | None = 0.5) -> Candidates:
    candidates = made.candidates(made.snapshot(text=text))
    ranked: list[RankedPassage] = [replace(x, cosine=cosine) for x in candidates.ranked]
    return replace(candidates, ranked=ranked, scale=Scale(1.0, 0.0))


def _extracts(confidence: float) -> Answer:
    shown = confidence >= 0.5
    return Answer("Extracts.", shown, ("Extracts.",), (), (0,), _sure(confidence))


def _sure(sources: float) -> Confidence:
    return Confidence(sources / 2, sources)


def test_below_the_floor_nobody_is_asked(ask: Any) -> None:
    asked = ask(confidence=0.99 * FLOOR)
    assert (asked.found.answer.answered, asked.found.model, asked.model.asked) == (False, None, [])


def test_between_the_floor_and_the_gate_the_model_is_asked(ask: Any) -> None:
    found = ask(draft(EGGS), confidence=FLOOR).found
    assert (found.mode, found.answer.confidence.sources) == ("written", FLOOR)


def test_where_the_extracts_are_no_answer_its_failure_is_none(ask: Any) -> None:
    found = ask(ModelFailed("slow"), confidence=0.4).found
    assert not found.answer.answered
    assert found.warnings[0].endswith("no answer is given.")


def test_every_outcome_has_its_warning() -> None:
    outcomes = {outcome for literal in get_args(Outcome) for outcome in get_args(literal)}
    assert set(answers.FALLBACKS) == outcomes - {"ok"}


def test_after_a_decline_the_extracts_are_shown_with_half_their_confidence(ask: Any) -> None:
    found = ask(DECLINED, confidence=0.9).found
    assert (found.answer.answered, found.answer.text) == (True, "Extracts.")
    assert found.answer.confidence == Confidence(0.225, 0.9)
    assert found.warnings[0].startswith("model_declined: ")


def test_a_decline_makes_no_answer_of_extracts_that_are_none(ask: Any) -> None:
    assert not ask(DECLINED, confidence=0.4).found.answer.answered


def test_with_too_little_time_it_is_not_asked(ask: Any) -> None:
    asked = ask(model_seconds=0.5)
    assert asked.found.warnings[0].startswith("model_no_time: ")
    assert asked.model.asked == []


def test_dropped_sentences_are_counted_in_a_warning_and_shown_nowhere(ask: Any) -> None:
    found = ask(draft(EGGS, LIE)).found
    assert found.warnings == (answers.DROPPED.format(dropped=1, written=2),)
    assert "nine" not in repr(found.answer)


def test_what_both_rounds_cost_is_counted(ask: Any) -> None:
    found = ask(SEARCH, draft(YOUNG), model_input_price=2.0, model_output_price=5.0).found
    assert (found.model["rounds"], found.model["input_tokens"]) == (2, 200)
    assert found.model["cost"] == pytest.approx((200 * 2 + 40 * 5) / 1e6)


def test_a_model_that_declines_may_have_the_index_searched_and_is_asked_again(ask: Any) -> None:
    asked = ask(SEARCH, draft(YOUNG))
    assert asked.reading.searches == [("owlets fledge",)]
    assert OTHER in asked.model.asked[1]
    assert (asked.found.mode, asked.found.answer.text) == ("written", f"{OTHER} [1]")
    assert asked.found.candidates is asked.reading.pooled.candidates
    assert asked.found.model["queries"] == ["owlets fledge"]
    assert asked.stages == [
        "writing", "checking quotes", "searching again", "writing again", "checking again",
    ]  # fmt: skip


def test_there_is_never_a_third_round(ask: Any) -> None:
    asked = ask(SEARCH, SEARCH, draft(YOUNG))
    assert (len(asked.model.asked), len(asked.reading.searches)) == (2, 1)
    assert asked.found.model["outcome"] == "declined"


def test_who_has_answered_is_not_asked_again(ask: Any) -> None:
    asked = ask(draft(EGGS, queries=["owlets fledge"]))
    assert (len(asked.model.asked), asked.found.mode) == (1, "written")


def test_an_answer_from_doubtful_passages_may_be_searched_for_once_more(ask: Any) -> None:
    asked = ask(draft(EGGS, queries=["owlets fledge"]), draft(YOUNG), confidence=0.4)
    assert asked.found.answer.text == f"{OTHER} [1]"
    assert asked.found.answer.confidence.sources == 0.7


@pytest.mark.parametrize("second", [DECLINED, draft(LIE), ModelFailed("slow")])
def test_a_second_round_that_is_worse_leaves_the_first(ask: Any, second: str | Exception) -> None:
    asked = ask(draft(EGGS, queries=["owlets fledge"]), second, confidence=0.4)
    assert (asked.found.answer.text, asked.found.model["outcome"]) == (f"{EGGS[0]} [1]", "ok")


@pytest.mark.parametrize("second", [draft(LIE), ModelFailed("slow"), "no json"])
def test_a_second_round_that_fails_leaves_the_decline(ask: Any, second: str | Exception) -> None:
    found = ask(SEARCH, second, second, confidence=0.6).found
    assert (found.answer.text, found.model["outcome"]) == ("Extracts.", "declined")


def test_a_search_that_finds_what_was_read_ends_it(
    ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = PooledCandidates(_candidates(made.TEXT), _sure(0.7), answered=True)
    monkeypatch.setattr(Reading, "search", lambda *_: same)
    assert len(ask(SEARCH).model.asked) == 1


def test_without_time_for_it_there_is_no_second_round(
    ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers.Writer, "has_time", lambda _: False)
    assert len(ask(SEARCH).model.asked) == 1


WORDS = '{"queries": ["owlets fledge"]}'


def test_where_only_words_are_compared_the_model_may_propose_others(ask: Any) -> None:
    asked = ask(WORDS, draft(YOUNG), confidence=0.01, cosine=None)
    assert made.TEXT not in asked.model.asked[0]
    assert (asked.found.mode, asked.found.answer.text) == ("written", f"{OTHER} [1]")
    assert asked.found.answer.confidence.sources == 0.7
    assert asked.stages[0] == "asking for other words"


def test_other_words_that_find_nothing_end_it(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = PooledCandidates(_candidates(OTHER), _sure(0.3), answered=False)
    monkeypatch.setattr(Reading, "search", lambda *_: nothing)
    asked = ask(WORDS, confidence=0.01, cosine=None)
    assert (asked.found.answer.answered, len(asked.model.asked)) == (False, 1)
    assert asked.found.warnings[0].startswith("model_nothing_found: ")


def test_the_passages_that_other_words_found_are_read_once(ask: Any) -> None:
    asked = ask(WORDS, SEARCH, confidence=0.01, cosine=None)
    assert (len(asked.model.asked), len(asked.reading.searches)) == (2, 1)
    assert (asked.found.answer.answered, asked.found.model["outcome"]) == (False, "declined")
