"""The campaigns table. Who changes what a campaign has locks its row first."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg.types.json import Json

from app.core.db import Reader, Tx, first, lists, run, value, values


@dataclass(frozen=True, slots=True)
class Campaign:
    id: UUID
    account_id: UUID
    body: dict[str, Any]
    token: str
    reward: Decimal
    records_target: int
    k: int
    freshness_seconds: int
    cadence_seconds: int
    starts_at: datetime | None
    ends_at: datetime | None
    state: str
    funded: Decimal
    refunded: Decimal
    schedule_id: UUID | None
    created_at: datetime
    ended_at: datetime | None

    @property
    def ended(self) -> bool:
        """True if nothing moves it any more."""
        return self.ended_at is not None


INSERT = """
    insert into campaigns (id, account_id, body, token, reward, records_target, k,
                           freshness_seconds, cadence_seconds, starts_at, ends_at, state)
    values (%(id)s, %(account_id)s, %(body)s, %(token)s, %(reward)s, %(records_target)s, %(k)s,
            %(freshness_seconds)s, %(cadence_seconds)s, %(starts_at)s, %(ends_at)s,
            'awaiting_funds')
    """


def insert(tx: Tx, *, body: dict[str, Any], **columns: Any) -> None:
    run(tx, INSERT, body=Json(body), **columns)


_COLUMNS: LiteralString = """
    select id, account_id, body, token, reward, records_target, k, freshness_seconds,
           cadence_seconds, starts_at, ends_at, state, funded, refunded, schedule_id, created_at,
           ended_at
    from campaigns
    """

BY_ID: LiteralString = _COLUMNS + "where id = %(id)s"
OF_ACCOUNT: LiteralString = BY_ID + " and account_id = %(account_id)s"
LOCK: LiteralString = BY_ID + " for update"
LOCK_OF_ACCOUNT: LiteralString = OF_ACCOUNT + " for update"


def by_id(reader: Reader, id: UUID) -> Campaign | None:
    return first(reader, Campaign, BY_ID, id=id)


def of_account(reader: Reader, id: UUID, account_id: UUID) -> Campaign | None:
    return first(reader, Campaign, OF_ACCOUNT, id=id, account_id=account_id)


def lock(tx: Tx, id: UUID) -> Campaign | None:
    return first(tx, Campaign, LOCK, id=id)


def lock_of_account(tx: Tx, id: UUID, account_id: UUID) -> Campaign | None:
    return first(tx, Campaign, LOCK_OF_ACCOUNT, id=id, account_id=account_id)


PAGE: LiteralString = _COLUMNS + "where true"
FILTERS: Final[lists.Filters] = {
    "account_id": "account_id = %(account_id)s",
    "state": "state = %(state)s",
}


def page(
    reader: Reader, account_id: UUID | None, *, state: str | None, before: UUID | None, most: int
) -> list[Campaign]:
    """Newest first; of all accounts without one."""
    return lists.newest(
        reader, Campaign, PAGE, before, most, FILTERS, account_id=account_id, state=state
    )


MOVE = """
    update campaigns
    set state = %(to)s, ended_at = case when %(ends)s then now() end
    where id = %(id)s and state = any(%(since)s)
    returning true
    """


def move(tx: Tx, id: UUID, since: tuple[str, ...], to: str, *, ends: bool = False) -> bool:
    return bool(value(tx, MOVE, id=id, since=list(since), to=to, ends=ends))


SET_SCHEDULE = "update campaigns set schedule_id = %(schedule_id)s where id = %(id)s"


def set_schedule(tx: Tx, id: UUID, schedule_id: UUID | None) -> None:
    run(tx, SET_SCHEDULE, id=id, schedule_id=schedule_id)


COUNT_MONEY = """
    update campaigns set funded = funded + %(funded)s, refunded = refunded + %(refunded)s
    where id = %(id)s
    """


def count_money(
    tx: Tx, id: UUID, *, funded: Decimal = Decimal(0), refunded: Decimal = Decimal(0)
) -> None:
    run(tx, COUNT_MONEY, id=id, funded=funded, refunded=refunded)


# A run that is open ends it when it closes.
ENDING = """
    select id from campaigns
    where ends_at <= now() and ended_at is null
      and not exists (select from campaign_runs where campaign_id = campaigns.id
                      and campaign_runs.state not in ('closed', 'skipped'))
    order by ends_at limit %(most)s
    """


def ending(reader: Reader, most: int) -> list[UUID]:
    return values(reader, ENDING, most=most)
