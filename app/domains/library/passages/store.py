"""The snapshots and passages tables."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from app.core.db import Reader, Tx, many, run, value, values


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The text that was read at an address at a time. Never changes."""

    id: UUID
    url: str
    title: str | None
    text: str
    content_hash: str
    language: str | None
    published_at: datetime | None
    facts: dict[str, Any]
    fetched_at: datetime


# Updating a row that is there also locks it, so that nobody forgets it meanwhile.
KEEP_SNAPSHOT = """
    insert into snapshots (id, url, title, text, content_hash, language, published_at, facts,
                           fetched_at)
    values (%(id)s, %(url)s, %(title)s, %(text)s, %(content_hash)s, %(language)s,
            %(published_at)s, %(facts)s, %(fetched_at)s)
    on conflict (url, content_hash, md5(coalesce(title, ''))) do update
    set released_at = null, facts = snapshots.facts || excluded.facts
    returning id
    """


def keep_snapshot(tx: Tx, **columns: Any) -> UUID:
    """Insert the snapshot, or get the one of this address with this title and content."""
    id: UUID = value(tx, KEEP_SNAPSHOT, **columns)
    return id


SNAPSHOTS = """
    select id, url, title, text, content_hash, language, published_at, facts, fetched_at
    from snapshots where id = any(%(ids)s)
    """


def snapshots(reader: Reader, ids: list[UUID]) -> list[Snapshot]:
    return many(reader, Snapshot, SNAPSHOTS, ids=ids)


TITLES = "select id, title from snapshots where id = any(%(ids)s)"


def titles(tx: Tx, ids: list[UUID]) -> dict[UUID, str | None]:
    return dict(tx.execute(TITLES, {"ids": ids}).fetchall())


RELEASE = "update snapshots set released_at = now() where id = any(%(ids)s)"

FORGET = "select forget_snapshots(now() - make_interval(secs => %(seconds)s), %(most)s)"


def release(tx: Tx, ids: list[UUID]) -> None:
    run(tx, RELEASE, ids=ids)


def forget_released_snapshots(tx: Tx, after_seconds: float = 3600, most: int = 1_000) -> int:
    """Delete released snapshots that nothing refers to: no page, no passage, no answer.

    The delay is for those who have found a passage and are about to cite it. Returns how many were
    looked at: fewer than `most` when no more wait.
    """
    return int(value(tx, FORGET, seconds=after_seconds, most=most))


@dataclass(frozen=True, slots=True)
class PassageRow:
    corpus_id: UUID
    source_id: UUID
    snapshot_id: UUID
    ordinal: int
    start_at: int
    end_at: int
    headings: list[str]
    text: str
    language: str | None  # None: that of the snapshot
    account_id: UUID | None = None  # None: of what the operator indexed


NEW_IDS = """
    select nextval(pg_get_serial_sequence('passages', 'id'))::int from generate_series(1, %(n)s)
    """

COPY = """
    copy passages (id, corpus_id, source_id, snapshot_id, ordinal, start_at, end_at, headings, text,
                   language, account_id)
    from stdin
    """


def insert(tx: Tx, rows: list[PassageRow]) -> list[int]:
    """Add passages; their ids, in the same order."""
    ids = values(tx, NEW_IDS, n=len(rows))
    with tx.cursor() as cursor, cursor.copy(COPY) as copy:
        for id, row in zip(ids, rows, strict=True):
            copy.write_row((
                id, row.corpus_id, row.source_id, row.snapshot_id, row.ordinal, row.start_at,
                row.end_at, row.headings, row.text, row.language, row.account_id,
            ))  # fmt: skip
    return ids


# The snapshots are released in case this was all that referred to them.
DELETE = """
    with gone as (
        delete from passages where source_id = any(%(sources)s) returning id, snapshot_id
    ), released as (
        update snapshots set released_at = now() where id in (select snapshot_id from gone)
    )
    select id from gone order by id
    """


def delete(tx: Tx, sources: list[UUID]) -> list[int]:
    return values(tx, DELETE, sources=sources)


