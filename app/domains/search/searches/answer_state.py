"""The state of an answer: the one word that pages, command line and agents show for it."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from app.engine.answer.confidence.gate import LIKELY

AnswerState = Literal["answered", "perhaps", "sources_disagree", "page_has_changed", "no_answer"]

OF_A_RESULT: Final = ("answered", "perhaps", "sources_disagree", "no_answer")
"""States that follow from a result alone; a changed page is seen only beside its stored text."""

DOUBTS: Final[Mapping[str, str]] = {
    "perhaps": "Perhaps: these passages come nearest to the question, but may not answer it.",
    "sources_disagree": "Sources disagree.",
}
"""The sentence that people read before an answer in such a state, wherever they read it."""


def answer_state(result: Mapping[str, Any], *, page_changed: bool = False) -> AnswerState:
    """Falls with the weakest part of an answer: a quote that is found is not yet a fact.

    `page_changed`: the stored text of a cited page is not the text that was cited.
    """
    if not result["answered"]:
        return "no_answer"
    if page_changed:
        return "page_has_changed"
    if result["contradictions"]:
        return "sources_disagree"
    return "answered" if result["confidence"] >= LIKELY else "perhaps"
