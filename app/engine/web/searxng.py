"""SearXNG: one instance, many engines behind it (docs.searxng.org/dev/search_api.html)."""

import time
from collections.abc import Iterator
from typing import Any, Final

from app.engine.origin import Origin, OriginFailed
from app.engine.web.hits import MOST_ENGINES, WebHit, distinct, hit, named, rows
from app.engine.web.interface import (
    DAY,
    MONTH,
    WEEK,
    YEAR,
    EngineAnswer,
    HitLimits,
    Notice,
    Outcome,
    period,
)

_RANGES: Final = {DAY: "day", WEEK: "week", MONTH: "month", YEAR: "year"}
_MOST_BYTES: Final = 4 * 1024 * 1024
_BLOCKED: Final = ("captcha", "denied", "suspended", "too many", "quota")


class SearXNG:
    """The instance at `url`, which must offer the JSON format."""

    name = "searxng"

    def __init__(self, url: str, *, gap_seconds: float) -> None:
        """Raises ValueError for what is no base URL."""
        self._origin = Origin(url, max_bytes=_MOST_BYTES)
        self.gap_seconds = gap_seconds

    def search(self, query: str, limits: HitLimits, deadline: float) -> EngineAnswer:
        """See `WebEngine.search`. Nothing is believed of `number_of_results`, which is often 0."""
        params = {"q": query, "format": "json", "language": limits.language or "all"}
        if time_range := period(limits.freshness, _RANGES):
            params["time_range"] = time_range
        seconds = deadline - time.monotonic()
        if seconds <= 0:
            raise OriginFailed(self._origin.host, "slow")
        answer = self._origin.get("/search", params, seconds=seconds)
        if not isinstance(answer, dict) or not isinstance(answer.get("results"), list):
            raise OriginFailed(self._origin.host, "broken")
        hits = distinct(map(self._hit, rows(answer["results"])), limits.limit)
        notices = tuple(_notices(answer.get("unresponsive_engines")))
        if not hits and notices:  # nothing found because nobody could look
            blocked = any(notice.outcome == "blocked" for notice in notices)
            raise OriginFailed(self._origin.host, "blocked" if blocked else "broken")
        return EngineAnswer(hits, notices)

    def _hit(self, row: dict[str, Any]) -> WebHit | None:
        behind = named(row.get("engines")) or named([row.get("engine")])
        return hit(
            url=row.get("url"),
            title=row.get("title"),
            snippet=row.get("content"),
            published=row.get("publishedDate"),
            engines=behind or (self.name,),
        )


def _notices(unresponsive: Any) -> Iterator[Notice]:
    """Of pairs such as ["google", "CAPTCHA"]."""
    for pair in unresponsive[:MOST_ENGINES] if isinstance(unresponsive, list) else []:
        if not isinstance(pair, list) or not all(isinstance(x, str) for x in pair):
            continue
        for name in named(pair[:1]):
            yield Notice(name, _outcome(" ".join(pair[1:]).lower()))


def _outcome(reason: str) -> Outcome:
    if any(word in reason for word in _BLOCKED):
        return "blocked"
    return "slow" if "timeout" in reason else "failed"
