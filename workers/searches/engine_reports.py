"""The report of a search on the engines it asked and the pages it read."""

from collections.abc import Sequence
from typing import Any

from app.engine.web.engines import Report
from workers.searches.web_pages import WebPages

_SENTENCES = {
    "empty": "engine_empty: {} found nothing.",
    "blocked": "engine_blocked: {} refuses to answer at the moment.",
    "slow": "engine_slow: {} did not answer in time.",
    "failed": "engine_failed: {} gave no usable answer.",
    "skipped": "engine_skipped: {} was not asked, since it failed or was asked too often lately.",
}
_BEHIND = "engine_incomplete: {} answered without {}."
_STALE = "pages_stale: {} pages are copies of an earlier day or hour; their sites do not answer."
_UNREAD = "pages_unread: {} pages that were found could not be read."
_WELL = frozenset({"read", "stale", "duplicate", "left_out"})


def rows(web_pages: WebPages) -> list[dict[str, Any]]:
    """`stats.engines` of the engines queried, and of failed ones behind them, `engine/other`."""
    return [row for own in _by_engine(web_pages) for row in _rows(own)]


def _rows(own: Sequence[Report]) -> list[dict[str, Any]]:
    name = own[0].engine
    behind = {notice.engine: notice.outcome for report in own for notice in report.notices}
    row = {
        "engine": name,
        "outcome": _outcome(own),
        "hits": len({hit.url for report in own for hit in report.hits}),
        "seconds": round(sum(report.seconds for report in own), 4),
    }
    return [
        row,
        *(
            {"engine": f"{name}/{other}", "outcome": outcome, "hits": 0}
            for other, outcome in sorted(behind.items())
        ),
    ]


def _by_engine(web_pages: WebPages) -> list[list[Report]]:
    own: dict[str, list[Report]] = {}
    for report in web_pages.reports:
        own.setdefault(report.engine, []).append(report)
    return list(own.values())


def _outcome(own: Sequence[Report]) -> str:
    """`ok` if any question was answered, else what came of the first."""
    return next((x.outcome for x in own if x.outcome == "ok"), own[0].outcome)


def warnings(web_pages: WebPages) -> list[str]:
    """A sentence for each engine that did not answer and for pages that are not what they were."""
    sentences = []
    for own in _by_engine(web_pages):
        name, outcome = own[0].engine, _outcome(own)
        if outcome != "ok":
            sentences.append(_SENTENCES[outcome].format(name))
        if behind := sorted({notice.engine for report in own for notice in report.notices}):
            sentences.append(_BEHIND.format(name, ", ".join(behind)))
    if stale := web_pages.outcomes["stale"]:
        sentences.append(_STALE.format(stale))
    if unread := sum(n for outcome, n in web_pages.outcomes.items() if outcome not in _WELL):
        sentences.append(_UNREAD.format(unread))
    return sentences
