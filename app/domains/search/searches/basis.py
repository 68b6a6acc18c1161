"""The basis of each part of a quality score, as the API shows it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.core.http.fields import rfc3339
from app.domains.library.passages.store import LocatedPassage, Snapshot
from app.engine.answer.confidence import quality
from app.engine.search.rank import RankedPassage

Basis = dict[str, dict[str, Any]]


def explain(
    facts: quality.SourceFacts,
    snapshot: Snapshot,
    domain: str,
    best: tuple[RankedPassage, LocatedPassage] | None,
    supported_by: Sequence[int],
) -> Basis:
    """The facts behind each part, in JSON's types; null is not known.

    `best` is the most relevant passage and its place, `supported_by` are source numbers.
    """
    return {
        "relevance": asdict(_relevance(best)),
        "authority": _authority(facts, domain),
        "freshness": _freshness(facts, snapshot),
        "content": _content(facts, snapshot),
        "agreement": _agreement(facts.support, supported_by),
    }


@dataclass(frozen=True, slots=True)
class _Relevance:
    coverage: float | None = None
    best_sentence: float | None = None
    bigram: float | None = None
    cosine: float | None = None
    start: int | None = None
    end: int | None = None


def _relevance(best: tuple[RankedPassage, LocatedPassage] | None) -> _Relevance:
    if best is None:
        return _Relevance()
    ranked, place = best
    return _Relevance(
        coverage=round(ranked.relevance.coverage, 3),
        best_sentence=round(ranked.relevance.best_sentence, 3),
        bigram=round(ranked.relevance.bigram, 3),
        cosine=None if ranked.cosine is None else round(ranked.cosine, 3),
        start=place.start_at,
        end=place.end_at,
    )


def _authority(facts: quality.SourceFacts, domain: str) -> dict[str, Any]:
    identity = facts.identity or quality.PublisherIdentity(None, None, None, None)
    return {
        "domain": domain,
        "list": facts.listed,
        "linking_domains": facts.linking_domains,
        "engines_returning": facts.engines_returning,
        "engines_asked": facts.engines_asked,
        **asdict(identity),
    }


def _freshness(facts: quality.SourceFacts, snapshot: Snapshot) -> dict[str, Any]:
    return {
        "published_at": rfc3339(facts.published_at),
        "source": snapshot.facts.get("published_source"),
        "precision": snapshot.facts.get("published_precision"),
        "wants_fresh": facts.wants_fresh,
        "half_life_days": round(quality.half_life_days(facts.wants_fresh)),
    }


def _agreement(support: quality.Support | None, supported_by: Sequence[int]) -> dict[str, Any]:
    known = support or quality.Support(0, 0, 1)
    return {**asdict(known), "supported_by": list(supported_by)}


def _content(facts: quality.SourceFacts, snapshot: Snapshot) -> dict[str, Any]:
    known = asdict(facts.content) if facts.content else {}
    blocked = known.pop("blocked", None)
    return {
        **known,
        "language": snapshot.language,
        "blocked": None if blocked is None else blocked or "no",
    }
