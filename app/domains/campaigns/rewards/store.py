"""Entries of rewards, and what of them is frozen."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Final
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx, lists, many, run, value, values
from app.domains.providers.chats.service import ChatSettlement


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    account_id: UUID
    token: str
    amount: Decimal
    role: str
    campaign_id: UUID
    run_id: UUID
    record_id: UUID
    version: int
    why: str
    verdict: str | None = None


INSERT = """
    insert into reward_entries (id, account_id, token, amount, role, campaign_id, run_id, record_id,
                                version, verdict, why, state, frozen)
    select entry.*, 'pending',
           reward_frozen(entry.record_id, entry.version, entry.account_id, entry.role)
    from unnest(%(ids)s::uuid[], %(account_ids)s::uuid[], %(tokens)s::text[],
                %(amounts)s::numeric[], %(roles)s::text[], %(campaign_ids)s::uuid[],
                %(run_ids)s::uuid[], %(record_ids)s::uuid[], %(versions)s::int[],
                %(verdicts)s::text[], %(whys)s::text[])
        entry (id, account_id, token, amount, role, campaign_id, run_id, record_id, version,
               verdict, why)
    """


def insert(tx: Tx, shares: Sequence[Share]) -> None:
    """Pending entries; what is frozen by now is frozen from the start."""
    columns = {
        f"{column.name}s": [getattr(share, column.name) for share in shares]
        for column in fields(Share)
    }
    run(tx, INSERT, ids=[ids.new() for _ in shares], **columns)


EARN = """
    insert into reward_entries (id, account_id, token, amount, role, chat_id, why, state, ended_at)
    values (%(id)s, %(provider_id)s, %(token)s, %(amount)s, 'provider', %(chat_id)s, 'chat',
            'available', now())
    on conflict (chat_id) where chat_id is not null do nothing
    """


def insert_earned(tx: Tx, settled: ChatSettlement) -> None:
    """An entry that is available at once; one a chat."""
    run(tx, EARN, id=ids.new(), **asdict(settled))


UNPAYABLE = """
    select vote.n
    from unnest(%(record_ids)s::uuid[], %(versions)s::int[], %(account_ids)s::uuid[],
                %(accepting)s::boolean[])
        with ordinality vote (record_id, version, account_id, accepting, n)
    where exists (select from reward_entries entry
                  where entry.role = 'validator'
                    and (entry.record_id, entry.version, entry.account_id)
                        = (vote.record_id, vote.version, vote.account_id))
       or vote.accepting and exists (
              select from reward_awards award
              where (award.record_id, award.version) = (vote.record_id, vote.version) and returned)
    """


def unpayable(reader: Reader, votes: Sequence[tuple[UUID, int, UUID, bool]]) -> set[int]:
    """Finds the votes (record, version, account, whether to accept), by their place, that have a
    share already, or accepted what a dispute has taken back meanwhile.
    """
    places = values(
        reader,
        UNPAYABLE,
        record_ids=[vote[0] for vote in votes],
        versions=[vote[1] for vote in votes],
        account_ids=[vote[2] for vote in votes],
        accepting=[vote[3] for vote in votes],
    )
    return {place - 1 for place in places}


@dataclass(frozen=True, slots=True)
class MovedEntry:
    id: UUID
    account_id: UUID
    token: str
    amount: Decimal
    role: str


# `frozen` decides races: who freezes changes the row, and this statement then looks at it again.
MATURE = """
    with due as (
        select id, record_id, version from reward_entries entry
        where state = 'pending' and not frozen
          and created_at <= now() - make_interval(secs => %(pending_seconds)s)
          and not reward_frozen(entry.record_id, entry.version, entry.account_id, entry.role)
        order by created_at, id limit %(most)s for update skip locked
    )
    update reward_entries entry set state = 'available', ended_at = now()
    from due, (select record_id, version from due limit 1) chosen
    where entry.id = due.id and (due.record_id, due.version) = (chosen.record_id, chosen.version)
    returning entry.id, entry.account_id, entry.token, entry.amount, entry.role
    """


def mature(tx: Tx, pending_seconds: float, most: int) -> list[MovedEntry]:
    """Matures entries of the version with the oldest one whose window is over, at most so many."""
    return many(tx, MovedEntry, MATURE, pending_seconds=pending_seconds, most=most)


END = """
    update reward_entries entry set state = %(state)s, frozen = false, ended_at = now()
    where (record_id, version) = (%(record_id)s, %(version)s) and state = 'pending'
      and (%(state)s = 'returned' or not frozen)
    returning id, account_id, token, amount, role
    """


def end(tx: Tx, record_id: UUID, version: int, state: str) -> list[MovedEntry]:
    """All pending entries of a version become available, but frozen ones, or returned."""
    return many(tx, MovedEntry, END, record_id=record_id, version=version, state=state)


FREEZE = """
    insert into reward_freezes (subject, version) values (%(subject)s, %(version)s)
    on conflict do nothing
    """

FREEZE_VERSION = """
    update reward_entries set frozen = true
    where (record_id, version) = (%(record_id)s, %(version)s) and state = 'pending'
    """

FREEZE_JUDGING = """
    update reward_entries set frozen = true
    where account_id = %(account_id)s and state = 'pending' and role in ('validator', 'contributor')
    """


def freeze_version(tx: Tx, record_id: UUID, version: int) -> None:
    run(tx, FREEZE, subject=record_id, version=version)
    run(tx, FREEZE_VERSION, record_id=record_id, version=version)


def freeze_judging(tx: Tx, account_id: UUID) -> None:
    """Freezes what the account earned by votes and records until an operator thaws it."""
    run(tx, FREEZE, subject=account_id, version=0)
    run(tx, FREEZE_JUDGING, account_id=account_id)


MATURED = """
    select exists (select from reward_entries
                   where (record_id, version) = (%(record_id)s, %(version)s)
                     and state = 'available')
    """


def any_available(reader: Reader, record_id: UUID, version: int) -> bool:
    return bool(value(reader, MATURED, record_id=record_id, version=version))


THAW = "delete from reward_freezes where (subject, version) = (%(subject)s, %(version)s)"

# What something else freezes as well stays frozen.
UNFREEZE = """
    update reward_entries entry
    set frozen = reward_frozen(entry.record_id, entry.version, entry.account_id, entry.role)
    where state = 'pending' and frozen
      and ((record_id, version) = (%(subject)s, %(version)s)
           or account_id = %(subject)s and %(version)s = 0)
    """


def thaw(tx: Tx, subject: UUID, version: int) -> bool:
    """Of a version, or of the judging of an account (version 0). False: it was not frozen."""
    thawed = run(tx, THAW, subject=subject, version=version) > 0
    run(tx, UNFREEZE, subject=subject, version=version)
    return thawed


@dataclass(frozen=True, slots=True)
class PendingAmount:
    token: str
    frozen: Decimal
    oldest_at: datetime | None


PENDING = """
    select token, coalesce(sum(amount) filter (where frozen), 0) as frozen,
           min(created_at) filter (where not frozen) as oldest_at
    from reward_entries where account_id = %(account_id)s and state = 'pending' group by token
    """


def pending(reader: Reader, account_id: UUID) -> list[PendingAmount]:
    return many(reader, PendingAmount, PENDING, account_id=account_id)


@dataclass(frozen=True, slots=True)
class RewardEntry:
    """An entry of rewards: by which record or chat it was earned, and what became of it."""

    id: UUID
    token: str
    amount: Decimal
    role: str
    campaign_id: UUID | None
    record_id: UUID | None
    version: int | None
    verdict: str | None
    chat_id: UUID | None
    why: str
    state: str
    frozen: bool
    created_at: datetime
    ended_at: datetime | None


PAGE = """
    select id, token, amount, role, campaign_id, record_id, version, verdict, chat_id, why, state,
           frozen, created_at, ended_at
    from reward_entries
    where account_id = %(account_id)s
    """
FILTERS: Final[lists.Filters] = {
    "role": "role = %(role)s",
    "campaign_id": "campaign_id = %(campaign_id)s",
}


def page(
    reader: Reader,
    account_id: UUID,
    role: str | None,
    campaign_id: UUID | None,
    before: UUID | None,
    limit: int,
) -> list[RewardEntry]:
    """Newest first."""
    return lists.newest(
        reader,
        RewardEntry,
        PAGE,
        before,
        limit,
        FILTERS,
        account_id=account_id,
        role=role,
        campaign_id=campaign_id,
    )
