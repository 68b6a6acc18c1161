"""Items that a node may have: those meant for it, and those that the draw gives its account."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx, many, send, values
from app.domains.providers.work.store import OpenItem

# Claims of one account come one after the other, so that none of them counts or assigns twice. A
# crash that forgets a claim is an expired lease: it need not wait for the disk.
SERIALISE = """
    select set_config('synchronous_commit', 'off', true),
           pg_advisory_xact_lock(hashtextextended('work ' || %(account_id)s::text, 0))
    """


def serialise(tx: Tx, account_id: UUID) -> None:
    send(tx, SERIALISE, account_id=account_id)


MOST_OWN: Final = 100
# A limit that is written out lets the server keep its plan.
MEANT_FOR = f"""
    select jobs.id, work.kind, work.record_id from work join jobs using (id)
    where work.meant_for = %(node_id)s and work.unfinished and work.account_id is null
      and work.kind = any(%(kinds)s)
      and case when jobs.state = 'queued' then jobs.run_at <= now() and jobs.deadline_at > now() end
    order by jobs.id limit {MOST_OWN} for no key update of jobs skip locked
    """  # noqa: S608 (a constant)


def meant_for(tx: Tx, node_id: UUID, kinds: list[str]) -> list[OpenItem]:
    """Items that only this node may do, the oldest; locked."""
    return many(tx, OpenItem, MEANT_FOR, node_id=node_id, kinds=kinds)


@dataclass(frozen=True, slots=True)
class WorkCandidate:
    id: UUID
    payer_id: UUID
    record_id: UUID | None
    version: int | None


_READY = "queue = %(queue)s and state = 'queued' and not delayed"

# Payers take turns: the index over what is due is a ring of accounts, walked from behind the one
# served last. Of each payer the oldest items are looked at. A record is at first open to about
# three times as many accounts as it has assignments, and to twice as many every 30 seconds.
DRAW = (
    """
    with recursive ring as (
        select %(after)s::uuid as account_id, 0 as place, false as wrapped
        union all
        select next.account_id, ring.place + 1, next.wrapped
        from ring cross join lateral (
            (select account_id, ring.wrapped from jobs
             where account_id > ring.account_id
               and (not ring.wrapped or account_id <= %(after)s) and """  # noqa: S608
    + _READY
    + """ order by account_id limit 1)
            union all
            (select account_id, true from jobs
             where not ring.wrapped and account_id <= %(after)s and """
    + _READY
    + """ order by account_id limit 1)
            limit 1
        ) as next
        where ring.place < %(payers)s
    ), open as (
        select own.*, ring.account_id as payer_id, ring.place,
               row_number() over (partition by ring.account_id order by own.priority, own.id)
                   as turn
        from ring cross join lateral (
            select id, work.record_id, work.version, priority from (
                select id, priority, created_at, run_at, deadline_at from jobs
                where account_id = ring.account_id and """
    + _READY
    + """ order by priority, id limit %(look)s
            ) as oldest join work using (id)
            where run_at <= now() and deadline_at > now()
              and work.meant_for is null and work.account_id is null
              and not work.excluded @> array[%(account_id)s::uuid]
              and (work.loser is distinct from %(account_id)s
                   or work.lost_at < now() - make_interval(secs => %(forgiven)s))
              and (work.language is null or %(languages)s::text[] = '{}'
                   or work.language = any(%(languages)s))
              and coalesce(work.input_bytes, 0) <= %(max_bytes)s
              and (work.record_id is null or (
                  ring.account_id <> %(account_id)s
                  and work_lot(work.record_id, %(account_id)s, %(salt)s) < least(1.0,
                      3.0 * work.slots / greatest(1, %(active)s) * power(2.0, least(30.0,
                          extract(epoch from now() - created_at)::float / 30.0)))
                  and not exists (
                      select from work other
                      where other.record_id = work.record_id and other.version = work.version
                        and (other.account_id = %(account_id)s or other.network = %(network)s))))
            order by priority, id limit %(most)s
        ) as own
        where ring.place > 0
    )
    select id, payer_id, record_id, version from open order by turn, place limit %(most)s
    """
)


def draw(tx: Tx, **wanted: Any) -> list[WorkCandidate]:
    """Items of a queue that this account may have, in the order in which payers take turns."""
    return many(tx, WorkCandidate, DRAW, **wanted)


LOCK = """
    select jobs.id from unnest(%(ids)s::uuid[]) with ordinality as wanted (id, place)
    join jobs using (id)
    where case when jobs.state = 'queued' then not jobs.delayed end
    order by place limit %(most)s for no key update of jobs skip locked
    """


def lock(tx: Tx, ids: list[UUID], most: int) -> list[UUID]:
    """The first of these that nobody else is taking."""
    return values(tx, LOCK, ids=ids, most=most)


@dataclass(frozen=True, slots=True)
class Unheld:
    kind: str
    payer_id: UUID
    record_id: UUID | None
    slots: int
    age_seconds: float
    meant_for: UUID | None
    excluded: list[UUID]


UNHELD = """
    select work.kind, oldest.account_id as payer_id, work.record_id, work.slots, work.meant_for,
    work.excluded,
           extract(epoch from now() - created_at)::float as age_seconds
    from (
        select id, account_id, created_at from jobs
        where queue = %(queue)s and state = 'queued' and not delayed
          and account_id > %(after)s
        order by account_id, priority, id limit %(most)s
    ) as oldest join work using (id)
    """


def unheld(reader: Reader, queue: str, after: UUID, most: int) -> list[Unheld]:
    """Some items of a queue, of payers behind an account."""
    return many(reader, Unheld, UNHELD, queue=queue, after=after, most=most)


JUST_GIVEN = """
    select distinct node_id, claim_key from work_turns
    where node_id = any(%(node_ids)s) and ended_at is null
      and claimed_at > now() - interval '10 seconds'
    """


def just_given(reader: Reader, node_ids: Sequence[UUID]) -> list[tuple[UUID, str]]:
    """Node and key of the claims."""
    return reader.execute(JUST_GIVEN, {"node_ids": list(node_ids)}).fetchall()
