"""The tables of memories. Row security shows no other account's rows; each statement says whose
and of which persona it means all the same."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx, first, lists, many, one, run, value, values


@dataclass(frozen=True, slots=True)
class SealedMemory:
    id: UUID
    type: str
    version: int
    sealed: bytes
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    supersedes: UUID | None
    superseded_by: UUID | None


COLUMNS = """id, type, version, sealed, created_at, updated_at, expires_at, supersedes,
    superseded_by"""
OWN = """account_id = %(account_id)s and persona_id = %(persona_id)s
    and (expires_at is null or expires_at > now())"""

KEY = """
    select wrapped from memory_keys
    where account_id = %(account_id)s and persona_id = %(persona_id)s
    """


def key(reader: Reader, account_id: UUID, persona_id: str) -> bytes | None:
    return _bytes(value(reader, KEY, account_id=account_id, persona_id=persona_id))


LOCKED_KEY = KEY + "for update"
ADD_KEY = """
    insert into memory_keys (account_id, persona_id, wrapped)
    values (%(account_id)s, %(persona_id)s, %(wrapped)s) on conflict do nothing
    """


def lock_key(tx: Tx, account_id: UUID, persona_id: str) -> bytes | None:
    """The key, held: nobody else changes this persona until the transaction ends."""
    return _bytes(value(tx, LOCKED_KEY, account_id=account_id, persona_id=persona_id))


def add_key(tx: Tx, account_id: UUID, persona_id: str, wrapped: bytes) -> None:
    """Unless another has just done so."""
    run(tx, ADD_KEY, account_id=account_id, persona_id=persona_id, wrapped=wrapped)


def _bytes(stored: memoryview | bytes | None) -> bytes | None:
    return None if stored is None else bytes(stored)


DROP_KEY = """
    delete from memory_keys where account_id = %(account_id)s and persona_id = %(persona_id)s
    """
DROP_EMPTY_KEY = (
    DROP_KEY
    + """
      and not exists (
        select from memories
        where account_id = %(account_id)s and persona_id = %(persona_id)s)
    """
)


def drop_key(tx: Tx, account_id: UUID, persona_id: str) -> bool:
    """With everything that it sealed."""
    return run(tx, DROP_KEY, account_id=account_id, persona_id=persona_id) == 1


def drop_empty_key(tx: Tx, account_id: UUID, persona_id: str) -> None:
    run(tx, DROP_EMPTY_KEY, account_id=account_id, persona_id=persona_id)


KEYS = "select persona_id, wrapped from memory_keys where account_id = %(account_id)s for update"
WRAP = """
    update memory_keys set wrapped = %(wrapped)s
    where account_id = %(account_id)s and persona_id = %(persona_id)s
    """


@dataclass(frozen=True, slots=True)
class Key:
    persona_id: str
    wrapped: bytes


def keys(tx: Tx, account_id: UUID) -> list[Key]:
    return many(tx, Key, KEYS, account_id=account_id)


def wrap(tx: Tx, account_id: UUID, persona_id: str, wrapped: bytes) -> None:
    run(tx, WRAP, account_id=account_id, persona_id=persona_id, wrapped=wrapped)


COUNTS = """
    select count(*) filter (where persona_id = %(persona_id)s) as persona, count(*) as account
    from memories where account_id = %(account_id)s
    """


@dataclass(frozen=True, slots=True)
class MemoryCounts:
    persona: int
    account: int


def counts(reader: Reader, account_id: UUID, persona_id: str) -> MemoryCounts:
    return one(reader, MemoryCounts, COUNTS, account_id=account_id, persona_id=persona_id)


INSERT = """
    insert into memories (id, account_id, persona_id, type, version, sealed, digest, expires_at,
                          supersedes)
    values (%(id)s, %(account_id)s, %(persona_id)s, %(type)s, 1, %(sealed)s, %(digest)s,
            %(expires_at)s, %(supersedes)s)
    """


def insert(tx: Tx, **columns: Any) -> None:
    run(tx, INSERT, **columns)


BY_ID = f"select {COLUMNS} from memories where id = %(id)s and {OWN}"  # noqa: S608 (constants)


def by_id(reader: Reader, account_id: UUID, persona_id: str, id: UUID) -> SealedMemory | None:
    return first(reader, SealedMemory, BY_ID, id=id, account_id=account_id, persona_id=persona_id)


BY_DIGEST = f"""
    select {COLUMNS} from memories
    where {OWN} and digest = %(digest)s and superseded_by is null
    """  # noqa: S608 (constants)


def by_digest(
    reader: Reader, account_id: UUID, persona_id: str, digest: bytes
) -> SealedMemory | None:
    return first(
        reader, SealedMemory, BY_DIGEST, account_id=account_id, persona_id=persona_id, digest=digest
    )


CURRENT = f"""
    select {COLUMNS} from memories where {OWN} and superseded_by is null
      and (%(type)s::text is null or type = %(type)s)
    order by id desc
    """  # noqa: S608 (constants)


def current(
    reader: Reader, account_id: UUID, persona_id: str, type: str | None
) -> list[SealedMemory]:
    """The memories that are neither superseded nor at their end, newest first."""
    return many(
        reader, SealedMemory, CURRENT, account_id=account_id, persona_id=persona_id, type=type
    )


ALL = f"select {COLUMNS} from memories where {OWN}"  # noqa: S608 (constants)
AFTER: Final[lists.Filters] = {"after": "id > %(after)s"}


def after(
    reader: Reader, account_id: UUID, persona_id: str, after: UUID | None, most: int
) -> list[SealedMemory]:
    """Superseded ones too, oldest first."""
    given = {"account_id": account_id, "persona_id": persona_id, "after": after}
    return lists.page(reader, SealedMemory, ALL, AFTER, order="id", most=most, **given)


CHANGE = f"""
    with former as (
        insert into memory_versions (memory_id, account_id, version, sealed, created_at)
        select id, account_id, version, sealed, updated_at from memories
        where id = %(id)s and {OWN} and version = %(version)s - 1
    )
    update memories
    set version = %(version)s, sealed = %(sealed)s, digest = %(digest)s,
        expires_at = %(expires_at)s, updated_at = now()
    where id = %(id)s and {OWN} and version = %(version)s - 1
    """  # noqa: S608 (constants)


def change(tx: Tx, **columns: Any) -> None:
    run(tx, CHANGE, **columns)


FORGET_VERSIONS = """
    delete from memory_versions
    where memory_id = %(id)s and account_id = %(account_id)s and version <= %(upto)s
    """


def forget_versions(tx: Tx, account_id: UUID, id: UUID, upto: int) -> None:
    run(tx, FORGET_VERSIONS, id=id, account_id=account_id, upto=upto)


@dataclass(frozen=True, slots=True)
class Former:
    memory_id: UUID
    version: int
    sealed: bytes
    created_at: datetime


VERSIONS = """
    select memory_id, version, sealed, created_at from memory_versions
    where account_id = %(account_id)s and memory_id = any(%(ids)s)
    order by memory_id, version desc
    """


def versions(reader: Reader, account_id: UUID, ids: list[UUID]) -> list[Former]:
    return many(reader, Former, VERSIONS, account_id=account_id, ids=ids)


SUPERSEDE = f"""
    update memories set superseded_by = %(by)s where id = %(id)s and {OWN}
      and superseded_by is null
    returning id
    """  # noqa: S608 (constants)


def supersede(tx: Tx, account_id: UUID, persona_id: str, id: UUID, by: UUID) -> bool:
    superseded = value(tx, SUPERSEDE, account_id=account_id, persona_id=persona_id, id=id, by=by)
    return superseded is not None


DELETE = f"delete from memories where id = %(id)s and {OWN}"  # noqa: S608 (constants)


def delete(tx: Tx, account_id: UUID, persona_id: str, id: UUID) -> bool:
    return run(tx, DELETE, account_id=account_id, persona_id=persona_id, id=id) == 1


HOLD = f"""
    select id from memories where id = any(%(ids)s) and {OWN} for key share
    """  # noqa: S608 (constants)


def hold(tx: Tx, account_id: UUID, persona_id: str, ids: list[UUID]) -> list[UUID]:
    """Returns the ids of them that are there, which nobody deletes until the transaction ends."""
    return values(tx, HOLD, account_id=account_id, persona_id=persona_id, ids=ids)


IDS = "select id from memories where account_id = %(account_id)s and persona_id = %(persona_id)s"


def ids(reader: Reader, account_id: UUID, persona_id: str) -> list[UUID]:
    return values(reader, IDS, account_id=account_id, persona_id=persona_id)


EXPIRED = """
    select account_id, persona_id, array_agg(id) as ids from (
        select account_id, persona_id, id from memories where expires_at <= now()
        order by expires_at limit %(most)s
    ) old
    group by account_id, persona_id order by account_id, persona_id
    """


@dataclass(frozen=True, slots=True)
class ExpiredMemory:
    account_id: UUID
    persona_id: str
    ids: list[UUID]


def expired(tx: Tx, most: int) -> list[ExpiredMemory]:
    """Of all accounts, with the rights of retention until the transaction ends."""
    tx.execute("select set_config('app.duty', 'retention', true)")
    return many(tx, ExpiredMemory, EXPIRED, most=most)


DELETE_EXPIRED = "delete from memories where id = any(%(ids)s) and expires_at <= now()"


def delete_expired(tx: Tx, ids: list[UUID]) -> int:
    return run(tx, DELETE_EXPIRED, ids=ids)
