"""Monitors: jobs that read their pages again and again, and say what changed.

A monitor is a job with a schedule. Each tick begins a run, unless one is open; a run reads its
pages in lanes as any run does, and compares each with what is known of it.
"""

import gzip
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx
from app.domains.library.passages import snapshots
from app.domains.queue.alerts import service as alerts
from app.domains.queue.jobs import schedule_store, schedules
from app.domains.queue.jobs.kinds import EndedPart, register
from app.domains.queue.jobs.service import enqueue
from app.domains.records.monitors import change_store, findings, page_states, page_store, timetable
from app.domains.records.monitors.page_states import LOOK_AGAIN_SECONDS, MISSING, REMOVED, Watch
from app.domains.records.page_jobs import kinds, store
from app.domains.records.page_jobs.runs import continuation, page_turn_store, run_store
from app.domains.records.page_jobs.runs import page_store as job_page_store
from app.domains.records.page_jobs.runs.continuation import READING
from app.domains.records.page_jobs.runs.results import ELSEWHERE
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.runs.runs import begin_run, job_ended
from app.domains.records.page_jobs.runs.types import Connect, EarlierPage, PageResult
from app.domains.records.page_jobs.store import PageJob
from app.engine.extraction.changes.difference import Noise
from app.engine.extraction.schema.schema import plan
from app.engine.pages.page import PageUnreadable
from app.engine.sandbox.documents import Document, Extraction
from app.engine.sandbox.extraction_reader import extraction_reader
from app.engine.sandbox.reader import UNHURRIED

TYPE: Final = "monitoring"
_ASK_ANYWAY: Final = 10
"""Every so many runs pages are read whatever their sites say of them."""
_MISSED_IN_A_ROW: Final = 2
_SUSPECT_FROM: Final = 10
_UNLISTED_AT_ONCE: Final = 1_000
_DEEPEST: Final = 1_000  # no links are followed from what a run was not led to
_NOISY_PAGES: Final = 50


def on_part(tx: Tx, ended: EndedPart) -> None:
    """Goes on when a lane has ended: with more lanes, then pages the run was not led to, then those
    that are looked at a second time.
    """
    if ended.kind == kinds.PAGES.name and ended.state != "succeeded":
        page_turn_store.give_back(tx, ended.part_id, ended.begun)
    go_on(tx, ended.parent_id, ended.account_id, ended.parts_open)


def go_on(tx: Tx, run_id: UUID, account_id: UUID, parts_open: int = 0) -> int:
    """Open the lanes that are needed now; how many parts are open then. 0: the run is over."""
    open_now = continuation.open_lanes(tx, run_id, account_id, run_id, parts_open)
    run = run_store.by_id(tx, run_id)
    if open_now or run is None or run.stage != READING:
        return open_now
    if unlisted := page_store.unlisted(tx, run.job_id, run_id, _UNLISTED_AT_ONCE):
        job_page_store.add(tx, run_id, unlisted, _DEEPEST)
        return continuation.open_lanes(tx, run_id, account_id, run_id)
    if (at := page_turn_store.next_due(tx, run_id)) is None:
        return 0
    payload = {"run_id": str(run_id)}
    enqueue(tx, kinds.PAGES, account_id, payload, parent=run_id, run_at=at)
    return 1


RUN = register(
    "monitors.run",
    queue="extraction",
    deadline_seconds=86_400 + 120,
    priority=40,
    on_part=on_part,
    on_end=job_ended,
)


# The job: what makes its runs begin.


def begin(tx: Tx, job: PageJob) -> None:
    """Begin the first run at once, and promise those to come."""
    schedule: dict[str, str] = job.body["schedule"]
    payload = {"job_id": str(job.id)}
    if "every" in schedule:
        seconds = timetable.every_seconds(schedule["every"]) or timetable.LEAST_SECONDS
        first = schedule_store.clock(tx) + timedelta(seconds=seconds)
        id = schedules.add(tx, RUN, job.account_id, payload, every_seconds=seconds, starts_at=first)
    else:
        zone = schedule.get("timezone", "UTC")
        id = schedules.add(tx, RUN, job.account_id, payload, cron=schedule["cron"], timezone=zone)
    store.set_schedule(tx, job.id, id)
    run_now(tx, job)


def run_now(tx: Tx, job: PageJob) -> None:
    """Begin a run beside the schedule; the caller knows that none is open."""
    begin_run(tx, job.id, job.account_id, kind=RUN)


def tick(tx: Tx, run_id: UUID, job_id: UUID, account_id: UUID, at: datetime | None) -> bool:
    """Begin the run of a tick, whose job has this id. False: another is open, or the job ended."""
    if run_store.by_id(tx, run_id) is not None:
        return False
    begun = begin_run(tx, job_id, account_id, kind=RUN, tick=at, id=run_id)
    return begun is not None


# A run: what is known of its pages, what becomes of them.


