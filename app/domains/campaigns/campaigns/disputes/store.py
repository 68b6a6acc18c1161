"""Disputes and appeals: rows and SQL. A version is disputed once."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, LiteralString, NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb

from app.core.db import Reader, Tx, first, lists, many, one, run
from app.domains.account.accounts.store import lock_account
from app.engine.judging import quorum


@dataclass(frozen=True, slots=True)
class Dispute:
    """Somebody says that a decision about a version was wrong."""

    id: UUID
    kind: str
    campaign_id: UUID
    record_id: UUID
    version: int
    account_id: UUID
    funder_id: UUID
    contributor_id: UUID | None
    category: str | None
    reason: str
    state: str
    decided_by: str | None
    hold_id: UUID | None
    opened_at: datetime
    decided_at: datetime | None
    settled_at: datetime | None
    duplicate_of: UUID | None

    @property
    def ends_at(self) -> datetime:
        return self.opened_at + timedelta(days=quorum.DISPUTE_DAYS)


_COLUMNS: Final[LiteralString] = """
    id, kind, campaign_id, record_id, version, account_id, funder_id, contributor_id, category,
    reason, state, decided_by, hold_id, opened_at, decided_at, settled_at,
    (select duplicate_of from campaign_records where campaign_records.id = record_id)
        as duplicate_of
    """
_DISPUTES: Final[LiteralString] = "select" + _COLUMNS + "from record_disputes "

INSERT = f"""
    insert into record_disputes (id, kind, campaign_id, record_id, version, account_id, funder_id,
                                 contributor_id, category, reason, state)
    values (%(id)s, %(kind)s, %(campaign_id)s, %(record_id)s, %(version)s, %(account_id)s,
            %(funder_id)s, %(contributor_id)s, %(category)s, %(reason)s, 'open')
    on conflict do nothing
    returning {_COLUMNS}
    """  # noqa: S608 (made of constants)


def insert(tx: Tx, **columns: Any) -> Dispute | None:
    """None: the version was disputed before."""
    return first(tx, Dispute, INSERT, **columns)


SET_HOLD = "update record_disputes set hold_id = %(id)s where id = %(id)s"


def set_hold(tx: Tx, id: UUID) -> None:
    run(tx, SET_HOLD, id=id)


END = f"""
    update record_disputes set state = %(state)s, decided_by = %(by)s, decided_at = now()
    where (record_id, version) = (%(record_id)s, %(version)s) and state = 'open'
    returning {_COLUMNS}
    """  # noqa: S608 (made of constants)


def end(tx: Tx, record_id: UUID, version: int, state: str, by: str) -> Dispute | None:
    """None: no dispute of this version is open."""
    return first(tx, Dispute, END, record_id=record_id, version=version, state=state, by=by)


SETTLED = """
    update record_disputes set settled_at = now()
    where id = %(id)s and state <> 'open' and settled_at is null
    """


def set_settled(tx: Tx, id: UUID) -> bool:
    return run(tx, SETTLED, id=id) == 1


BY_ID: LiteralString = _DISPUTES + "where id = %(id)s"


def by_id(reader: Reader, id: UUID) -> Dispute | None:
    """The dispute, whoever opened it: for the job that settles it."""
    return first(reader, Dispute, BY_ID, id=id)


OF_CAMPAIGN: LiteralString = _DISPUTES + "where campaign_id = %(campaign_id)s"


def of_campaign(
    reader: Reader, campaign_id: UUID, before: UUID | None, limit: int
) -> list[Dispute]:
    """Newest first."""
    return lists.newest(reader, Dispute, OF_CAMPAIGN, before, limit, campaign_id=campaign_id)


OF_CONTRIBUTOR: LiteralString = _DISPUTES + "where contributor_id = %(account_id)s"


def of_contributor(
    reader: Reader, account_id: UUID, before: UUID | None, limit: int
) -> list[Dispute]:
    """Of the records that the account contributed, newest first."""
    return lists.newest(reader, Dispute, OF_CONTRIBUTOR, before, limit, account_id=account_id)


OPEN: LiteralString = _DISPUTES + "where state = 'open' order by opened_at"


def all_open(reader: Reader) -> list[Dispute]:
    """Oldest first."""
    return many(reader, Dispute, OPEN)


OVERDUE: LiteralString = (
    _DISPUTES
    + """where state = 'open' and opened_at <= now() - make_interval(days => %(days)s)
    order by opened_at limit %(most)s
    """
)


def overdue(reader: Reader, most: int) -> list[Dispute]:
    """Open for longer than a dispute may be, oldest first."""
    return many(reader, Dispute, OVERDUE, days=quorum.DISPUTE_DAYS, most=most)


UNSETTLED: LiteralString = (
    _DISPUTES
    + """where state <> 'open' and settled_at is null
      and decided_at <= now() - make_interval(mins => %(minutes)s)
    order by decided_at limit %(most)s
    """
)


def unsettled(reader: Reader, minutes: int, most: int) -> list[Dispute]:
    """Decided so long ago, and what follows is not done."""
    return many(reader, Dispute, UNSETTLED, minutes=minutes, most=most)


@dataclass(frozen=True, slots=True)
class Past:
    """The disputes and appeals that an account opened, by what became of them."""

    open: int
    decided: int
    refused: int
    opened_today: int
    next_seconds: int


PAST = """
    select count(*) filter (where state = 'open')::int as open,
           count(*) filter (where state <> 'open')::int as decided,
           count(*) filter (where state = 'refused')::int as refused,
           count(*) filter (where opened_at > now() - interval '1 day')::int as opened_today,
           coalesce(ceil(86400 - extract(epoch from now() - max(opened_at))), 0)::int
               as next_seconds
    from record_disputes where account_id = %(account_id)s
    """


def past(tx: Tx, account_id: UUID) -> Past:
    """The account's disputes so far; it opens no other until the transaction ends."""
    lock_account(tx, account_id)
    return one(tx, Past, PAST, account_id=account_id)


