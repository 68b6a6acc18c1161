"""Corpora: what the operator has indexed, and how each is kept fresh.

A refresh is a pass over the pages of a corpus, by one job after another: each works for a while and
promises the next, so that other corpora have their turn and a large one no deadline to miss. Pages
are written as they are read (`differences`), with the pass that saw them last. So whichever job
takes a pass up goes on where the last one stopped, even if that one died or failed.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.core.db.costly import Costly
from app.core.errors import AppError, Conflict, NotFound, required
from app.domains.account.audit.service import record_event
from app.domains.library.corpora import link_store, page_store, store
from app.domains.library.corpora.options import (
    check_interval,
    check_location,
    check_name,
    read_options,
)
from app.domains.library.corpora.page_store import PageFailure, Reason
from app.domains.library.corpora.store import Corpus, CorpusCounts
from app.domains.library.corpora.visits import READABLE, WELL
from app.domains.library.passages import service as passages
from app.domains.queue.jobs import kinds, schedule_store, schedules
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs import store as job_store
from app.engine.pages.site.registrable import domain_of_url

REFRESH = kinds.register("corpora.refresh", queue="corpora", deadline_seconds=2 * 3600)
_PAGES_PER_STEP = 200


class CorpusNotFound(NotFound):
    """No corpus has this id or name."""

    code = "corpus_not_found"


class CorpusExists(Conflict):
    """A corpus with this name already exists."""

    code = "corpus_exists"


class CorpusUnreadable(AppError):
    """No readable page was found. Run `citegrid-server index failures` for details."""

    code, status = "corpus_unreadable", 502


def add(
    tx: Tx,
    name: str,
    kind: str,
    location: str,
    options: Mapping[str, Any] | None = None,
    *,
    refresh_every_seconds: int | None = None,
) -> UUID:
    """Name a site, a sitemap or a folder to be indexed; nothing is read before a `refresh`.

    With `refresh_every_seconds` (60 or more) it refreshes itself from then on. Raises
    InvalidCorpus, CorpusExists.
    """
    check_name(name)
    location = check_location(kind, location)
    checked = read_options(options or {})
    check_interval(refresh_every_seconds)
    id = ids.new()
    schedule_id = _schedule(tx, id, refresh_every_seconds) if refresh_every_seconds else None
    if not store.insert(
        tx,
        id=id,
        name=name,
        kind=kind,
        location=location,
        options=asdict(checked),
        schedule_id=schedule_id,
    ):
        raise CorpusExists
    record_event(tx, "corpus.added", name, kind=kind)
    return id


def _schedule(tx: Tx, id: UUID, every_seconds: int) -> UUID:
    return schedules.add(
        tx,
        REFRESH,
        jobs.OPERATOR,
        {"corpus_id": str(id)},
        every_seconds=every_seconds,
        starts_at=schedule_store.clock(tx) + timedelta(seconds=every_seconds),
    )


def remove(tx: Tx, name: str) -> bool:
    """Forget a corpus and take its pages out of the index; a running refresh is cancelled.

    A step of it, so that no transaction holds locks for long: False until the corpus is gone.
    Snapshots that an answer cites stay. Raises CorpusNotFound.
    """
    corpus = find(tx, name)
    if corpus.refresh_job_id is not None:
        jobs.cancel(tx, corpus.refresh_job_id)
    if corpus.schedule_id is not None:
        schedule_store.delete(tx, corpus.schedule_id)
    pages = page_store.some(tx, corpus.id, _PAGES_PER_STEP)
    _drop(tx, pages)
    if len(pages) == _PAGES_PER_STEP:
        return False
    store.delete(tx, corpus.id)
    record_event(tx, "corpus.removed", name)
    return True


def _drop(tx: Tx, pages: list[UUID]) -> None:
    passages.remove(tx, pages)
    page_store.delete(tx, pages)


def find(tx: Tx, name: str) -> Corpus:
    """The corpus, locked against another change. Raises CorpusNotFound."""
    return required(store.lock_by_name(tx, name), CorpusNotFound)


@dataclass(frozen=True, slots=True)
class Refresh:
    """A refresh as one thing, whichever of its jobs is at it: `running` from the first on."""

    job_id: UUID
    state: str
    progress: dict[str, Any]
    error: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class CorpusSummary:
    """A corpus with what it holds; `refresh` is its last refresh, None when there was none."""

    corpus: Corpus
    pages: int
    passages: int
    failed: int
    refresh: Refresh | None


_counts: Costly[list[CorpusCounts]] = Costly()


def listing(
    reader: Reader, held: dict[UUID, CorpusCounts], after: str = "", most: int | None = None
) -> list[CorpusSummary]:
    """Corpora by name with their counts `held`, from behind `after`; all, or the first `most`."""
    return [_summary(reader, corpus, held) for corpus in store.every(reader, after)[:most]]


def counts(reader: Reader) -> dict[UUID, CorpusCounts]:
    """The counts of corpora by their ids; one without pages has none."""
    rows = _counts.of(None, lambda: store.counts(reader, sorted(WELL)))
    return {row.corpus_id: row for row in rows}


def _summary(reader: Reader, corpus: Corpus, counts: dict[UUID, CorpusCounts]) -> CorpusSummary:
    held = counts.get(corpus.id) or CorpusCounts(corpus.id)
    return CorpusSummary(corpus, held.pages, held.passages, held.failed, _refresh(reader, corpus))


def last_refresh(tx: Tx, name: str) -> Refresh | None:
    """The state of the refresh requested or begun last. Raises CorpusNotFound.

    A job that ends promises the next one of its pass: when that happens between looking at the
    corpus and looking at its job, the next one is what counts.
    """
    corpus = _named(tx, name)
    while True:
        refresh = _refresh(tx, corpus)
        before, corpus = corpus, _named(tx, name)
        if corpus.refresh_job_id == before.refresh_job_id:
            return refresh


def _named(reader: Reader, name: str) -> Corpus:
    return required(store.by_name(reader, name), CorpusNotFound)


def _refresh(reader: Reader, corpus: Corpus) -> Refresh | None:
    job = job_store.by_id(reader, corpus.refresh_job_id) if corpus.refresh_job_id else None
    if job is None:
        return None
    reached = job.payload.get("reached")
    state = {"dispatched": "queued"}.get(job.state, job.state)
    if state == "queued" and reached:
        state = "running"
    progress = job.progress or ({"stage": "reading", **reached} if reached else {})
    return Refresh(job.id, state, progress, job.error)


def failures(tx: Tx, name: str, most: int = 100) -> list[PageFailure]:
    """Pages of the corpus that could not be read, and why. Raises CorpusNotFound."""
    return page_store.failures(tx, find(tx, name).id, sorted(WELL), most)


def show(reader: Reader, name: str) -> CorpusSummary:
    """One corpus as `listing` has it. Raises CorpusNotFound."""
    return _summary(reader, _named(reader, name), counts(reader))


def reasons(reader: Reader, name: str) -> list[Reason]:
    """Why pages of the corpus could not be read, and how many. Raises CorpusNotFound."""
    return page_store.reasons(reader, _named(reader, name).id, sorted(WELL))


def next_refresh(reader: Reader, corpus: Corpus) -> datetime | None:
    """When it refreshes itself next; None: never."""
    return schedules.next_tick(reader, corpus.schedule_id) if corpus.schedule_id else None


def refresh(tx: Tx, name: str) -> UUID:
    """Promise a refresh, or return the one that waits or runs. Raises CorpusNotFound."""
    corpus = find(tx, name)
    if corpus.refresh_job_id is not None and jobs.is_open(tx, corpus.refresh_job_id):
        return corpus.refresh_job_id
    record_event(tx, "corpus.refresh_requested", name)
    return _promise(tx, corpus.id, {})


def _promise(tx: Tx, corpus_id: UUID, facts: dict[str, Any]) -> UUID:
    key = str(corpus_id)
    payload = {"corpus_id": key, **facts}
    job_id = jobs.enqueue(tx, REFRESH, jobs.OPERATOR, payload, unique_key=key)
    store.set_job(tx, corpus_id, job_id)
    return job_id


def indexing(reader: Reader) -> bool:
    """True if a corpus is being read for the first time, so that searches miss some of it."""
    return any(
        corpus.refreshed_at is None and jobs.is_open(reader, corpus.refresh_job_id)
        for corpus in store.every(reader)
    )


# What a refresh does, step by step. It is a pass over the corpus, of as many jobs as that takes.


def begin(tx: Tx, corpus_id: UUID, job_id: UUID) -> Corpus | None:
    """The corpus with its pass. None: the corpus is gone, or another job is at it."""
    corpus = store.lock_by_id(tx, corpus_id)
    if corpus is None:
        return None
    if corpus.refresh_job_id != job_id and jobs.is_open(tx, corpus.refresh_job_id):
        return None
    store.set_job(tx, corpus_id, job_id)
    if corpus.pass_id is None:
        store.begin_pass(tx, corpus_id, job_id)
    return replace(corpus, refresh_job_id=job_id, pass_id=corpus.pass_id or job_id)


def go_on(tx: Tx, corpus_id: UUID, reached: Mapping[str, int]) -> None:
    """Promise the next job of the pass, behind other work; `reached` is where this one ended."""
    if store.lock_by_id(tx, corpus_id) is not None:
        _promise(tx, corpus_id, {"reached": dict(reached)})


def sweep(tx: Tx, corpus_id: UUID, pass_id: UUID) -> int:
    """Drop some pages that a complete pass did not meet; how many. Call until there are none."""
    gone = page_store.unseen(tx, corpus_id, pass_id, _PAGES_PER_STEP)
    if gone:
        _drop(tx, gone)
    return len(gone)


def readable(tx: Tx, corpus_id: UUID, pass_id: UUID) -> int:
    """The number of pages that this pass could read."""
    return page_store.readable(tx, corpus_id, pass_id, sorted(READABLE))


def finish(tx: Tx, corpus_id: UUID) -> None:
    """The pass is complete: the corpus is fresh, and it is known whom its pages link to."""
    store.end_pass(tx, corpus_id)
    store.set_refreshed(tx, corpus_id)
    page = link_store.a_page(tx, corpus_id)
    link_store.recount(tx, corpus_id, domain_of_url(page) if page else None)


def linking_domains(reader: Reader, domains: Collection[str]) -> dict[str, int | None]:
    """Counts the registrable domains that link to each of `domains`, in the crawl of this server.

    None where nothing is known: no corpus holds pages of another domain.
    """
    crawled = link_store.crawled(reader) if domains else set()
    counts = link_store.linking(reader, sorted(domains)) if crawled else {}
    return {x: counts.get(x, 0) if crawled - {x} else None for x in domains}
