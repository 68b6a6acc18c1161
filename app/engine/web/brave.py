"""Brave Search API (api-dashboard.search.brave.com/app/documentation/web-search)."""

import time
from typing import Any, Final

from app.engine.origin import Origin, OriginFailed
from app.engine.web.hits import WebHit, distinct, hit, rows
from app.engine.web.interface import DAY, MONTH, WEEK, YEAR, EngineAnswer, HitLimits, period

_PERIODS: Final = {DAY: "pd", WEEK: "pw", MONTH: "pm", YEAR: "py"}
_MOST_RESULTS: Final = 20
_MOST_BYTES: Final = 4 * 1024 * 1024
# The API refuses codes it does not list; of its list, those that are plain ISO 639-1.
_LANGUAGES: Final = frozenset({
    "ar", "bg", "bn", "ca", "cs", "da", "de", "en", "es", "et", "eu", "fi", "fr", "gl", "gu", "he",
    "hi", "hr", "hu", "is", "it", "kn", "ko", "lt", "lv", "ml", "mr", "ms", "nb", "nl", "pa", "pl",
    "ro", "ru", "sk", "sl", "sr", "sv", "ta", "te", "th", "tr", "uk", "vi",
})  # fmt: skip


class Brave:
    """The API at `url`, asked with a subscription's `key`."""

    name = "brave"

    def __init__(self, url: str, key: str, *, gap_seconds: float) -> None:
        """Raises ValueError for what is no base URL."""
        self._origin = Origin(url, headers={"X-Subscription-Token": key}, max_bytes=_MOST_BYTES)
        self.gap_seconds = gap_seconds

    def search(self, query: str, limits: HitLimits, deadline: float) -> EngineAnswer:
        params = {
            "q": query,
            "count": str(min(limits.limit, _MOST_RESULTS)),
            "result_filter": "web",
            "text_decorations": "false",
        }
        if limits.language in _LANGUAGES:
            params["search_lang"] = limits.language
        if span := period(limits.freshness, _PERIODS):
            params["freshness"] = span
        seconds = deadline - time.monotonic()
        if seconds <= 0:
            raise OriginFailed(self._origin.host, "slow")
        answer = self._origin.get("/res/v1/web/search", params, seconds=seconds)
        if not isinstance(answer, dict):
            raise OriginFailed(self._origin.host, "broken")
        found = answer.get("web")  # left out when nothing was found
        listed = found.get("results") if isinstance(found, dict) else None
        return EngineAnswer(distinct(map(self._hit, rows(listed)), limits.limit))

    def _hit(self, row: dict[str, Any]) -> WebHit | None:
        return hit(
            url=row.get("url"),
            title=row.get("title"),
            snippet=row.get("description"),
            published=row.get("page_age"),
            engines=(self.name,),
        )
