"""The interface of a web search engine, and the ways it can fail."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, Protocol

from app.engine.web.hits import WebHit

Outcome = Literal["ok", "empty", "blocked", "slow", "failed", "skipped"]
"""Results; none; refused (a captcha, a quota, a key); out of time; no usable answer; not asked,
because it failed too often or was asked too much a moment ago."""


@dataclass(frozen=True, slots=True)
class Notice:
    """An engine's report of another one that it queried for us without success."""

    engine: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """Clean results, best first, each address once."""

    hits: tuple[WebHit, ...]
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class HitLimits:
    """At most `limit` results; `freshness` is how old a page may be, as nearly as an engine can
    tell, and `language` an ISO 639-1 code."""

    limit: int
    freshness: timedelta | None
    language: str | None


class WebEngine(Protocol):
    """One configured engine; threads share it."""

    @property
    def name(self) -> str: ...

    @property
    def gap_seconds(self) -> float:
        """The pause it is left between two queries, over all processes."""

    def search(self, query: str, limits: HitLimits, deadline: float) -> EngineAnswer:
        """The results for `query`, which may hold `site:` and `-site:`.

        `deadline` is a time.monotonic() moment. Raises OriginFailed.
        """


DAY, WEEK, MONTH, YEAR = (timedelta(days=days) for days in (1, 7, 31, 366))


def period(freshness: timedelta | None, names: dict[timedelta, str]) -> str | None:
    """The name of the shortest period that holds `freshness`; None when none does."""
    if freshness is None:
        return None
    return next((names[long] for long in sorted(names) if freshness <= long), None)
