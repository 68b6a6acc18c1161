"""The work table: what there is to do, who has it, who may not have it again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.core.db import Reader, Statement, Tx, first, many, send, value, values
from app.domains.providers.work.kinds import Item
from app.domains.queue.jobs.attempt_store import ClaimedJob

INSERT = """
    insert into work (id, kind, subject, record_id, version, slots, excluded, meant_for, language,
                      input_bytes, gold)
    values (%(id)s, %(kind)s, %(subject)s, %(record_id)s, %(version)s, %(slots)s, %(excluded)s,
            %(meant_for)s, %(language)s, %(input_bytes)s, %(gold)s)
    """


def insertion(**columns: Any) -> Statement:
    return Statement(INSERT, columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldItem(Item):
    meant_for: UUID | None
    unfinished: bool
    state: str
    worker: str | None
    max_attempts: int
    lease_until: datetime | None
    parent_id: UUID | None

    @property
    def claimed(self) -> ClaimedJob:
        return ClaimedJob(
            id=self.id,
            account_id=self.payer_id,
            kind=self.kind,
            attempt=self.fence,
            max_attempts=self.max_attempts,
            payload={},
            time_limit_seconds=0.0,
            request_id=None,
            worker=self.worker or "",
            parent_id=self.parent_id,
        )


COLUMNS = """
    select work.id, work.kind, work.subject, work.record_id, work.version, work.gold,
    work.meant_for, work.unfinished,
           work.account_id, coalesce(work.node_id, work.meant_for) as node_id,
           jobs.account_id as payer_id, jobs.state, jobs.attempt as fence, jobs.worker,
           jobs.max_attempts, jobs.lease_until, jobs.deadline_at, jobs.parent_id
    from work join jobs using (id)
    """

BY_ID = COLUMNS + "where work.id = %(id)s"


def by_id(reader: Reader, id: UUID) -> HeldItem | None:
    return first(reader, HeldItem, BY_ID, id=id)


BY_IDS = COLUMNS + "where work.id = any(%(ids)s) order by work.id"


def by_ids(reader: Reader, ids: Sequence[UUID]) -> list[HeldItem]:
    if len(ids) == 1:  # of this statement the server keeps a plan
        return many(reader, HeldItem, BY_ID, id=ids[0])
    return many(reader, HeldItem, BY_IDS, ids=list(ids))


@dataclass(frozen=True, slots=True)
class OpenItem:
    """No more than claiming needs to know of an item."""

    id: UUID
    kind: str
    record_id: UUID | None


CHOSEN = "select id, kind, record_id from work where id = any(%(ids)s) order by id"


def chosen(reader: Reader, ids: Sequence[UUID]) -> list[OpenItem]:
    return many(reader, OpenItem, CHOSEN, ids=list(ids))


# The job was claimed before: its attempt is the fence.
ASSIGN = """
    with assigned as (
        update work set account_id = %(account_id)s, node_id = %(node_id)s, network = %(network)s
        where id = %(id)s
    )
    insert into work_turns (work_id, fence, node_id, account_id, claim_key)
    select id, attempt, %(node_id)s, %(account_id)s, %(key)s from jobs where id = %(id)s
    """


def assign(tx: Tx, id: UUID, **to: Any) -> None:
    """Give a claimed job to a node. Raises UniqueViolation when its account has one there."""
    send(tx, ASSIGN, id=id, **to)


FREE = """
    update work
    set account_id = null, node_id = null, network = null,
        excluded = case when %(excluding)s then array_append(excluded, account_id)
                   else excluded end,
        loser = case when %(lost)s then account_id else loser end,
        lost_at = case when %(lost)s then now() else lost_at end
    where id = %(id)s and account_id is not null
    """


def free(tx: Tx, id: UUID, *, excluding: bool = False, lost: bool = False) -> None:
    """Nobody has it; its holder never gets it again, or not at once after a loss."""
    send(tx, FREE, id=id, excluding=excluding, lost=lost)


CLOSE = """
    update work
    set unfinished = false,
        account_id = case when %(keep)s then account_id end,
        node_id = case when %(keep)s then node_id end
    where id = %(id)s and unfinished returning id
    """


def close(tx: Tx, id: UUID, *, keep: bool) -> bool:
    """Nothing more happens to it; False when that was so. `keep`: its holder did it."""
    return value(tx, CLOSE, id=id, keep=keep) is not None


# What somebody has is not waited for: its row may be locked by the transaction that ends it.
WITHDRAW = """
    with unwanted as (
        select id from jobs
        where id = any(%(ids)s) and case when state = 'queued' then kind = any(%(kinds)s) end
        for update skip locked
    ), cancelled as (
        update jobs set state = 'cancelled', finished_at = now() from unwanted
        where jobs.id = unwanted.id
    )
    update work set unfinished = false from unwanted where work.id = unwanted.id
    returning work.id
    """


def withdraw(tx: Tx, ids: Sequence[UUID], kinds: list[str]) -> list[UUID]:
    """End those that nobody has; their ids."""
    return [row[0] for row in tx.execute(WITHDRAW, {"ids": list(ids), "kinds": kinds}).fetchall()]


UNTAKEN = """
    select jobs.id, work.subject from jobs join work using (id)
    where jobs.queue = %(queue)s and jobs.state = 'queued'
      and jobs.created_at < now() - make_interval(secs => %(seconds)s)
    limit %(most)s
    """


def untaken(reader: Reader, queue: str, seconds: float, most: int) -> list[tuple[UUID, UUID]]:
    """Items that nobody has although they have waited for so long, with their subjects."""
    wanted = {"queue": queue, "seconds": seconds, "most": most}
    return reader.execute(UNTAKEN, wanted).fetchall()


# A node that could not what another then could.
OUTDONE = """
    update work_turns set outcome = 'failed'
    where work_id = %(work_id)s and outcome = 'declined' and reason = 'cannot'
    returning node_id
    """


def outdone(tx: Tx, work_id: UUID) -> list[UUID]:
    """An item was done: nodes that had said they cannot have failed."""
    return values(tx, OUTDONE, work_id=work_id)
