"""A finished search as the operator's commands print it."""

import uuid
from datetime import UTC, datetime
from typing import Any

from app.domains.search.searches.store import Search
from app.local.questions import lines

NOW = datetime(2026, 11, 1, tzinfo=UTC)
CITATION = {"source": 1, "quote": "It hunts. It lays five eggs.", "start": 10, "end": 38}
LEAD = {"lead_start": 20, "lead_end": 38}
EXCERPT = {"text": "It hunts. It lays five eggs.", "start": 10, "end": 38, **LEAD}


def printed(citations: list[dict[str, Any]], state: str = "answered", **source: Any) -> list[str]:
    known = {"n": 1, "title": "Owls", "url": "https://a.example.org/", "quality_score": 0.5}
    answer = "Five [1].\n\nIn spring [1]."
    result = {"answer": answer, "citations": citations, "sources": [{**known, **source}]}
    search = Search(
        id=uuid.uuid4(),
        query="q",
        follows=None,
        created_at=NOW,
        expires_at=NOW,
        warnings=[],
        result=result,
        answer_state=state,
        state="succeeded",
        attempt=1,
        progress={},
        error=None,
        started_at=NOW,
        finished_at=NOW,
        deadline_at=NOW,
    )
    return list(lines(search))


def test_an_answer_of_several_paragraphs_is_printed_line_by_line() -> None:
    assert printed([CITATION])[:4] == ["Five [1].", "", "In spring [1].", ""]


def test_a_perhaps_is_told_before_the_answer() -> None:
    first, blank, answer, *_ = printed([CITATION], state="perhaps")
    assert first.startswith("Perhaps: ")
    assert (blank, answer) == ("", "Five [1].")


def test_of_a_quote_the_part_is_printed_that_answers() -> None:
    assert printed([{**CITATION, **LEAD}])[-1] == "    10-38: “It lays five eggs.”"


def test_a_quote_without_a_lead_is_printed_whole() -> None:
    assert printed([CITATION])[-1] == "    10-38: “It hunts. It lays five eggs.”"


def test_without_an_answer_the_best_excerpt_is_printed() -> None:
    assert printed([], excerpts=[EXCERPT])[-1] == "    10-38: “It lays five eggs.”"


def test_without_an_answer_and_excerpts_the_source_is_printed() -> None:
    assert printed([])[-1] == "[1] Owls  https://a.example.org/"
