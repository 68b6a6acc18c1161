"""Questions that ask for a figure, for a date, or for neither."""

import pytest

from app.engine.answer.sources.questions import value_reader
from app.engine.answer.sources.values import dates, figures


@pytest.mark.parametrize(
    "question",
    [
        "How many people live there?",
        "Wie viele Menschen leben dort?",
        "What is the maximum length of a name?",
        "What is the default of timeout?",
    ],
)
def test_a_figure_is_asked_for(question: str) -> None:
    assert value_reader(question) is figures


@pytest.mark.parametrize("question", ["When was it built?", "In welchem Jahr wurde es gebaut?"])
def test_a_date_is_asked_for(question: str) -> None:
    assert value_reader(question) is dates


@pytest.mark.parametrize(
    "question",
    ["Who wrote it?", "Why did it fail?", "Which option sets the limit?", "What is a monad?"],
)
def test_neither_is_asked_for(question: str) -> None:
    assert value_reader(question) is None
