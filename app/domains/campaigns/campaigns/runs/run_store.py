"""The campaign_runs table. State changes are compare-and-set; counts are kept with the state."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, LiteralString
from uuid import UUID

from app.core.db import Reader, Tx, first, lists, run, values


@dataclass(frozen=True, slots=True)
class CampaignRun:
    id: UUID
    campaign_id: UUID
    tick: datetime
    state: str
    hold_id: UUID | None
    reserved: Decimal
    spent: Decimal
    records_most: int
    records_taken: int
    open_pages: int
    open_records: int
    report: dict[str, Any]
    deadline_at: datetime
    created_at: datetime
    ended_at: datetime | None


INSERT = """
    insert into campaign_runs (id, campaign_id, tick, state, deadline_at, report, ended_at)
    values (%(id)s, %(campaign_id)s, %(tick)s, %(state)s,
            now() + make_interval(secs => %(seconds)s), %(report)s,
            case when %(state)s = 'skipped' then now() end)
    on conflict do nothing
    """


def insert(tx: Tx, **columns: Any) -> bool:
    """False: the tick has its run, or another run is open."""
    return run(tx, INSERT, **columns) == 1


_COLUMNS: LiteralString = """
    select id, campaign_id, tick, state, hold_id, reserved, spent, records_most, records_taken,
           open_pages, open_records, report, deadline_at, created_at, ended_at
    from campaign_runs
    """

BY_ID: LiteralString = _COLUMNS + "where id = %(id)s"
LOCK: LiteralString = BY_ID + " for update"


def by_id(reader: Reader, id: UUID) -> CampaignRun | None:
    return first(reader, CampaignRun, BY_ID, id=id)


def lock(tx: Tx, id: UUID) -> CampaignRun | None:
    return first(tx, CampaignRun, LOCK, id=id)


OPEN: LiteralString = (
    _COLUMNS + "where campaign_id = %(campaign_id)s and state not in ('closed', 'skipped')"
)


def open_of(reader: Reader, campaign_id: UUID) -> CampaignRun | None:
    return first(reader, CampaignRun, OPEN, campaign_id=campaign_id)


PAGE: LiteralString = _COLUMNS + "where campaign_id = %(campaign_id)s"


def page(reader: Reader, campaign_id: UUID, before: UUID | None, most: int) -> list[CampaignRun]:
    """Newest first."""
    return lists.newest(reader, CampaignRun, PAGE, before, most, campaign_id=campaign_id)


RESERVE = """
    update campaign_runs
    set state = 'collecting', hold_id = %(hold_id)s, reserved = %(reserved)s,
        records_most = %(records_most)s, open_pages = %(open_pages)s, report = %(report)s
    where id = %(id)s and state = 'planned'
    """


def reserve(tx: Tx, id: UUID, **columns: Any) -> None:
    run(tx, RESERVE, id=id, **columns)


COUNT = """
    update campaign_runs
    set open_pages = open_pages + %(pages)s, open_records = open_records + %(records)s,
        records_taken = records_taken + %(taken)s
    where id = %(id)s
    """


def count(tx: Tx, id: UUID, *, pages: int = 0, records: int = 0, taken: int = 0) -> None:
    """Add to what is open; the row is locked from here on."""
    run(tx, COUNT, id=id, pages=pages, records=records, taken=taken)


MOVE = """
    update campaign_runs set state = %(to)s
    where id = %(id)s and state = any(%(since)s) and (open_pages = 0 or %(to)s <> 'reviewing')
    """


def move(tx: Tx, id: UUID, since: tuple[str, ...], to: str) -> bool:
    return run(tx, MOVE, id=id, since=list(since), to=to) == 1


NOTE = "update campaign_runs set report = report || %(facts)s where id = %(id)s"


def note(tx: Tx, id: UUID, facts: dict[str, Any]) -> None:
    """Put facts into the report, over those of the same name."""
    run(tx, NOTE, id=id, facts=facts)


CLOSE = """
    update campaign_runs
    set state = 'closed', ended_at = now(), spent = %(spent)s, report = report || %(report)s
    where id = %(id)s and state = 'closing'
    """


def close(tx: Tx, id: UUID, *, spent: Decimal, report: dict[str, Any]) -> bool:
    return run(tx, CLOSE, id=id, spent=spent, report=report) == 1


CLOSING = "select id from campaign_runs where state = 'closing' order by id limit %(most)s"


def closing(reader: Reader, most: int) -> list[UUID]:
    return values(reader, CLOSING, most=most)


LATE = """
    select id from campaign_runs
    where deadline_at <= now() and state in ('planned', 'collecting', 'reviewing')
    order by deadline_at limit %(most)s
    """


def late(reader: Reader, most: int) -> list[UUID]:
    return values(reader, LATE, most=most)


USUAL = """
    select campaign_id, percentile_disc(0.5) within group (order by spent)
    from unnest(%(campaign_ids)s::uuid[]) campaign_id
    cross join lateral (
        select spent from campaign_runs
        where campaign_runs.campaign_id = campaign_id.campaign_id and state = 'closed'
        order by id desc limit 3) last
    group by campaign_id
    """


def usual_costs(reader: Reader, campaign_ids: Sequence[UUID]) -> dict[UUID, Decimal]:
    """The median of what the last three runs cost, of each campaign that had a run."""
    return dict(reader.execute(USUAL, {"campaign_ids": list(campaign_ids)}).fetchall())


IDS = "select id from campaign_runs where campaign_id = %(campaign_id)s order by id"


def ids_of(reader: Reader, campaign_id: UUID) -> list[UUID]:
    return values(reader, IDS, campaign_id=campaign_id)
