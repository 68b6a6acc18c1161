"""The bulk_actions table."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx, first, lists, run


@dataclass(frozen=True, slots=True)
class Bulk:
    """`state` is that of its job; None when that is forgotten."""

    id: UUID
    action: str
    filter: dict[str, Any]
    requested_by: str
    expected: int
    done: int
    remaining: int | None
    after_id: UUID | None
    done_in_pass: int
    created_at: datetime
    finished_at: datetime | None
    state: str | None


INSERT = """
    insert into bulk_actions (id, action, filter, requested_by, expected)
    values (%(id)s, %(action)s, %(filter)s, %(by)s, %(expected)s)
    """


def insert(tx: Tx, id: UUID, action: str, filter: dict[str, Any], by: str, expected: int) -> None:
    run(tx, INSERT, id=id, action=action, filter=filter, by=by, expected=expected)


_COLUMNS = """
    select bulk.id, bulk.action, bulk.filter, bulk.requested_by, bulk.expected, bulk.done,
    bulk.remaining, bulk.after_id, bulk.done_in_pass,
           bulk.created_at, bulk.finished_at, jobs.state
    from bulk_actions bulk left join jobs using (id)
    """

BY_ID = _COLUMNS + "where bulk.id = %(id)s"

PAGE = _COLUMNS + "where true"


def by_id(reader: Reader, id: UUID) -> Bulk | None:
    return first(reader, Bulk, BY_ID, id=id)


def page(reader: Reader, before: UUID | None, most: int) -> list[Bulk]:
    return lists.newest(reader, Bulk, PAGE, before, most, id="bulk.id")


ADVANCE = """
    update bulk_actions
    set done = done + %(done)s, done_in_pass = done_in_pass + %(done)s, after_id = %(after)s
    where id = %(id)s
    """

AGAIN = "update bulk_actions set done_in_pass = 0, after_id = null where id = %(id)s"

FINISH = """
    update bulk_actions set remaining = %(remaining)s, finished_at = now()
    where id = %(id)s and finished_at is null
    """


def advance(tx: Tx, id: UUID, done: int, after: UUID) -> None:
    run(tx, ADVANCE, id=id, done=done, after=after)


def again(tx: Tx, id: UUID) -> None:
    run(tx, AGAIN, id=id)


def finish(tx: Tx, id: UUID, remaining: int | None) -> None:
    run(tx, FINISH, id=id, remaining=remaining)


FORGET = """
    delete from bulk_actions where id in (
        select id from bulk_actions
        where created_at < now() - make_interval(secs => %(kept_seconds)s)
        order by created_at limit %(most)s for update skip locked
    )
    """


def forget(tx: Tx, kept_seconds: float, most: int) -> int:
    return run(tx, FORGET, kept_seconds=kept_seconds, most=most)
