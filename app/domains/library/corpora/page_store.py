"""The pages table: what each pass saw of each page."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx, many, run, value, values
from app.domains.library.corpora.visits import KnownPage

KNOWN = """
    select id, url, content_hash, etag, last_modified, snapshot_id is not null as indexed
    from pages where corpus_id = %(corpus_id)s
    """


def known(tx: Tx, corpus_id: UUID) -> dict[str, KnownPage]:
    return {page.url: page for page in many(tx, KnownPage, KNOWN, corpus_id=corpus_id)}


@dataclass(frozen=True, slots=True)
class SeenPage:
    url: str
    depth: int
    outcome: str
    tries: int
    links: list[str]


SEEN = """
    select url, depth, outcome, tries, links from pages
    where corpus_id = %(corpus_id)s and seen_in = %(pass_id)s order by depth, id
    """


def seen(tx: Tx, corpus_id: UUID, pass_id: UUID) -> Iterator[SeenPage]:
    """Row by row: the links of a large site need not fit into memory at once."""
    with tx.cursor("seen") as cursor:
        for row in cursor.execute(SEEN, {"corpus_id": corpus_id, "pass_id": pass_id}):
            yield SeenPage(*row)


@dataclass(frozen=True, slots=True)
class IndexedPage:
    id: UUID
    url: str
    snapshot_id: UUID | None
    content_hash: str | None
    passages: int
    links: list[str]


STORED = """
    select id, url, snapshot_id, content_hash, passages, links from pages
    where corpus_id = %(corpus_id)s and url = any(%(urls)s) order by url for update
    """


def lock(tx: Tx, corpus_id: UUID, urls: list[str]) -> dict[str, IndexedPage]:
    rows = many(tx, IndexedPage, STORED, corpus_id=corpus_id, urls=urls)
    return {page.url: page for page in rows}


ELSEWHERE = """
    select content_hash, url from pages
    where corpus_id = %(corpus_id)s and content_hash = any(%(hashes)s) and snapshot_id is not null
    """


def holders(tx: Tx, corpus_id: UUID, hashes: list[str]) -> list[tuple[str, str]]:
    """(content hash, URL) of the indexed pages with such content."""
    return tx.execute(ELSEWHERE, {"corpus_id": corpus_id, "hashes": hashes}).fetchall()


PUT = """
    insert into pages (id, corpus_id, url, snapshot_id, content_hash, etag, last_modified, outcome,
                       depth, links, linked_domains, passages, seen_in, tries, fetched_at)
    values (%(id)s, %(corpus_id)s, %(url)s, %(snapshot_id)s, %(content_hash)s, %(etag)s,
            %(last_modified)s, %(outcome)s, %(depth)s, %(links)s, %(linked_domains)s, %(passages)s,
            %(seen_in)s, %(tries)s, %(fetched_at)s)
    on conflict (corpus_id, url) do update
    set snapshot_id = excluded.snapshot_id, content_hash = excluded.content_hash,
        etag = excluded.etag, last_modified = excluded.last_modified, outcome = excluded.outcome,
        depth = excluded.depth, links = excluded.links,
        linked_domains = excluded.linked_domains, passages = excluded.passages,
        seen_in = excluded.seen_in, tries = excluded.tries, fetched_at = excluded.fetched_at
    """

TOUCH = """
    update pages set outcome = %(outcome)s, depth = %(depth)s, seen_in = %(seen_in)s,
                     tries = %(tries)s, fetched_at = %(fetched_at)s
    where corpus_id = %(corpus_id)s and url = %(url)s
    """


def put(tx: Tx, rows: list[dict[str, Any]]) -> None:
    with tx.cursor() as cursor:
        cursor.executemany(PUT, rows)


def touch(tx: Tx, rows: list[dict[str, Any]]) -> None:
    """Note a visit that leaves the content of a stored page as it is."""
    with tx.cursor() as cursor:
        cursor.executemany(TOUCH, rows)


UNSEEN = """
    select id from pages where corpus_id = %(corpus_id)s and seen_in <> %(pass_id)s
    order by id limit %(most)s
    """

SOME = "select id from pages where corpus_id = %(corpus_id)s order by id limit %(most)s"

DELETE = "delete from pages where id = any(%(ids)s)"


def unseen(tx: Tx, corpus_id: UUID, pass_id: UUID, most: int) -> list[UUID]:
    return values(tx, UNSEEN, corpus_id=corpus_id, pass_id=pass_id, most=most)


def some(tx: Tx, corpus_id: UUID, most: int) -> list[UUID]:
    return values(tx, SOME, corpus_id=corpus_id, most=most)


def delete(tx: Tx, ids: list[UUID]) -> None:
    run(tx, DELETE, ids=ids)


READABLE = """
    select count(*) from pages
    where corpus_id = %(corpus_id)s and seen_in = %(pass_id)s and outcome = any(%(readable)s)
    """


def readable(tx: Tx, corpus_id: UUID, pass_id: UUID, outcomes: list[str]) -> int:
    return int(value(tx, READABLE, corpus_id=corpus_id, pass_id=pass_id, readable=outcomes))


@dataclass(frozen=True, slots=True)
class PageFailure:
    """A page that could not be read, why, and when it was tried."""

    url: str
    outcome: str
    fetched_at: datetime


FAILURES = """
    select url, outcome, fetched_at from pages
    where corpus_id = %(corpus_id)s and outcome <> all(%(well)s)
    order by outcome, url limit %(most)s
    """


def failures(tx: Tx, corpus_id: UUID, well: list[str], most: int) -> list[PageFailure]:
    return many(tx, PageFailure, FAILURES, corpus_id=corpus_id, well=well, most=most)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why pages could not be read, and how many."""

    outcome: str
    pages: int


REASONS = """
    select outcome, count(*)::int as pages from pages
    where corpus_id = %(corpus_id)s and outcome <> all(%(well)s)
    group by outcome order by pages desc, outcome
    """


def reasons(reader: Reader, corpus_id: UUID, well: list[str]) -> list[Reason]:
    return many(reader, Reason, REASONS, corpus_id=corpus_id, well=well)


VISITED = "select corpus_id, max(fetched_at) from pages group by corpus_id"


def visited(reader: Reader) -> dict[UUID, datetime]:
    return dict(reader.execute(VISITED).fetchall())
