"""The stored result of a search: the answer, its citations, and its sources with their quality."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from app.domains.passages import service as passages
from app.engine.answer import quality
from app.engine.answer.evidence import Answer, Citation
from app.engine.retrieval.query import Query
from app.engine.retrieval.rank import Ranked
from app.engine.text.analysis import primary_language


@dataclass(frozen=True, slots=True)
class Material:
    """What the answer was made from. `snapshots` are in the order its source indexes count."""

    snapshots: Sequence[passages.Snapshot]
    ranked: Sequence[Ranked]
    located: Mapping[int, passages.Located]
    asked_at: datetime


def compose(
    query: Query,
    answer: Answer,
    material: Material,
    *,
    seconds: dict[str, float],
    hits: int,
) -> tuple[dict[str, Any], dict[int, UUID]]:
    """The result as contract 3 describes it, and the snapshot of each source number."""
    ranked: dict[UUID, list[Ranked]] = defaultdict(list)
    for found in material.ranked:
        ranked[material.located[found.passage.id].snapshot_id].append(found)
    numbered = {n: material.snapshots[index] for n, index in enumerate(answer.sources, start=1)}
    sources = [
        _source(n, snapshot, query, ranked[snapshot.id], material.asked_at)
        for n, snapshot in numbered.items()
    ]
    written = {
        "answer": answer.text,
        "answered": answer.answered,
        "answer_mode": "extractive",
        "sources": sources,
        "citations": [_citation(citation) for citation in answer.citations],
        "stats": {
            "engines": [{"engine": "corpora", "outcome": "ok" if hits else "empty", "hits": hits}],
            "pages_read": len(material.snapshots),
            "seconds": seconds,
        },
    }
    return written, {n: snapshot.id for n, snapshot in numbered.items()}


def _source(
    n: int, snapshot: passages.Snapshot, query: Query, ranked: Sequence[Ranked], now: datetime
) -> dict[str, Any]:
    scored = asdict(quality.quality(_facts(snapshot, query, ranked, now)))
    return {
        "n": n,
        "title": snapshot.title or snapshot.url,
        "url": snapshot.url,
        "quality_score": scored.pop("quality_score"),
        "quality": scored,
        "published_at": _time(snapshot.published_at),
        "fetched_at": _time(snapshot.fetched_at),
        "content_hash": snapshot.content_hash,
    }


def _facts(
    snapshot: passages.Snapshot, query: Query, ranked: Sequence[Ranked], now: datetime
) -> quality.SourceFacts:
    """What is known of the page; what is not (who links to it, who agrees) stays None."""
    language = primary_language(snapshot.language)
    return quality.SourceFacts(
        relevance=[found.relevance for found in ranked],
        now=now,
        published_at=snapshot.published_at,
        content=quality.ContentFacts(
            words=len(snapshot.text.split()),
            main_text_ratio=snapshot.facts.get("main_text_ratio"),
            language_matches=language in query.by_language if language else None,
        ),
    )


def _citation(citation: Citation) -> dict[str, Any]:
    return {**asdict(citation), "source": citation.n}


def _time(at: datetime | None) -> str | None:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z") if at else None
