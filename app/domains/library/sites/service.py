"""Sites whose pages an account has read into a corpus, and kept fresh.

A site is read in passes over its addresses, by one job after another: each visits some pages and
promises the next, so that others have their turn. Each page is written as it is read. So whichever
job takes a pass up goes on where the last one stopped, even if that one died.
"""

from dataclasses import replace
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.core.errors import Conflict, NotFound
from app.core.ids import Noun
from app.domains.account.audit.service import record_event
from app.domains.library.documents import corpus_store, site_store
from app.domains.library.documents import service as documents
from app.domains.library.documents.quota import CorpusQuotaExceeded
from app.domains.library.sites import page_store, store
from app.domains.library.sites.store import REFRESH_SECONDS, OwnSite
from app.domains.queue.jobs import kinds, schedule_store, schedules
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.kinds import EndedJob

MOST_SITES: Final = 20
"""Of an account."""
NOTHING_LISTED: Final = "nothing_listed"
_DOCUMENTS_PER_STEP: Final = 50


class SiteNotFound(NotFound):
    """No site with this id is in the corpus."""

    code = "site_not_found"


class SiteExists(Conflict):
    """The corpus has a site at this address already."""

    code = "site_exists"


def _not_read(tx: Tx, job: EndedJob) -> None:
    site_id = UUID(job.payload["site_id"])
    site = store.by_id(tx, site_id)
    if site is not None and _another_reads(tx, site, job.id):
        return
    reason = "cancelled" if job.error is None else job.error["code"]
    page_store.give_up(tx, site_id, reason)
    store.end_pass(tx, site_id, reason)
    if site is not None:
        documents.settle(tx, site.account_id, site.corpus_id)


READ = kinds.register("sites.read", queue="corpora", deadline_seconds=2 * 3600, on_end=_not_read)
FORGET = kinds.register(
    "sites.forget", queue="corpora", deadline_seconds=3600, on_end=jobs.until_done
)


def create(tx: Tx, account_id: UUID, corpus_id: UUID, given: dict[str, Any]) -> OwnSite:
    """Have a site read. Raises CorpusNotFound, SiteExists, CorpusQuotaExceeded."""
    corpus_store.lock(tx, account_id)
    documents.find(tx, account_id, corpus_id)
    if store.count(tx, account_id) >= MOST_SITES:
        raise CorpusQuotaExceeded(why=f"{MOST_SITES} sites")
    id = ids.new()
    schedule_id = _schedule(tx, id, account_id, given.get("refresh"))
    row = {"id": id, "account_id": account_id, "corpus_id": corpus_id, "schedule_id": schedule_id}
    if not store.insert(tx, **row, **given):
        raise SiteExists
    record_event(tx, "site.added", ids.public(Noun.SITE, id), account_id, kind=given["kind"])
    _promise(tx, account_id, id)
    return find(tx, account_id, corpus_id, id)


def _schedule(tx: Tx, id: UUID, account_id: UUID, refresh: str | None) -> UUID | None:
    if refresh is None:
        return None
    seconds = REFRESH_SECONDS[refresh]
    return schedules.add(
        tx,
        READ,
        account_id,
        {"site_id": str(id)},
        every_seconds=seconds,
        starts_at=schedule_store.clock(tx) + timedelta(seconds=seconds),
    )


def _promise(tx: Tx, account_id: UUID, id: UUID, **facts: Any) -> UUID:
    key = str(id)
    job_id = jobs.enqueue(tx, READ, account_id, {"site_id": key, **facts}, unique_key=key)
    store.set_job(tx, id, job_id)
    return job_id


def find(reader: Reader, account_id: UUID, corpus_id: UUID, id: UUID) -> OwnSite:
    """Raises CorpusNotFound, SiteNotFound, also for another account's."""
    documents.find(reader, account_id, corpus_id)
    site = store.by_id(reader, id)
    if site is None or (site.account_id, site.corpus_id) != (account_id, corpus_id):
        raise SiteNotFound
    return site


