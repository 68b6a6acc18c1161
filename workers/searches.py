"""Searches, later: from the question to the cited answer, without holding a transaction."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from app.core import db
from app.domains.jobs import service as jobs
from app.domains.passages import service as passages
from app.domains.searches import result
from app.domains.searches import service as searches
from app.engine.answer import extractive
from app.engine.answer.evidence import Evidence
from app.engine.retrieval import query as queries
from app.engine.retrieval.interface import Filter, Stats
from app.engine.retrieval.query import Query
from app.engine.retrieval.rank import Candidate, Ranked, collapse, rescore
from app.engine.text.analysis import Analyzer
from workers.running import Running, handles

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

NOTHING_INDEXED = "nothing_indexed: this server has no corpus yet; see `citegrid-server index add`."
UNDATED_LEFT_OUT = "undated_left_out: pages without a publication date do not meet `freshness`."


@dataclass(frozen=True, slots=True)
class Found:
    """What retrieval gave: passages in their final order, and the text they were cut from."""

    ranked: list[Ranked]
    located: dict[int, passages.Located]
    snapshots: dict[UUID, passages.Snapshot]
    stats: Stats


@handles(searches.KIND)
def answer(running: Running) -> jobs.Finish:
    """Read the question, retrieve, rank, answer, score the sources."""
    running.stage("reading the question", 5, sources_found=0)
    with db.reading() as tx:
        asked = searches.asked(tx, running.id)
        languages = passages.languages(tx)
    query = queries.parse(asked.query, ANALYZER, languages)

    running.stage("retrieving", 20, sources_found=0)
    found = _retrieve(query, asked.options)

    running.stage("answering", 70, sources_found=len(found.snapshots))
    answered = extractive.answer(query, _evidence(found), found.stats, ANALYZER)
    running.end_stage()

    written, cited = result.compose(
        query,
        answered,
        result.Material(
            snapshots=list(found.snapshots.values()),
            ranked=found.ranked,
            located=found.located,
            asked_at=asked.created_at,
        ),
        seconds=running.seconds,
        hits=len(found.located),
    )
    warnings = _warnings(found, asked.options)
    return lambda tx: searches.complete(tx, running.id, written, warnings, cited)


def _retrieve(query: Query, options: dict[str, Any]) -> Found:
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


def _evidence(found: Found) -> list[Evidence]:
    """The passages as slices of their snapshots, which is what a citation will point into."""
    sources = {id: index for index, id in enumerate(found.snapshots)}
    evidence = []
    for ranked in found.ranked:
        place = found.located[ranked.passage.id]
        evidence.append(
            Evidence(
                source=sources[place.snapshot_id],
                snapshot=found.snapshots[place.snapshot_id].text,
                start=place.start_at,
                end=place.end_at,
                score=ranked.score,
                title=ranked.passage.title,
                headings=ranked.passage.headings,
                language=ranked.passage.language,
            )
        )
    return evidence


def _warnings(found: Found, options: dict[str, Any]) -> list[str]:
    warnings = []
    if not found.stats.n:
        warnings.append(NOTHING_INDEXED)
    if options.get("freshness"):
        warnings.append(UNDATED_LEFT_OUT)
    return warnings
