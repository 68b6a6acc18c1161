"""Searches, later: from the question to the cited answer, without holding a transaction."""

from typing import Any

from app.core import db
from app.domains.library.corpora import service as corpora
from app.domains.library.passages.index import lexical_store
from app.domains.library.passages.index.generation_store import namespace_of
from app.domains.queue.jobs.service import Finish
from app.domains.search.searches import result, store
from app.domains.search.searches import service as searches
from app.domains.search.searches.answer_state import answer_state
from app.domains.search.searches.source_quality import Material
from app.engine.answer.evidence import Evidence
from app.engine.answer.extracts.excerpts import DEFAULT_CHARACTERS, SourceExcerpt, excerpts_of
from app.engine.answer.extracts.extracts import Extracts
from app.engine.search.overlap import Overlap
from app.engine.search.query import Query, parse
from workers.page_reader import pages_read
from workers.queue.attempt import Attempt, handles
from workers.searches import answers, engine_reports
from workers.searches.candidates import Candidates, retrieve
from workers.searches.further_context import FurtherContext
from workers.searches.memory import finish, remember
from workers.searches.own_corpora import SearchedCorpora, is_narrowed, searched_corpora
from workers.searches.source_facts import source_facts
from workers.searches.web_pages import WebPages, read_web

NOTHING_INDEXED = "nothing_indexed: this server has no corpus yet; see `citegrid-server index add`."
INDEXING = (
    "indexing_under_way: a corpus is being read for the first time; what it holds may be missing."
)
CORPUS_DELETED = "corpus_deleted: a corpus that was to be searched is deleted."
UNDATED_LEFT_OUT = "undated_left_out: pages without a publication date do not meet `freshness`."


@handles(searches.KIND)
def answer(attempt: Attempt) -> Finish:
    """Read the question, retrieve, rank, answer, score the sources."""
    attempt.stage("reading the question", 5, **pages_read([]))
    with db.reading() as reader:
        question = searches.question(reader, attempt.id)
        searched = searched_corpora(reader, question.account_id, question.options)
        namespaces = [namespace_of(account_id) for account_id in searched.accounts]
        languages = [x for ns in namespaces for x in lexical_store.languages(reader, ns)]
        indexing = corpora.indexing(reader)
    remembered = remember(attempt.settings, question)
    query = parse(question.searched, list(dict.fromkeys(languages)))

    web_pages = WebPages()
    if not is_narrowed(question.options):
        web_pages = read_web(attempt, query, question.options)
    read = pages_read([page.snapshot for page in web_pages.pages])
    attempt.stage("retrieving", 60 if web_pages.reports else 20, **read)
    candidates = retrieve(
        attempt.settings, query, question.options, web_pages, remembered.weigh, searched
    )

    attempt.stage("answering", 70, **pages_read(candidates.snapshots.values()))
    further = FurtherContext(
        attempt.settings, question.options, web_pages, remembered.weigh, searched
    )
    extracts = _extracts(query, candidates)
    notes = list(remembered.notes.values())
    answered = answers.answer(attempt, query, candidates, further, extracts, notes)
    if answered.candidates is not candidates:  # its passages are of sources numbered anew
        candidates = answered.candidates
        extracts = _extracts(query, candidates)
    excerpts = _excerpts(candidates, extracts, question.options)
    attempt.end_stage()

    written, cited = result.compose(
        query,
        answered.answer,
        Material(
            snapshots=list(candidates.snapshots.values()),
            ranked=candidates.ranked,
            located=candidates.located,
            asked_at=question.created_at,
            source_facts=source_facts(candidates, answered.answer),
            fresh=bool(question.options.get("freshness")),
        ),
        excerpts=excerpts,
        seconds=attempt.seconds,
        hits=candidates.hits,
        embedded=candidates.embedded,
        engines=engine_reports.rows(web_pages),
        pages=web_pages.outcomes,
        mode=answered.mode,
        model=answered.model,
    )
    if answered.model is not None:
        remembered.noted()
    if "persona_id" in question.options:
        written["memories"] = remembered.shown()
    warnings = [
        *remembered.warnings,
        *_warnings(candidates, question.options, searched, indexing=indexing),
        *candidates.warnings,
        *engine_reports.warnings(web_pages),
        *answered.warnings,
    ]

    def end(tx: db.Tx) -> None:
        store.complete(tx, attempt.id, written, answer_state(written), warnings, cited)
        finish(tx, question, remembered)

    return end


def _extracts(query: Query, candidates: Candidates) -> Extracts:
    return Extracts(query, Overlap(query, candidates.stats))


def _excerpts(
    candidates: Candidates, extracts: Extracts, options: dict[str, Any]
) -> dict[int, tuple[SourceExcerpt, ...]]:
    """By source."""
    evidence_by_source: dict[int, list[Evidence]] = {}
    for evidence in candidates.evidence():
        evidence_by_source.setdefault(evidence.source, []).append(evidence)
    max_chars = options.get("max_excerpt_chars", DEFAULT_CHARACTERS)
    return excerpts_of(evidence_by_source, extracts, max_chars)


def _warnings(
    candidates: Candidates, options: dict[str, Any], searched: SearchedCorpora, *, indexing: bool
) -> list[str]:
    warnings = [CORPUS_DELETED] if searched.some_deleted else []
    if indexing:
        warnings.append(INDEXING)
    elif not candidates.stats.n and not searched.some_deleted:
        warnings.append(NOTHING_INDEXED)
    if options.get("freshness"):
        warnings.append(UNDATED_LEFT_OUT)
    return warnings
