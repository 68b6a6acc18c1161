"""The account_exports and account_export_parts tables."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx, first, run, value


@dataclass(frozen=True, slots=True)
class ExportRow:
    id: UUID
    account_id: UUID
    created_at: datetime
    expires_at: datetime
    bytes: int | None
    rows_of: dict[str, int]
    # of its job
    state: str
    progress: dict[str, Any]
    error: dict[str, Any] | None
    finished_at: datetime | None


REPLACE = "delete from account_exports where account_id = %(account_id)s and id <> %(id)s"
INSERT = """
    insert into account_exports (id, account_id, expires_at)
    values (%(id)s, %(account_id)s, now() + make_interval(secs => %(kept_seconds)s))
    on conflict do nothing
    """


def begin(tx: Tx, id: UUID, account_id: UUID, kept_seconds: float) -> None:
    """The account's export is this one from now on; doing so again changes nothing."""
    run(tx, REPLACE, id=id, account_id=account_id)
    run(tx, INSERT, id=id, account_id=account_id, kept_seconds=kept_seconds)


OF_ACCOUNT = """
    select account_exports.id, account_exports.account_id, account_exports.created_at,
    account_exports.expires_at,
           account_exports.bytes, account_exports.rows_of, jobs.state, jobs.progress, jobs.error,
           jobs.finished_at
    from account_exports join jobs on jobs.id = account_exports.id
    where account_exports.account_id = %(account_id)s and account_exports.expires_at > now()
    """


def of_account(reader: Reader, account_id: UUID) -> ExportRow | None:
    return first(reader, ExportRow, OF_ACCOUNT, account_id=account_id)


def place(id: UUID, n: int) -> bytes:
    """The context that the nth part of an export is bound to."""
    return b"%b %d" % (id.bytes, n)


FORGET_PARTS = "delete from account_export_parts where export_id = %(id)s"


def forget_parts(tx: Tx, id: UUID) -> None:
    run(tx, FORGET_PARTS, id=id)


KEEP_PART = """
    insert into account_export_parts (export_id, n, sealed) values (%(id)s, %(n)s, %(sealed)s)
    """


def keep_part(tx: Tx, id: UUID, n: int, sealed: bytes) -> None:
    run(tx, KEEP_PART, id=id, n=n, sealed=sealed)


PART = "select sealed from account_export_parts where export_id = %(id)s and n = %(n)s"


def part(reader: Reader, id: UUID, n: int) -> bytes | None:
    return value(reader, PART, id=id, n=n)  # type: ignore[no-any-return]


COMPLETE = """
    update account_exports
    set bytes = %(bytes)s, rows_of = %(rows_of)s,
        expires_at = now() + make_interval(secs => %(kept_seconds)s)
    where id = %(id)s
    """


def complete(tx: Tx, id: UUID, *, bytes: int, rows_of: dict[str, int], kept_seconds: float) -> None:
    run(tx, COMPLETE, id=id, bytes=bytes, rows_of=rows_of, kept_seconds=kept_seconds)


EXPIRE = """
    delete from account_exports where id in (
        select id from account_exports where expires_at <= now()
        order by expires_at limit %(most)s for update skip locked)
    """


def expire(tx: Tx, most: int = 1_000) -> int:
    """Delete exports past their time; how many."""
    return run(tx, EXPIRE, most=most)
