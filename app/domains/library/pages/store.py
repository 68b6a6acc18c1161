"""The web_pages table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx, many, run, values


@dataclass(frozen=True, slots=True)
class Copy:
    """A page as it was read.

    `passages` are [start, end, headings] in its snapshot's text, and a language if it is not the
    page's.
    """

    url: str
    snapshot_id: UUID
    passages: list[tuple[int, int, list[str]] | tuple[int, int, list[str], str]]
    etag: str | None
    last_modified: str | None
    fresh: bool

    @property
    def spans(self) -> Iterator[tuple[int, int, list[str], str | None]]:
        """Start, end, headings and language of each passage; None is the language of the page."""
        for start, end, headings, *language in self.passages:
            yield start, end, headings, language[0] if language else None


COPIES = """
    select url, snapshot_id, passages, etag, last_modified,
           checked_at > now() - make_interval(secs => %(fresh_seconds)s) as fresh
    from web_pages where url = any(%(urls)s)
    """


def copies(reader: Reader, urls: Sequence[str], fresh_seconds: float) -> list[Copy]:
    return many(reader, Copy, COPIES, urls=list(urls), fresh_seconds=fresh_seconds)


LOCK = """
    select url, snapshot_id from web_pages where url = any(%(urls)s) order by url for update
    """


def lock(tx: Tx, urls: Sequence[str]) -> dict[str, UUID]:
    """Be the only one to change these copies; the snapshot each holds."""
    return dict(tx.execute(LOCK, {"urls": list(urls)}).fetchall())


PUT = """
    insert into web_pages (url, snapshot_id, passages, etag, last_modified, checked_at)
    values (%(url)s, %(snapshot_id)s, %(passages)s, %(etag)s, %(last_modified)s,
            %(checked_at)s)
    on conflict (url) do update
    set snapshot_id = excluded.snapshot_id, passages = excluded.passages,
        etag = excluded.etag, last_modified = excluded.last_modified,
        checked_at = excluded.checked_at
    """


def put(tx: Tx, rows: list[dict[str, Any]]) -> None:
    with tx.cursor() as cursor:
        cursor.executemany(PUT, rows)


TOUCH = "update web_pages set checked_at = %(at)s where url = any(%(urls)s)"


def touch(tx: Tx, urls: Sequence[str], at: datetime) -> None:
    run(tx, TOUCH, urls=list(urls), at=at)


DELETE = "delete from web_pages where url = any(%(urls)s)"


def delete(tx: Tx, urls: Sequence[str]) -> None:
    run(tx, DELETE, urls=list(urls))


EXPIRE = """
    with old as (
        select url from web_pages where checked_at < now() - make_interval(secs => %(seconds)s)
        order by checked_at limit %(most)s for update skip locked
    )
    delete from web_pages using old where web_pages.url = old.url returning web_pages.snapshot_id
    """


def expire(tx: Tx, seconds: float, most: int) -> list[UUID]:
    """Delete some copies not confirmed for so long; the snapshots they held, one of each."""
    return values(tx, EXPIRE, seconds=seconds, most=most)