def known(reader: Reader, run_id: UUID, urls: Sequence[str]) -> dict[str, EarlierPage]:
    """With what to ask for pages; nothing for those of which something is still open."""
    run = run_store.by_id(reader, run_id)
    asked_anyway = run is None or run.n % _ASK_ANYWAY == 0
    return {
        url: EarlierPage(
            etag=None if asked_anyway else page.etag,
            last_modified=None if asked_anyway else page.last_modified,
            body_hash=page.body_hash,
        )
        for url, page in page_store.of_run(reader, run_id, urls).items()
        if page.settled and not page.removed and page.look_run != run_id
    }


def judge(connect: Connect, run_id: UUID, results: Sequence[PageResult]) -> list[PageResult]:
    """Compare what was read with what is known; old pages may be read, so in no transaction."""
    with connect() as reader:
        run = run_store.by_id(reader, run_id)
        job = store.of_anybody(reader, run.job_id) if run else None
        pages = page_store.of_run(reader, run_id, [result.url for result in results])
    if run is None or job is None:
        return list(results)
    schema = job.body.get("schema")
    watch = Watch.of(run_id, run.n, plan(schema) if schema else None, job.body.get("track"))
    for result in results:
        if result.outcome in ELSEWHERE:
            continue  # what is to be said is said of the page that has its content
        page = pages.get(result.url)
        reread = partial(_reread, connect, run_id, page, schema)
        result.judged = judged = watch.judge(page, result, reread)
        result.verdict = judged.verdict
        result.again_seconds = LOOK_AGAIN_SECONDS if judged.again else None
        if judged.verdict in (page_states.SAME, page_states.ERROR) or judged.again:
            result.page_records = result.body = None
    return list(results)


def _reread(
    connect: Connect,
    run_id: UUID,
    page: page_store.WatchedPage | None,
    schema: dict[str, Any] | None,
) -> Any:
    """The stored body as today's code reads it; None when it cannot be read."""
    if page is None:
        return None
    with connect() as reader:
        body = page_store.body(reader, run_id, page.url)
    if body is None:
        return None
    document = Document(
        gzip.decompress(body), page.media_type or "", page.charset, page.final_url or page.url
    )
    try:
        wanted = Extraction(schema, None)
        return extraction_reader().extract(document, UNHURRIED, wanted).records
    except PageUnreadable:
        return None


def keep_pages(tx: Tx, run_id: UUID, results: Sequence[PageResult]) -> None:
    if (run := run_store.by_id(tx, run_id)) is not None:
        findings.keep(tx, run, results)


def conclude(tx: Tx, run_id: UUID) -> dict[str, Any]:
    """At the end of a run that read all of its pages: say which are removed; its statistics.

    Nothing is said of a run that misses more than half of its pages at once: that is an outage.
    """
    run = run_store.by_id(tx, run_id)
    if run is None:
        return {}
    missing = page_store.known_of(
        tx, run.job_id, job_page_store.urls_of_outcomes(tx, run_id, MISSING)
    )
    suspect = run.done >= _SUSPECT_FROM and 2 * len(missing) > run.done
    if missing and not suspect:
        _miss(tx, run, missing)
    noisy = page_store.noisy(tx, run.job_id, _NOISY_PAGES)
    ignored = [{"url": url, "places": Noise(noise).places} for url, noise in noisy.items()]
    return {
        "verdicts": job_page_store.verdicts(tx, run_id),
        **({"suspect": True} if suspect else {}),
        **({"ignored": ignored} if ignored else {}),
    }


def _miss(tx: Tx, run: JobRun, missing: list[str]) -> None:
    counts = page_store.count_missing(tx, run.job_id, missing)
    gone = [url for url, runs in counts.items() if runs >= _MISSED_IN_A_ROW]
    for url, snapshot_id in page_store.remove(tx, run.job_id, gone).items():
        change_store.insert(
            tx,
            job_id=run.job_id,
            run_id=run.id,
            url=url,
            verdict=REMOVED,
            previous_snapshot_id=snapshot_id,
        )
    job_page_store.set_verdict(tx, run.id, gone, REMOVED)


# What is cited, and what goes.


def cites(reader: Reader, account_id: UUID, snapshot_id: UUID) -> bool:
    """True if a monitor of the account shows something of this snapshot."""
    return change_store.cites(reader, account_id, snapshot_id) or page_store.cites(
        reader, account_id, snapshot_id
    )


def erase(tx: Tx, job_id: UUID, most: int) -> int:
    """Delete at most so many rows of a job; how many went."""
    alerts.forget(tx, job_id)
    released = change_store.delete(tx, job_id, most) or page_store.delete(tx, job_id, most)
    snapshots.release(tx, released)
    return len(released)


def retire(tx: Tx, most: int = 1_000) -> int:
    """Delete at most so many changes past their time; how many went."""
    released = change_store.retire(tx, most)
    snapshots.release(tx, released)
    return len(released) // 2
