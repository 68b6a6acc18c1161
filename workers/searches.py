"""Searches, later: from the question to the cited answer, without holding a transaction."""

from typing import Any

from app.core import db
from app.domains.jobs import service as jobs
from app.domains.passages import service as passages
from app.domains.searches import result
from app.domains.searches import service as searches
from app.engine.retrieval import query as queries
from workers import answering, engine_reports
from workers.finding import ANALYZER, Found, find
from workers.reading import browse
from workers.running import Running, handles
from workers.standing import standing

NOTHING_INDEXED = "nothing_indexed: this server has no corpus yet; see `citegrid-server index add`."
UNDATED_LEFT_OUT = "undated_left_out: pages without a publication date do not meet `freshness`."


@handles(searches.KIND)
def answer(running: Running) -> jobs.Finish:
    """Read the question, retrieve, rank, answer, score the sources."""
    running.stage("reading the question", 5, sources_found=0)
    with db.reading() as tx:
        asked = searches.asked(tx, running.id)
        languages = passages.languages(tx)
    query = queries.parse(asked.query, ANALYZER, languages)

    browsed = browse(running, query, asked.options, ANALYZER)
    running.stage("retrieving", 60 if browsed.reports else 20, sources_found=len(browsed.pages))
    found = find(running.settings, query, asked.options, browsed)

    running.stage("answering", 70, sources_found=len(found.snapshots))
    answered = answering.answer(running, query, found)
    running.end_stage()

    written, cited = result.compose(
        query,
        answered.answer,
        result.Material(
            snapshots=list(found.snapshots.values()),
            ranked=found.ranked,
            located=found.located,
            asked_at=asked.created_at,
            analyzer=ANALYZER,
            standing=standing(found, answered.answer),
            fresh=bool(asked.options.get("freshness")),
        ),
        seconds=running.seconds,
        hits=found.hits,
        engines=engine_reports.rows(browsed),
        pages=browsed.outcomes,
        mode=answered.mode,
        model=answered.model,
    )
    warnings = [
        *_warnings(found, asked.options),
        *found.warnings,
        *engine_reports.warnings(browsed),
        *answered.warnings,
    ]
    return lambda tx: searches.complete(tx, running.id, written, warnings, cited)


def _warnings(found: Found, options: dict[str, Any]) -> list[str]:
    warnings = []
    if not found.stats.n:
        warnings.append(NOTHING_INDEXED)
    if options.get("freshness"):
        warnings.append(UNDATED_LEFT_OUT)
    return warnings
