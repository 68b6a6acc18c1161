"""What a search is answered from: passages in their final order and the snapshots they stand in."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from app.core import db
from app.domains.passages import service as passages
from app.engine.answer.evidence import Evidence
from app.engine.retrieval.interface import Filter, Stats
from app.engine.retrieval.query import Query
from app.engine.retrieval.rank import Candidate, Ranked, collapse, rescore
from app.engine.text.analysis import Analyzer

ANALYZER = Analyzer()
RETRIEVER = passages.PostgresRetriever(db.reading, ANALYZER)

CANDIDATES = {"quick": 40, "standard": 100, "deep": 200}
PASSAGES_PER_SOURCE = 3
FRESHNESS_UNITS = {
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "m": timedelta(days=30),
    "y": timedelta(days=365),
}


@dataclass(frozen=True, slots=True)
class Found:
    """What retrieval gave: passages in their final order, and the text they were cut from."""

    ranked: list[Ranked]
    located: dict[int, passages.Located]
    snapshots: dict[UUID, passages.Snapshot]
    stats: Stats

    def evidence(self) -> list[Evidence]:
        """The passages as slices of their snapshots, which is what a citation will point into."""
        sources = {id: index for index, id in enumerate(self.snapshots)}
        return [self._slice(ranked, sources) for ranked in self.ranked]

    def _slice(self, ranked: Ranked, sources: dict[UUID, int]) -> Evidence:
        place = self.located[ranked.passage.id]
        return Evidence(
            source=sources[place.snapshot_id],
            snapshot=self.snapshots[place.snapshot_id].text,
            start=place.start_at,
            end=place.end_at,
            score=ranked.score,
            title=ranked.passage.title,
            headings=ranked.passage.headings,
            language=ranked.passage.language,
        )


def find(query: Query, options: dict[str, Any]) -> Found:
    """Retrieve, rank, keep what the options allow. `options` are those of the request."""
    stats = RETRIEVER.stats(passages.NAMESPACE, query.terms)
    most = CANDIDATES[options["depth"]]
    hits = RETRIEVER.lexical(passages.NAMESPACE, query.lexical(), most, _filter(options))
    with db.reading() as tx:
        located = {place.id: place for place in passages.located(tx, [h.passage_id for h in hits])}
    candidates = [
        Candidate(passages.indexed(located[hit.passage_id]), hit.score)
        for hit in hits
        if hit.passage_id in located  # its page may have been replaced a moment ago
    ]
    ordered = collapse(rescore(query, candidates, stats, ANALYZER), PASSAGES_PER_SOURCE)
    chosen = dict.fromkeys(located[ranked.passage.id].snapshot_id for ranked in ordered)
    kept = list(chosen)[: options["max_sources"]]
    with db.reading() as tx:
        texts = passages.snapshots(tx, kept)
    snapshots = {id: texts[id] for id in kept if id in texts}
    ranked = [r for r in ordered if located[r.passage.id].snapshot_id in snapshots]
    return Found(ranked, {r.passage.id: located[r.passage.id] for r in ranked}, snapshots, stats)


def _filter(options: dict[str, Any]) -> Filter | None:
    freshness = options.get("freshness")
    return Filter(
        include_domains=tuple(options.get("include_domains", ())),
        exclude_domains=tuple(options.get("exclude_domains", ())),
        published_after=(
            datetime.now(UTC) - int(freshness[:-1]) * FRESHNESS_UNITS[freshness[-1]]
            if freshness
            else None
        ),
    )
