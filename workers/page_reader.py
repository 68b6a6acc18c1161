"""Reads many pages in parallel, by a deadline, and keeps what was read for the next search."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from app.core import db, tracing
from app.core.config.settings import Settings
from app.domains.library.pages import service as pages
from app.domains.library.pages.store import Copy
from app.domains.library.pages.visits import Visit, Visitor, missed
from app.domains.library.passages import snapshots
from app.domains.library.passages.store import Snapshot
from app.engine.fetch import PoliteFetcher
from app.engine.sandbox.reader import page_reader
from app.engine.sandbox.visit import READ, UNCHANGED
from workers.queue.attempt import Attempt
from workers.web_access import access

THREADS = 16
POLL_SECONDS = 0.25
WITHDRAWN = "withdrawn"  # read, and gone again before it could be used
_PAGE_BYTES, _PAGE_TOTAL_SECONDS = 5 << 20, 12.0
_MOST_NAMED, _MOST_CHARACTERS = 20, 300  # of pages in a report

Progress = Callable[[int, int, list[Visit]], None]
"""Told whenever pages are done: of how many, how many are done, and which of these were read."""


@dataclass(frozen=True, slots=True)
class ReadablePage:
    """A page with its text. `stale`: its site did not answer, and an earlier copy is used."""

    copy: Copy
    snapshot: Snapshot
    stale: bool


@lru_cache(maxsize=1)
def visitor_of(settings: Settings) -> Visitor:
    """One for the process: it remembers robots.txt and connections."""
    fetcher, gate = access(
        settings,
        settings.web_fetch_allow,
        max_wire_bytes=_PAGE_BYTES,
        max_body_bytes=_PAGE_BYTES,
        total_seconds=_PAGE_TOTAL_SECONDS,
    )
    polite = PoliteFetcher(fetcher, gate, gap_seconds=settings.fetch_gap_seconds)
    return Visitor(polite, page_reader())


def read_pages(
    attempt: Attempt, visitor: Visitor, urls: Sequence[str], seconds: float, progress: Progress
) -> dict[str, ReadablePage | str]:
    """Each address with its page, or with the outcome that says why there is none.

    Pages read not long ago are taken from the copies; the others are fetched within `seconds`.
    Raises what `attempt.check` raises.
    """
    fresh_seconds = attempt.settings.web_page_fresh_seconds
    with db.reading() as reader:
        copies = pages.copies(reader, urls, fresh_seconds=fresh_seconds)
    outdated = [url for url in urls if url not in copies or not copies[url].fresh]
    if outdated:
        visitor.warm()
    visits = _visit(attempt, visitor, outdated, copies, seconds, progress)
    if reached := [visit for visit in visits.values() if not visit.unreached]:
        with attempt.step() as tx:
            pages.record(tx, reached)
        with db.reading() as reader:
            copies = pages.copies(reader, urls, fresh_seconds=fresh_seconds)
    with db.reading() as reader:
        texts = snapshots.of(reader, {copy.snapshot_id for copy in copies.values()})
    return {url: _outcome(visits.get(url), copies.get(url), texts) for url in urls}


def _visit(
    attempt: Attempt,
    visitor: Visitor,
    urls: Sequence[str],
    copies: Mapping[str, Copy],
    seconds: float,
    progress: Progress,
) -> dict[str, Visit]:
    deadline = time.monotonic() + seconds
    threads = ThreadPoolExecutor(max(1, min(THREADS, len(urls))), thread_name_prefix="page")
    visits = {
        url: threads.submit(tracing.inherited(visitor.visit), url, copies.get(url), deadline)
        for url in urls
    }
    waiting: set[Future[Visit]] = set(visits.values())
    try:
        while waiting and (left := deadline - time.monotonic()) > 0:
            done, waiting = wait(waiting, min(left, POLL_SECONDS), FIRST_COMPLETED)
            if not done:
                attempt.check()
                continue
            ended = [visit.result() for visit in visits.values() if visit not in waiting]
            read = [visit for visit in ended if visit.outcome in (READ, UNCHANGED)]
            progress(len(urls), len(ended), read)
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
    return {
        url: missed(url) if visit in waiting else visit.result() for url, visit in visits.items()
    }


def _outcome(
    visit: Visit | None, copy: Copy | None, texts: Mapping[UUID, Snapshot]
) -> ReadablePage | str:
    if copy is None or copy.snapshot_id not in texts:
        return visit.outcome if visit else WITHDRAWN
    stale = visit is not None and visit.unreached
    return ReadablePage(copy, texts[copy.snapshot_id], stale)


def pages_read(texts: Collection[Snapshot], visits: Collection[Visit] = ()) -> dict[str, Any]:
    """Facts of a report: how many there are, and the first of them. `visits` are not stored yet."""
    named = [
        *((snapshot.url, snapshot.title) for snapshot in texts),
        *((visit.url, visit.prepared.page.title if visit.prepared else None) for visit in visits),
    ]
    pages = [
        {"url": url[:_MOST_CHARACTERS], "title": title[:_MOST_CHARACTERS] if title else None}
        for url, title in named[:_MOST_NAMED]
    ]
    return {"sources_found": len(named), "pages": pages}
