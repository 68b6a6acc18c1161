"""The jobs table as admission sees it: what waits, of how many accounts, and what has begun."""

from uuid import UUID

from app.core.db import Tx, value

WAITING = """
    select count(*) from (
        select 1 from jobs
        where state = 'queued' and not delayed and queue = %(queue)s
          and (%(account_id)s::uuid is null or account_id = %(account_id)s)
        limit %(most)s
    ) as waiting
    """


def waiting(tx: Tx, queue: str, most: int, account_id: UUID | None = None) -> int:
    """Jobs of a queue that wait for a worker, counted up to `most`."""
    return int(value(tx, WAITING, queue=queue, account_id=account_id, most=most))


# A loose index scan: the cost follows from the accounts, not from the jobs.
ACCOUNTS_WAITING = """
    with recursive ring as (
        (select account_id, 1 as place from jobs
         where state = 'queued' and not delayed and queue = %(queue)s
         order by account_id limit 1)
        union all
        (select next.account_id, ring.place + 1 from ring cross join lateral (
             select account_id from jobs
             where state = 'queued' and not delayed and queue = %(queue)s
               and account_id > ring.account_id
             order by account_id limit 1) as next
         where ring.place < %(most)s)
    )
    select count(*) from ring
    """


def accounts_waiting(tx: Tx, queue: str, most: int) -> int:
    """Accounts with a job that waits for a worker, counted up to `most`."""
    return int(value(tx, ACCOUNTS_WAITING, queue=queue, most=most))


BEGUN_SINCE = """
    select (select count(*) from (
                select from jobs where state = 'queued' and not delayed and queue = %(queue)s
                  and id <= %(id)s limit %(most)s) as remaining),
           (select count(*) from (
                select from jobs where id > %(id)s and queue = %(queue)s
                  and started_at is not null limit %(most)s) as later)
    """


def begun_since(tx: Tx, queue: str, id: UUID, most: int) -> tuple[int, int]:
    """How many jobs up to `id` wait still, and how many later ones have begun; up to `most`."""
    row = tx.execute(BEGUN_SINCE, {"queue": queue, "id": id, "most": most}).fetchone()
    return (row[0], row[1]) if row else (0, 0)