@dataclass(frozen=True, slots=True)
class DecidedVersion:
    campaign_id: UUID
    version: int
    state: str
    decided_at: datetime | None


CONTRIBUTED = """
    select campaign_records.campaign_id, campaign_versions.version, campaign_versions.state,
    campaign_versions.decided_at
    from campaign_versions join campaign_records
      on campaign_records.id = campaign_versions.record_id
    where campaign_versions.record_id = %(record_id)s
    and campaign_versions.contributor_id = %(account_id)s
    order by campaign_versions.version desc limit 1
    """


def contributed(reader: Reader, record_id: UUID, account_id: UUID) -> DecidedVersion | None:
    return first(reader, DecidedVersion, CONTRIBUTED, record_id=record_id, account_id=account_id)


OVERTURN = """
    update campaign_versions set state = %(to)s, reasons = %(reasons)s
    where (record_id, version) = (%(record_id)s, %(version)s) and state = any(%(since)s)
    """


def overturn(
    tx: Tx,
    record_id: UUID,
    version: int,
    since: tuple[str, ...],
    to: str,
    reasons: list[dict[str, str]],
) -> bool:
    """Turn a decision round. False: it was before."""
    of = {"record_id": record_id, "version": version}
    return run(tx, OVERTURN, **of, since=list(since), to=to, reasons=Jsonb(reasons)) == 1


class Rival(NamedTuple):
    """Another record that says the same, and is accepted or may be."""

    id: UUID
    state: str


RIVAL = """
    select other.id, other.state
    from campaign_records record join campaign_records other using (campaign_id, key)
    where record.id = %(record_id)s and other.id <> record.id
      and other.state in ('candidate', 'accepted')
    """


def rival(reader: Reader, record_id: UUID) -> Rival | None:
    """The record in whose place this one would be; there is one at most."""
    return first(reader, Rival, RIVAL, record_id=record_id)
