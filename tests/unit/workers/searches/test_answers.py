"""The answer: the model's where its quotes bear it out, otherwise extracts."""

from typing import Any, cast

import pytest

from app.engine.answer.evidence import Answer
from app.engine.answer.written.writing import Report
from tests.unit.workers.searches import made
from workers.searches import answers

MODEL = {"model_url": "http://127.0.0.1:1/v1", "model_name": "m"}
WRITTEN = Answer("Four to seven [1].", True, (), (), (0,), 0.9)


def answered(seconds_left: float = 60.0, text: str = made.QUESTION, **more: Any) -> Any:
    work = cast(Any, made.Work(made.settings(**more), seconds_left))
    return answers.answer(work, made.query(text), made.candidates(made.snapshot()))


@pytest.fixture
def writing(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the model is said to have come to, first to last."""
    replies: list[Any] = []
    monkeypatch.setattr(answers, "write", lambda *_: replies.pop(0))
    return replies


def test_without_a_model_the_answer_consists_of_extracts() -> None:
    found = answered()
    assert (found.mode, found.model, found.warnings) == ("extractive", None, ())
    assert "four to seven eggs" in found.answer.text


def test_what_the_model_wrote_takes_their_place(writing: list[Any]) -> None:
    writing.append((WRITTEN, Report("m")))
    found = answered(**MODEL)
    assert (found.mode, found.answer) == ("written", WRITTEN)


@pytest.mark.parametrize("outcome", [x for x in answers.FALLBACKS if x != "no_time"])
def test_when_it_fails_the_extracts_stay_and_a_warning_says_why(
    writing: list[Any], outcome: Any
) -> None:
    writing.append((None, Report("m", outcome)))
    found = answered(**MODEL)
    assert found.mode == "extractive"
    assert found.warnings[0].startswith(f"model_{outcome}: ")


def test_with_too_little_time_it_is_not_asked(writing: list[Any]) -> None:
    assert answered(seconds_left=3.5, **MODEL).warnings[0].startswith("model_no_time: ")


def test_without_an_answer_it_is_not_asked(writing: list[Any]) -> None:
    found = answered(text="When did the Apollo mission return?", **MODEL)
    assert (found.answer.answered, found.model) == (False, None)
