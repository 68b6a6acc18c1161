"""Open business of an account with others, and what it has running."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from app.core.db import Reader, many, value, values

# Of its own balances, and of its campaigns with their runs.
MONEY = """
    select kind, token, sum(balance) as amount from ledger_accounts
    where balance > 0 and owner = any(array(
        select %(account_id)s::uuid
        union all select id from campaigns where account_id = %(account_id)s
        union all select campaign_runs.id from campaign_runs
            join campaigns on campaigns.id = campaign_runs.campaign_id
                where campaigns.account_id = %(account_id)s))
    group by kind, token order by token, kind
    """


class Money(NamedTuple):
    kind: str
    token: str
    amount: Decimal


def money(reader: Reader, account_id: UUID) -> list[Money]:
    return many(reader, Money, MONEY, account_id=account_id)


OWN_MONEY = """
    select kind, token, balance as amount from ledger_accounts
    where owner = %(account_id)s and balance > 0 and kind in ('credit', 'available') limit 1
    """


def own_money(reader: Reader, account_id: UUID) -> list[Money]:
    """One balance that nothing binds, if there is one."""
    return many(reader, Money, OWN_MONEY, account_id=account_id)


UNFINISHED = """
    select count(*) from jobs
    where account_id = %(account_id)s and finished_at is null and kind = any(%(kinds)s)
    """


def unfinished(reader: Reader, account_id: UUID, kinds: Sequence[str]) -> int:
    return int(value(reader, UNFINISHED, account_id=account_id, kinds=list(kinds)))


ANY_UNFINISHED = """
    select count(*) from jobs where account_id = %(account_id)s and finished_at is null
    """


def any_unfinished(reader: Reader, account_id: UUID) -> int:
    return int(value(reader, ANY_UNFINISHED, account_id=account_id))


DISPUTES = """
    select count(*) from record_disputes
    where (state = 'open' or settled_at is null)
      and %(account_id)s in (account_id, funder_id, contributor_id)
    """


def disputes(reader: Reader, account_id: UUID) -> int:
    return int(value(reader, DISPUTES, account_id=account_id))


RUNS = """
    select count(*) from campaign_runs join campaigns on campaigns.id = campaign_runs.campaign_id
    where campaigns.account_id = %(account_id)s and campaign_runs.state not in ('closed',
    'skipped')
    """


def runs(reader: Reader, account_id: UUID) -> int:
    return int(value(reader, RUNS, account_id=account_id))


# Of runs that are open, and of disputes whose consequences are open: both pay by what is decided.
EARNING = """
    with payable as (
        select version.record_id, version.version, version.contributor_id
        from campaign_versions version join campaign_runs on campaign_runs.id = version.run_id
        where campaign_runs.state not in ('closed', 'skipped')
        union
        select record_id, version, contributor_id from record_disputes where settled_at is null
    )
    select count(*) from payable
    where payable.contributor_id = %(account_id)s or exists (
        select from votes
        where (votes.record_id, votes.version, votes.account_id)
            = (payable.record_id, payable.version, %(account_id)s))
    """


def earning(reader: Reader, account_id: UUID) -> int:
    """Counts the records that the account found or voted on and may yet be paid for."""
    return int(value(reader, EARNING, account_id=account_id))


CAMPAIGN = """
    select id from campaigns where account_id = %(account_id)s and ended_at is null limit 1
    """


def any_campaign(reader: Reader, account_id: UUID) -> UUID | None:
    """One that has not ended: each that is cancelled moves money, in a transaction of its own."""
    found: UUID | None = value(reader, CAMPAIGN, account_id=account_id)
    return found


EXTRACTIONS = """
    select id from extraction_jobs
    where account_id = %(account_id)s and ended_at is null and erased_at is null
      and part_of is null
    limit 20
    """


def extractions(reader: Reader, account_id: UUID) -> list[UUID]:
    return values(reader, EXTRACTIONS, account_id=account_id)


STOPPABLE = """
    select id from jobs
    where account_id = %(account_id)s and finished_at is null
      and split_part(kind, '.', 1) <> all(%(but)s)
    limit 200
    """


def stoppable(reader: Reader, account_id: UUID, but: Sequence[str]) -> list[UUID]:
    """Unfinished jobs but those of some domains' kinds."""
    return values(reader, STOPPABLE, account_id=account_id, but=list(but))


NODES = "select id from nodes where account_id = %(account_id)s limit 200"


def nodes(reader: Reader, account_id: UUID) -> list[UUID]:
    return values(reader, NODES, account_id=account_id)


DEVICES = "select device_id from provider_devices where account_id = %(account_id)s"


def devices(reader: Reader, account_id: UUID) -> list[str]:
    return values(reader, DEVICES, account_id=account_id)
