"""Reads an account's usage from the tables that keep work and money; nothing is written here."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from uuid import UUID

from app.core.db import Reader, many, value


@dataclass(frozen=True, slots=True)
class DayCount:
    """So many of `kind` on a day, in UTC."""

    day: date
    kind: str
    number: int


# Identifiers sort by time and are made before their rows: `first_id` is of the day before. Parts of
# workflows and campaigns count with these.
WORK = """
    select (created_at at time zone 'UTC')::date as day, 'searches' as kind, count(*) as number
    from searches
    where account_id = %(account_id)s and id >= %(first_id)s and created_at >= %(first_day)s
    group by 1
    union all
    select (created_at at time zone 'UTC')::date, 'extractions', count(*)
    from extraction_jobs
    where account_id = %(account_id)s and id >= %(first_id)s and created_at >= %(first_day)s
      and part_of is null
    group by 1
    union all
    select (started_at at time zone 'UTC')::date, 'pages', sum(done)
    from (
        select runs.done, coalesce(runs.started_at, (
            select jobs.started_at from jobs where jobs.id = runs.id)) as started_at
        from extraction_jobs join extraction_runs runs on runs.job_id = extraction_jobs.id
        where extraction_jobs.account_id = %(account_id)s and extraction_jobs.part_of is null
          and runs.done > 0
    ) runs
    where started_at >= %(first_day)s group by 1
    union all
    select (created_at at time zone 'UTC')::date, 'chats', count(*)
    from chats
    where account_id = %(account_id)s and id >= %(first_id)s and created_at >= %(first_day)s
    group by 1
    union all
    select day, 'requests', sum(requests)
    from request_counts where account_id = %(account_id)s and day >= %(first_day)s group by 1
    """


def work(reader: Reader, account_id: UUID, first_id: UUID, first_day: date) -> list[DayCount]:
    params = {"account_id": account_id, "first_id": first_id, "first_day": first_day}
    return many(reader, DayCount, WORK, **params)


@dataclass(frozen=True, slots=True)
class CreditSpending:
    """The cost of chats and of what campaigns paid for; their unused funds are not spent."""

    day: date
    why: str
    token: str
    amount: Decimal


# Credit that was bought or granted was not spent: those movements have other reasons. Nor was what
# a chat or a run holds: it is spent on the day when it is charged.
SPENT = """
    with spending as (
        select id, 'chats' as why, token from ledger_accounts
        where owner = %(account_id)s and kind in ('credit', 'held')
        union all
        select ledger_accounts.id, 'campaigns', ledger_accounts.token from campaigns
        join ledger_accounts on ledger_accounts.owner = campaigns.id
        and ledger_accounts.kind in ('escrow', 'reserved')
        where campaigns.account_id = %(account_id)s
    )
    select (transfers.posted_at at time zone 'UTC')::date as day, spending.why, spending.token,
           -sum(entries.amount) as amount
    from spending
    join ledger_entries entries on entries.account_id = spending.id
    join ledger_transfers transfers on transfers.id = entries.transfer_id
    where entries.id >= %(first_id)s and transfers.posted_at >= %(first_day)s
      and case spending.why when 'chats' then transfers.why = 'chat'
          else transfers.why not in ('fund', 'refund') end
    group by 1, 2, 3
    having sum(entries.amount) <> 0
    """


def spent(
    reader: Reader, account_id: UUID, first_id: UUID, first_day: date
) -> list[CreditSpending]:
    params = {"account_id": account_id, "first_id": first_id, "first_day": first_day}
    return many(reader, CreditSpending, SPENT, **params)


@dataclass(frozen=True, slots=True)
class OfKey:
    """The work done with one API key; without a key, by people who signed in."""

    id: UUID | None
    name: str | None
    prefix: str | None
    last_four: str | None
    requests: int
    searches: int
    extractions: int
    chats: int


BY_KEY = """
    select api_keys.id, api_keys.name, api_keys.prefix, api_keys.last_four,
           sum(requests)::bigint as requests,
           coalesce(sum(done) filter (where operation = 'createSearch'), 0)::bigint as searches,
           coalesce(sum(done) filter (where operation in ('createJob', 'rerunJob')), 0)::bigint
               as extractions,
           coalesce(sum(done) filter (where operation = 'createChatCompletion'), 0)::bigint as chats
    from (select *, requests - failed - replayed as done from request_counts
          where account_id = %(account_id)s and day between %(first_day)s and %(last_day)s) counts
    left join api_keys on api_keys.id = credential_id
    group by api_keys.id order by 5 desc
    """


def by_key(reader: Reader, account_id: UUID, first_day: date, last_day: date) -> list[OfKey]:
    params = {"account_id": account_id, "first_day": first_day, "last_day": last_day}
    return many(reader, OfKey, BY_KEY, **params)


@dataclass(frozen=True, slots=True)
class KeySpending:
    """The cost of chats with one API key, in one token."""

    id: UUID | None
    token: str
    amount: Decimal


SPENT_BY_KEY = """
    select api_keys.id, ledger_transfers.token, sum(chats.cost) as amount
    from requests
    join chats on chats.id = requests.made_id
    join ledger_transfers on ledger_transfers.key = 'hold:' || chats.id
    left join api_keys on api_keys.id = requests.credential_id
    where requests.account_id = %(account_id)s
      and requests.id >= %(first_id)s and requests.id < %(end_id)s
      and requests.operation = 'createChatCompletion' and chats.cost > 0
    group by api_keys.id, ledger_transfers.token order by ledger_transfers.token
    """


def spent_by_key(
    reader: Reader, account_id: UUID, first_id: UUID, end_id: UUID
) -> list[KeySpending]:
    params = {"account_id": account_id, "first_id": first_id, "end_id": end_id}
    return many(reader, KeySpending, SPENT_BY_KEY, **params)


# The limit is one of each queue.
WAITING = """
    select coalesce(max(number), 0) from (
        select count(*) as number from jobs
        where state = 'queued' and not delayed and queue = any(%(queues)s)
          and account_id = %(account_id)s
        group by queue) waiting
    """


def waiting(reader: Reader, account_id: UUID, queues: list[str]) -> int:
    """Jobs of the account that wait for a worker, in the queue that has most of them."""
    return int(value(reader, WAITING, account_id=account_id, queues=queues))
