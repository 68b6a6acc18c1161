"""The own_corpora table."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from app.core.db import Reader, Tx, first, lists, many, one, run, value


@dataclass(frozen=True, slots=True)
class OwnCorpus:
    """A corpus of an account. `bytes` are those of its documents as they were uploaded."""

    id: UUID
    name: str
    documents: int
    bytes: int
    created_at: datetime
    waiting: int
    failed: int


INSERT = """
    insert into own_corpora (id, account_id, name) values (%(id)s, %(account_id)s, %(name)s)
    on conflict (account_id, name) where deleted_at is null do nothing
    returning id
    """


def insert(tx: Tx, id: UUID, account_id: UUID, name: str) -> bool:
    """False when the account has a corpus of this name."""
    return value(tx, INSERT, id=id, account_id=account_id, name=name) is not None


_COLUMNS = """
    select id, name, documents, bytes, created_at,
           (select count(*) from documents
            where corpus_id = own_corpora.id and state = 'waiting')::int as waiting,
           (select count(*) from documents
            where corpus_id = own_corpora.id and state = 'failed')::int as failed
    from own_corpora
    where account_id = %(account_id)s and deleted_at is null
    """

BY_ID = _COLUMNS + " and id = %(id)s"

FILTERS: Final[lists.Filters] = {"only": "id = any(%(only)s)"}


def by_id(reader: Reader, account_id: UUID, id: UUID) -> OwnCorpus | None:
    return first(reader, OwnCorpus, BY_ID, account_id=account_id, id=id)


def page(
    reader: Reader, account_id: UUID, only: Collection[UUID] | None, before: UUID | None, most: int
) -> list[OwnCorpus]:
    """Newest first; only those among `only`, if it is not None."""
    return lists.newest(
        reader,
        OwnCorpus,
        _COLUMNS,
        before,
        most,
        FILTERS,
        account_id=account_id,
        only=None if only is None else list(only),
    )


@dataclass(frozen=True, slots=True)
class Holding:
    """The number of an account's documents and corpora, the bytes and passages of the documents,
    the seconds of CPU that embedding these took, and its uploads in this hour, of which so many
    seconds are left.
    """

    corpora: int
    documents: int
    bytes: int
    passages: int
    embedding_seconds: float
    uploads: int
    seconds_left: int


LOCK = "select id from own_corpora where account_id = %(account_id)s order by id for update"

HOLDING = """
    select count(own_corpora.id) filter (where own_corpora.deleted_at is null)::int as corpora,
           coalesce(sum(documents), 0)::int as documents, coalesce(sum(bytes), 0)::bigint as bytes,
           coalesce(sum(passages), 0)::int as passages,
           coalesce(sum(embedding_seconds), 0) as embedding_seconds,
           coalesce(max(hours.uploads), 0) as uploads,
           coalesce(max(ceil(extract(epoch from hours.began_at - now()) + 3600))::int, 0)
               as seconds_left
    from (select %(account_id)s::uuid as account_id) as account
    left join own_corpora on own_corpora.account_id = account.account_id
    left join upload_hours as hours
        on hours.account_id = account.account_id and hours.began_at > now() - interval '1 hour'
    """

UPLOADED = """
    insert into upload_hours as hours (account_id, uploads) values (%(account_id)s, 1)
    on conflict (account_id) do update
    set (began_at, uploads) = (
        select case when goes_on then hours.began_at else now() end,
               case when goes_on then hours.uploads + 1 else 1 end
        from (select hours.began_at > now() - interval '1 hour' as goes_on) as hour
    )
    """


def lock(tx: Tx, account_id: UUID) -> None:
    """Let nobody else count what the account has until the transaction ends."""
    run(tx, LOCK, account_id=account_id)


def count_upload(tx: Tx, account_id: UUID) -> None:
    """Count one more upload in the hour since the first one."""
    run(tx, UPLOADED, account_id=account_id)


def holding(reader: Reader, account_id: UUID) -> Holding:
    return one(reader, Holding, HOLDING, account_id=account_id)


LOCK_SOME = "select id from own_corpora where id = any(%(ids)s) order by id for update"

EMBEDDED = """
    update own_corpora set embedding_seconds = own_corpora.embedding_seconds + took.seconds
    from unnest(%(ids)s::uuid[], %(seconds)s::float8[]) as took (corpus_id, seconds)
    where own_corpora.id = took.corpus_id
    """


def count_embedding(tx: Tx, seconds: Mapping[UUID, float]) -> None:
    """Count what embedding passages of these corpora took; others than accounts' are left out."""
    given = {"ids": list(seconds), "seconds": list(seconds.values())}
    run(tx, LOCK_SOME, ids=given["ids"])
    run(tx, EMBEDDED, **given)


NAMED = """
    select name, id from own_corpora
    where account_id = %(account_id)s and deleted_at is null
      and (name = any(%(names)s) or id = any(%(ids)s))
    """


@dataclass(frozen=True, slots=True)
class KeptCorpus:
    """A corpus of which documents may be in the index, though it was deleted."""

    id: UUID
    deleted: bool


KEPT = """
    select id, deleted_at is not null as deleted from own_corpora
    where account_id = %(account_id)s
    """


def named(reader: Reader, account_id: UUID, names: list[str], ids: list[UUID]) -> dict[str, UUID]:
    """The ids of those of the account's corpora that have one of the names or ids, by name."""
    parameters = {"account_id": account_id, "names": names, "ids": ids}
    return dict(reader.execute(NAMED, parameters).fetchall())


def kept(reader: Reader, account_id: UUID) -> list[KeptCorpus]:
    return many(reader, KeptCorpus, KEPT, account_id=account_id)


RENAME = """
    update own_corpora set name = %(name)s
    where id = %(id)s and account_id = %(account_id)s and deleted_at is null
    """

COUNT = """
    update own_corpora
    set documents = documents + %(documents)s, bytes = bytes + %(bytes)s,
        passages = passages + %(passages)s
    where id = %(id)s
    """

FORGET = """
    update own_corpora set deleted_at = now()
    where id = %(id)s and account_id = %(account_id)s and deleted_at is null
    """

DELETE = "delete from own_corpora where id = %(id)s"


def rename(tx: Tx, account_id: UUID, id: UUID, name: str) -> bool:
    """Raises psycopg.errors.UniqueViolation when the name is taken."""
    return run(tx, RENAME, account_id=account_id, id=id, name=name) == 1


def count(tx: Tx, id: UUID, *, documents: int = 0, bytes: int = 0, passages: int = 0) -> None:
    """Add what came, or is less than 0 where it went."""
    run(tx, COUNT, id=id, documents=documents, bytes=bytes, passages=passages)


def forget(tx: Tx, account_id: UUID, id: UUID) -> bool:
    return run(tx, FORGET, account_id=account_id, id=id) == 1


def delete(tx: Tx, id: UUID) -> None:
    """Of a corpus that has no documents any more."""
    run(tx, DELETE, id=id)
