"""The stored result of a search: the answer, its citations, and its sources with their quality."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal
from uuid import UUID

from app.core.http.fields import rfc3339
from app.domains.library.passages.store import Snapshot
from app.domains.search.searches.source_quality import Material, ScoredSource, score
from app.engine.answer.evidence import Answer, Citation
from app.engine.answer.extracts.excerpts import SourceExcerpt
from app.engine.pages.page import page_number
from app.engine.search.query import Query


def compose(
    query: Query,
    answer: Answer,
    material: Material,
    *,
    excerpts: Mapping[int, Sequence[SourceExcerpt]],
    seconds: dict[str, float],
    hits: int,
    embedded: float | None = None,
    engines: Sequence[dict[str, Any]] = (),
    pages: Mapping[str, int] | None = None,
    mode: Literal["extractive", "written"] = "extractive",
    model: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], dict[int, UUID]]:
    """The result as SearchOut describes it, and the snapshot of each source number.

    `excerpts` are by the index of their source. `hits` are of the corpora; `engines` say the same
    of the web, `pages` what came of its pages, `model` what came of asking the one that is
    configured. `embedded` is the share of the candidates that had a vector.
    """
    scored = score(query, answer, material)
    numbered = {n: material.snapshots[x.source] for n, x in enumerate(scored, start=1)}
    sources = [
        _source(n, numbered[n], x, excerpts.get(x.source, ()))
        for n, x in enumerate(scored, start=1)
    ]
    written = {
        "answer": answer.text,
        "answered": answer.answered,
        "confidence": round(answer.confidence.answer, 4),
        "sources_confidence": round(answer.confidence.sources, 4),
        "answer_mode": mode,
        "sources": sources,
        "citations": [_citation(citation, numbered[citation.n]) for citation in answer.citations],
        "contradictions": [asdict(found) for found in answer.contradictions],
        "stats": {
            "engines": [
                {"engine": "corpora", "outcome": "ok" if hits else "empty", "hits": hits},
                *engines,
            ],
            "pages_read": len(material.snapshots),
            "seconds": seconds,
            **({} if embedded is None else {"embedded": round(embedded, 4)}),
            **({"pages": dict(pages)} if pages else {}),
            **({"model": dict(model)} if model else {}),
        },
    }
    return written, {n: snapshot.id for n, snapshot in numbered.items()}


def _source(
    n: int, snapshot: Snapshot, scored: ScoredSource, excerpts: Sequence[SourceExcerpt]
) -> dict[str, Any]:
    rated = asdict(scored.quality)
    return {
        "n": n,
        "title": snapshot.title or snapshot.url,
        "url": snapshot.url,
        "quality_score": rated.pop("quality_score"),
        "quality": {**rated, "basis": scored.basis},
        "published_at": rfc3339(snapshot.published_at),
        "fetched_at": rfc3339(snapshot.fetched_at),
        "content_hash": snapshot.content_hash,
        "excerpts": [{**asdict(x), **_page(snapshot, x.lead_start)} for x in excerpts],
    }


def _citation(citation: Citation, snapshot: Snapshot) -> dict[str, Any]:
    return {
        **asdict(citation),
        "source": citation.n,
        **_page(snapshot, citation.lead_start),
    }


def _page(snapshot: Snapshot, at: int) -> dict[str, int]:
    """The page of the document that a place is on, if it has pages."""
    page = page_number(snapshot.facts.get("pages", ()), at)
    return {"page": page} if page else {}
