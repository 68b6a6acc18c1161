"""The monitor_pages table: what is known of each page of a monitor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx, many, run, values


@dataclass(frozen=True, slots=True)
class WatchedPage:
    """A page as it was when it was last reported, or confirmed to be the same."""

    url: str
    state: dict[str, Any] | None
    media_type: str | None
    charset: str | None
    final_url: str | None
    snapshot_id: UUID | None
    etag: str | None
    last_modified: str | None
    body_hash: bytes | None
    settled: bool
    look: bytes | None
    look_run: UUID | None
    removed: bool


OF_RUN = """
    select url, state, media_type, charset, final_url, snapshot_id, etag, last_modified, body_hash,
           settled, look, look_run, removed
    from monitor_pages
    where job_id = (select job_id from extraction_runs where id = %(run_id)s)
      and url = any(%(urls)s)
    """


def of_run(reader: Reader, run_id: UUID, urls: Sequence[str]) -> dict[str, WatchedPage]:
    """Returns the pages among the addresses that the run's job knows already."""
    rows = many(reader, WatchedPage, OF_RUN, run_id=run_id, urls=list(urls))
    return {row.url: row for row in rows}


BODY = """
    select body from monitor_pages
    where job_id = (select job_id from extraction_runs where id = %(run_id)s) and url = %(url)s
    """


def body(reader: Reader, run_id: UUID, url: str) -> bytes | None:
    for stored in values(reader, BODY, run_id=run_id, url=url):
        return bytes(stored) if stored is not None else None
    return None


LOOKED = """
    insert into monitor_pages (job_id, url, look, look_run) values (%(job_id)s, %(url)s, %(look)s,
                                                                    %(run_id)s)
    on conflict (job_id, url) do update set look = excluded.look, look_run = excluded.look_run
    """


def keep_look(tx: Tx, job_id: UUID, run_id: UUID, url: str, look: bytes | None) -> None:
    """Keep the first look of a run until the second."""
    run(tx, LOOKED, job_id=job_id, run_id=run_id, url=url, look=look)


# What a run saw of a page that is as it was.
CONFIRMED = """
    update monitor_pages
    set state = coalesce(%(state)s, state), settled = %(settled)s,
        etag = coalesce(%(etag)s, etag), last_modified = coalesce(%(last_modified)s, last_modified),
        body_hash = coalesce(%(body_hash)s, body_hash),
        look = null, look_run = null, missing = 0, checked_at = now()
    where job_id = %(job_id)s and url = %(url)s
    """


def confirm(tx: Tx, job_id: UUID, url: str, **row: Any) -> None:
    """The page is the same; `state` only where it learnt something."""
    run(tx, CONFIRMED, job_id=job_id, url=url, **row)


MOVED_ON = """
    insert into monitor_pages (
        job_id, url, state, settled, body, media_type, charset, final_url, snapshot_id,
        etag, last_modified, body_hash, checked_at)
    values (
        %(job_id)s, %(url)s, %(state)s, %(settled)s, %(body)s, %(media_type)s, %(charset)s,
        %(final_url)s, %(snapshot_id)s, %(etag)s, %(last_modified)s, %(body_hash)s, now())
    on conflict (job_id, url) do update
    set state = excluded.state, settled = excluded.settled, body = excluded.body,
        media_type = excluded.media_type, charset = excluded.charset,
        final_url = excluded.final_url, snapshot_id = excluded.snapshot_id, etag = excluded.etag,
        last_modified = excluded.last_modified, body_hash = excluded.body_hash,
        look = null, look_run = null, missing = 0, removed = false, checked_at = now()
    """


def moved_on(tx: Tx, job_id: UUID, url: str, **row: Any) -> None:
    """The page is new, or its change is reported: this is its state from now on."""
    run(tx, MOVED_ON, job_id=job_id, url=url, **row)


UNLISTED = """
    select url from monitor_pages
    where job_id = %(job_id)s and state is not null and not removed
      and not exists (
        select from extraction_pages
        where run_id = %(run_id)s and extraction_pages.url = monitor_pages.url)
    order by url limit %(most)s
    """


def unlisted(reader: Reader, job_id: UUID, run_id: UUID, most: int) -> list[str]:
    """Known pages that the run did not come to by itself."""
    return values(reader, UNLISTED, job_id=job_id, run_id=run_id, most=most)


# Only pages that were read once, and have not been reported as removed, can be missed.
MISSED = """
    update monitor_pages set missing = missing + 1, look = null, look_run = null,
                             checked_at = now()
    where job_id = %(job_id)s and url = any(%(urls)s) and state is not null and not removed
    returning url, missing
    """


def count_missing(tx: Tx, job_id: UUID, urls: Sequence[str]) -> dict[str, int]:
    """Count one more run in which these were not found; in how many in a row that was."""
    return dict(tx.execute(MISSED, {"job_id": job_id, "urls": list(urls)}).fetchall())


REMOVED = """
    update monitor_pages set removed = true, settled = false
    where job_id = %(job_id)s and url = any(%(urls)s) and not removed
    returning url, snapshot_id
    """


def remove(tx: Tx, job_id: UUID, urls: Sequence[str]) -> Mapping[str, UUID | None]:
    """Give these up; each with the snapshot of what was last seen of it."""
    return dict(tx.execute(REMOVED, {"job_id": job_id, "urls": list(urls)}).fetchall())


KNOWN_OF = """
    select url from monitor_pages
    where job_id = %(job_id)s and url = any(%(urls)s) and state is not null and not removed
    """


def known_of(reader: Reader, job_id: UUID, urls: Sequence[str]) -> list[str]:
    return values(reader, KNOWN_OF, job_id=job_id, urls=list(urls))


NOISY = """
    select url, state->'text'->'noise' from monitor_pages
    where job_id = %(job_id)s and state->'text'->'noise' <> '{}' order by url limit %(most)s
    """


def noisy(reader: Reader, job_id: UUID, most: int) -> dict[str, dict[str, int]]:
    """The places at which pages make noise, by page."""
    return dict(reader.execute(NOISY, {"job_id": job_id, "most": most}).fetchall())


DELETE = """
    delete from monitor_pages where job_id = %(job_id)s and url in (
        select url from monitor_pages where job_id = %(job_id)s limit %(most)s)
    returning snapshot_id
    """


def delete(tx: Tx, job_id: UUID, most: int) -> list[UUID | None]:
    """At most so many of a job; the snapshots they referred to."""
    return values(tx, DELETE, job_id=job_id, most=most)


CITING = """
    select exists (
        select from monitor_pages join extraction_jobs on extraction_jobs.id = monitor_pages.job_id
        where monitor_pages.snapshot_id = %(snapshot_id)s
        and extraction_jobs.account_id = %(account_id)s and extraction_jobs.erased_at is null)
    """


def cites(reader: Reader, account_id: UUID, snapshot_id: UUID) -> bool:
    return bool(values(reader, CITING, account_id=account_id, snapshot_id=snapshot_id)[0])