@dataclass(frozen=True, slots=True)
class LocatedPassage:
    """A passage and where it stands: snapshot text[start_at:end_at], in code points.

    `language` is its own, or else that of most of the snapshot.
    """

    id: int
    corpus_id: UUID
    source_id: UUID
    snapshot_id: UUID
    start_at: int
    end_at: int
    headings: list[str]
    text: str
    url: str
    title: str | None
    language: str | None
    outdated: bool
    published_at: datetime | None
    fetched_at: datetime


_LOCATED: LiteralString = """
    select passages.id, passages.corpus_id, passages.source_id, passages.snapshot_id,
           passages.start_at, passages.end_at, passages.headings, passages.text, snapshots.url,
           snapshots.title, coalesce(passages.language, snapshots.language) as language,
           coalesce((snapshots.facts ->> 'outdated')::boolean, false) as outdated,
           snapshots.published_at, snapshots.fetched_at
    from {passages}
    join snapshots on snapshots.id = passages.snapshot_id
    order by {order}
    """

ALL_LOCATED = _LOCATED.replace(
    "{passages}",
    """unnest(%(ids)s::int[]) with ordinality as wanted (id, place)
    join passages on passages.id = wanted.id""",
).replace("{order}", "wanted.place")

# Whatever an index says: a passage of one account is shown to no other.
LOCATED = ALL_LOCATED.replace(
    "= wanted.id",
    """= wanted.id
      and (passages.account_id is null or passages.account_id = %(account_id)s::uuid)""",
)

AFTER = _LOCATED.replace(
    "{passages}",
    """(select * from passages where id > %(after)s and account_id is null
        order by id limit %(most)s) as passages""",
).replace("{order}", "passages.id")

AFTER_OF_ACCOUNT = AFTER.replace("account_id is null", "account_id = %(account_id)s")


def located_passages(
    reader: Reader, ids: list[int], account_id: UUID | None = None
) -> list[LocatedPassage]:
    """Passages with their place, in the order asked: the operator's or of this account."""
    return many(reader, LocatedPassage, LOCATED, ids=ids, account_id=account_id)


def all_located(reader: Reader, ids: list[int]) -> list[LocatedPassage]:
    """As `located_passages`, whosesoever they are: for what nobody sees."""
    return many(reader, LocatedPassage, ALL_LOCATED, ids=ids)


def after(reader: Reader, id: int, most: int, account_id: UUID | None) -> list[LocatedPassage]:
    """The passages of the operator's index, or of an account's, that follow in the order of ids."""
    if account_id is None:
        return many(reader, LocatedPassage, AFTER, after=id, most=most)
    parameters = {"after": id, "most": most, "account_id": account_id}
    return many(reader, LocatedPassage, AFTER_OF_ACCOUNT, **parameters)


@dataclass(frozen=True, slots=True)
class SectionTitles:
    """The headings over a passage, from that of its page down."""

    source_id: UUID
    headings: list[str]


SECTION_TITLES = """
    select source_id, headings from passages
    where account_id is null and cardinality(headings) > 0 order by id limit %(most)s
    """

SECTION_TITLES_OF_ACCOUNT = SECTION_TITLES.replace("is null", "= %(account_id)s")


def section_titles(reader: Reader, account_id: UUID | None, most: int) -> list[SectionTitles]:
    """The headings of the passages that were indexed first."""
    statement = SECTION_TITLES if account_id is None else SECTION_TITLES_OF_ACCOUNT
    return many(reader, SectionTitles, statement, account_id=account_id, most=most)


# Until the transaction ends nobody deletes them.
LOCK = "select id from passages where id = any(%(ids)s) order by id for key share"

COUNT_AFTER = "select count(*) from passages where id > %(id)s and account_id is null"

COUNT_AFTER_OF_ACCOUNT = (
    "select count(*) from passages where id > %(id)s and account_id = %(account_id)s"
)


def lock(tx: Tx, ids: list[int]) -> set[int]:
    """Keep the passages from being deleted; those that still exist."""
    return set(values(tx, LOCK, ids=ids))


def count_after(reader: Reader, id: int, account_id: UUID | None) -> int:
    if account_id is None:
        return int(value(reader, COUNT_AFTER, id=id))
    return int(value(reader, COUNT_AFTER_OF_ACCOUNT, id=id, account_id=account_id))
