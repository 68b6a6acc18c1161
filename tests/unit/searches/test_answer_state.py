"""The one state of an answer falls with its weakest part."""

from typing import Any

from app.domains.search.searches.answer_state import answer_state


def result(**changes: Any) -> dict[str, Any]:
    return {"answered": True, "confidence": 0.9, "contradictions": [], **changes}


DISAGREEING = [{"values": ["four", "nine"], "citations": [1, 2]}]


def test_an_answer_that_nothing_contradicts_is_answered() -> None:
    assert answer_state(result()) == "answered"


def test_an_answer_that_is_more_probably_not_right_is_a_perhaps() -> None:
    assert answer_state(result(confidence=0.49)) == "perhaps"
    assert answer_state(result(confidence=0.5)) == "answered"


def test_sources_that_disagree_are_not_an_answer() -> None:
    assert answer_state(result(contradictions=DISAGREEING)) == "sources_disagree"


def test_a_changed_page_outweighs_all_that_was_cited() -> None:
    found = result(contradictions=DISAGREEING)
    assert answer_state(found, page_changed=True) == "page_has_changed"


def test_no_answer_stays_one_whatever_else_is_so() -> None:
    assert answer_state(result(answered=False), page_changed=True) == "no_answer"
