"""The results of all engines as one list."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.engine.web.engines import Report

_RANK_CONSTANT = 60  # Cormack, Clarke, Buettcher 2009


@dataclass(frozen=True, slots=True)
class WebResult:
    """One address; `engines` names the indexes that returned it."""

    url: str
    engines: frozenset[str]
    published_at: datetime | None


def fused(reports: Sequence[Report]) -> list[WebResult]:
    """Every address once, best first by reciprocal rank fusion; ties as first seen."""
    scores: defaultdict[str, float] = defaultdict(float)
    engines: defaultdict[str, set[str]] = defaultdict(set)
    dates: dict[str, datetime] = {}
    for report in reports:
        for rank, hit in enumerate(report.hits, start=1):
            scores[hit.url] += 1 / (_RANK_CONSTANT + rank)
            engines[hit.url] |= set(hit.engines)
            if hit.published_at is not None:
                dates.setdefault(hit.url, hit.published_at)
    best = sorted(scores, key=lambda url: -scores[url])
    return [WebResult(url, frozenset(engines[url]), dates.get(url)) for url in best]


def indexes(reports: Sequence[Report]) -> frozenset[str]:
    """The indexes that were heard: each engine that answered, or those it says it asked."""
    heard = {name for report in reports for hit in report.hits for name in hit.engines}
    silent = {r.engine for r in reports if r.outcome == "empty"}
    return frozenset(heard | silent)
