"""What a search tells about the engines it asked and the pages it read."""

from collections import Counter

import pytest

from app.engine.web.engines import Report
from app.engine.web.hits import WebHit
from app.engine.web.interface import Notice
from workers.searches import engine_reports
from workers.searches.web_pages import WebPages

HITS = tuple(WebHit(f"https://e.org/{n}", "t", "s", None, ("one",)) for n in range(2))


def test_an_engine_asked_twice_has_one_row_with_every_address_once() -> None:
    reports = (
        Report("one", "ok", HITS, seconds=0.5),
        Report("one", "ok", HITS[:1], seconds=0.25),
    )
    assert engine_reports.rows(WebPages(reports)) == [
        {"engine": "one", "outcome": "ok", "hits": 2, "seconds": 0.75}
    ]


def test_an_engine_that_answered_any_question_is_ok() -> None:
    reports = (Report("one", "slow"), Report("one", "ok", HITS))
    assert engine_reports.rows(WebPages(reports))[0]["outcome"] == "ok"
    assert engine_reports.warnings(WebPages(reports)) == []


def test_engines_behind_an_engine_have_rows_of_their_own() -> None:
    report = Report("one", "ok", HITS, (Notice("behind", "blocked"),))
    assert engine_reports.rows(WebPages((report,)))[1] == {
        "engine": "one/behind",
        "outcome": "blocked",
        "hits": 0,
    }
    assert engine_reports.warnings(WebPages((report,))) == [
        "engine_incomplete: one answered without behind."
    ]


@pytest.mark.parametrize("outcome", ["empty", "blocked", "slow", "failed", "skipped"])
def test_an_engine_that_gave_nothing_is_warned_of(outcome: str) -> None:
    (warning,) = engine_reports.warnings(WebPages((Report("one", outcome),)))  # type: ignore[arg-type]
    assert warning.startswith(f"engine_{outcome}: one ")


def test_stale_and_unread_pages_are_counted() -> None:
    outcomes = Counter(read=3, duplicate=1, left_out=2, stale=2, too_costly=1, http_404=1)
    stale, unread = engine_reports.warnings(WebPages(outcomes=outcomes))
    assert stale.startswith("pages_stale: 2 ")
    assert unread.startswith("pages_unread: 2 ")


def test_without_engines_nothing_is_told() -> None:
    assert engine_reports.rows(WebPages()) == engine_reports.warnings(WebPages()) == []