def every(reader: Reader, account_id: UUID, corpus_id: UUID) -> list[OwnSite]:
    """All sites of a corpus, newest first. Raises CorpusNotFound."""
    documents.find(reader, account_id, corpus_id)
    return store.of_corpus(reader, account_id, corpus_id)


def is_reading(reader: Reader, site: OwnSite) -> bool:
    """True from the promise of a pass until its end."""
    return site.pass_id is not None or jobs.is_open(reader, site.job_id)


def _another_reads(reader: Reader, site: OwnSite, job_id: UUID) -> bool:
    """True if the site's pass is another job's; its schedule may start one beside it."""
    return site.job_id != job_id and jobs.is_open(reader, site.job_id)


def refresh(tx: Tx, account_id: UUID, corpus_id: UUID, id: UUID) -> OwnSite:
    """Have a site read again, unless it is being read. Raises CorpusNotFound, SiteNotFound."""
    store.lock(tx, id)
    site = find(tx, account_id, corpus_id, id)
    if jobs.is_open(tx, site.job_id):
        return site
    return replace(site, job_id=_promise(tx, account_id, id))


def delete(tx: Tx, account_id: UUID, corpus_id: UUID, id: UUID) -> None:
    """Forget a site, and have its documents deleted. Raises CorpusNotFound, SiteNotFound."""
    site = find(tx, account_id, corpus_id, id)
    forget(tx, site)
    record_event(tx, "site.deleted", ids.public(Noun.SITE, id), account_id)
    payload = {"account_id": str(account_id), "site_id": str(id)}
    jobs.enqueue(tx, FORGET, jobs.OPERATOR, payload, unique_key=str(id))


def forget(tx: Tx, site: OwnSite) -> None:
    """Read it no more; its documents stay."""
    if site.job_id is not None:
        jobs.cancel(tx, site.job_id)
    if site.schedule_id is not None:
        schedule_store.delete(tx, site.schedule_id)
    store.delete(tx, site.id)


def forget_of_corpus(tx: Tx, account_id: UUID, corpus_id: UUID) -> None:
    """Read the sites of a corpus no more that is being deleted."""
    for site in store.of_corpus(tx, account_id, corpus_id):
        forget(tx, site)


def forget_documents(tx: Tx, account_id: UUID, id: UUID) -> int:
    """Delete some documents of a site that is gone; how many. Call until there are none."""
    corpus_store.lock(tx, account_id)
    gone = site_store.some(tx, id, _DOCUMENTS_PER_STEP)
    documents.drop(tx, account_id, gone)
    return len(gone)


# What the reading of a site does, step by step. It is a pass, of as many jobs as that takes.


def begin(tx: Tx, id: UUID, job_id: UUID) -> OwnSite | None:
    """The site to be read by this job; None when it is gone, or another job is at it."""
    store.lock(tx, id)
    site = store.by_id(tx, id)
    if site is None or _another_reads(tx, site, job_id):
        return None
    store.set_job(tx, id, job_id)
    return site


def begin_pass(tx: Tx, id: UUID, job_id: UUID, seeds: list[str]) -> None:
    """From now on all addresses that are known wait, and those where the site begins."""
    store.begin_pass(tx, id, job_id)
    page_store.again(tx, id)
    page_store.found(tx, id, seeds, 0)


def go_on(tx: Tx, site: OwnSite, failed_in_a_row: int) -> None:
    """Promise the next job of the pass, behind other work."""
    if store.lock(tx, site.id):
        _promise(tx, site.account_id, site.id, failed_in_a_row=failed_in_a_row)


def finish(tx: Tx, site: OwnSite, gave_up: str | None) -> None:
    """The pass is over; `gave_up` is why its host was left alone, None if all was visited."""
    if not store.lock(tx, site.id):
        return
    if gave_up is not None:
        page_store.give_up(tx, site.id, gave_up)
    elif not page_store.any_known(tx, site.id):
        gave_up = NOTHING_LISTED
    store.end_pass(tx, site.id, gave_up)
    documents.settle(tx, site.account_id, site.corpus_id)
