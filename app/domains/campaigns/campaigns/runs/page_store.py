"""The campaign_pages table: the pages of a run, each read once and in one hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx, first, lists, many, run, values


@dataclass(frozen=True, slots=True)
class CampaignPage:
    id: UUID
    run_id: UUID
    campaign_id: UUID
    url: str
    kinds: list[str]
    due_ids: list[UUID]
    state: str
    work_id: UUID | None
    outcome: str | None
    built_in: bool
    snapshot_id: UUID | None
    reading: dict[str, Any] | None
    records: int
    left_over: int
    contributor_id: UUID | None
    first_reader: UUID | None
    read_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPage:
    """A page that a run is going to read: the sources that led to it, or what is due on it."""

    url: str
    kinds: tuple[str, ...] = ()
    due_ids: tuple[UUID, ...] = ()


INSERT = """
    insert into campaign_pages (id, run_id, campaign_id, url, kinds, due_ids, state, first_reader)
    values (%(id)s, %(run_id)s, %(campaign_id)s, %(url)s, %(kinds)s, %(due_ids)s, 'queued',
            %(first_reader)s)
    on conflict (run_id, url) do nothing
    """


def insert(tx: Tx, run_id: UUID, campaign_id: UUID, pages: Sequence[PlannedPage]) -> list[str]:
    """Add pages to a run, each address once; the addresses that were added, in order.

    A page that was rejected late is for others than who read it then.
    """
    late = rejected_late(tx, campaign_id, [page.url for page in pages])
    added = []
    for page in pages:
        if run(
            tx,
            INSERT,
            id=ids.new(),
            run_id=run_id,
            campaign_id=campaign_id,
            url=page.url,
            kinds=list(page.kinds),
            due_ids=list(page.due_ids),
            first_reader=late.get(page.url),
        ):
            added.append(page.url)
    return added


REJECTED_LATE = """
    select url, contributor_id from (
        select distinct on (url) * from campaign_pages
        where campaign_id = %(campaign_id)s and url = any(%(urls)s) order by url, id desc) page
    where state = 'done' and contributor_id is not null and first_reader is null and (
        select bool_and(found.state = 'rejected' and campaign_records.duplicate_of is null)
        from campaign_versions found join campaign_records on campaign_records.id = found.record_id
        where found.run_id = page.run_id and campaign_records.page_id = page.id)
    """


def rejected_late(reader: Reader, campaign_id: UUID, urls: Sequence[str]) -> dict[str, UUID]:
    """Pages of which all was rejected after their run had closed, with who had read them."""
    wanted = {"campaign_id": campaign_id, "urls": list(urls)}
    return dict(reader.execute(REJECTED_LATE, wanted).fetchall())


_COLUMNS: LiteralString = """
    select id, run_id, campaign_id, url, kinds, due_ids, state, work_id, outcome, built_in,
           snapshot_id, reading, records, left_over, contributor_id, first_reader, read_at
    from campaign_pages
    """

BY_ID: LiteralString = _COLUMNS + "where id = %(id)s"


def by_id(reader: Reader, id: UUID) -> CampaignPage | None:
    return first(reader, CampaignPage, BY_ID, id=id)


PAGE: LiteralString = _COLUMNS + "where campaign_id = %(campaign_id)s"


def page(reader: Reader, campaign_id: UUID, before: UUID | None, most: int) -> list[CampaignPage]:
    """Of all runs, newest first."""
    return lists.newest(reader, CampaignPage, PAGE, before, most, campaign_id=campaign_id)


OF_RUN: LiteralString = _COLUMNS + "where run_id = %(run_id)s and url = any(%(urls)s)"


def of_run(reader: Reader, run_id: UUID, urls: Sequence[str]) -> dict[str, CampaignPage]:
    found = many(reader, CampaignPage, OF_RUN, run_id=run_id, urls=list(urls))
    return {page.url: page for page in found}


QUEUED: LiteralString = _COLUMNS + "where run_id = %(run_id)s and state = 'queued' order by id"


def queued(reader: Reader, run_id: UUID) -> list[CampaignPage]:
    return many(reader, CampaignPage, QUEUED, run_id=run_id)


UNFINISHED: LiteralString = (
    _COLUMNS + "where run_id = %(run_id)s and state <> 'done' order by id limit %(most)s"
)


def unfinished(reader: Reader, run_id: UUID, most: int) -> list[CampaignPage]:
    return many(reader, CampaignPage, UNFINISHED, run_id=run_id, most=most)


KNOWN = """
    select distinct url from campaign_pages
    where campaign_id = %(campaign_id)s and url = any(%(urls)s) and state = 'done'
      and outcome = 'read' and left_over = 0
      and read_at > now() - make_interval(secs => %(seconds)s)
    """


def known(reader: Reader, campaign_id: UUID, urls: Sequence[str], seconds: float) -> set[str]:
    """The addresses that were read within so many seconds, with nothing left over."""
    return set(values(reader, KNOWN, campaign_id=campaign_id, urls=list(urls), seconds=seconds))


OFFER = """
    update campaign_pages
    set state = 'offered', work_id = %(work_id)s, snapshot_id = %(snapshot_id)s,
        reading = %(reading)s, read_at = now()
    where id = %(id)s and state = 'queued'
    """


def offer(tx: Tx, id: UUID, work_id: UUID, snapshot_id: UUID, reading: Mapping[str, Any]) -> None:
    """Hand a page that was read to the nodes; `reading` is what it says of itself."""
    run(tx, OFFER, id=id, work_id=work_id, snapshot_id=snapshot_id, reading=dict(reading))


DONE = """
    update campaign_pages
    set state = 'done', outcome = %(outcome)s, built_in = %(contributor_id)s::uuid is null,
        contributor_id = %(contributor_id)s,
        reading = case when %(contributor_id)s::uuid is not null then reading end,
        snapshot_id = coalesce(%(snapshot_id)s, snapshot_id),
        read_at = now()
    where id = %(id)s and state <> 'done'
    """


def done(
    tx: Tx,
    id: UUID,
    outcome: str,
    *,
    snapshot_id: UUID | None = None,
    contributor_id: UUID | None = None,
) -> bool:
    touched = run(
        tx, DONE, id=id, outcome=outcome, snapshot_id=snapshot_id, contributor_id=contributor_id
    )
    return touched == 1


AGAIN = """
    update campaign_pages
    set state = 'offered', work_id = null, first_reader = contributor_id, contributor_id = null,
        built_in = true, outcome = null
    where id = %(id)s and state = 'done' and outcome = 'read' and first_reader is null
      and contributor_id is not null and reading is not null
    """


def again(tx: Tx, id: UUID) -> bool:
    """Open a page again that a node read, once."""
    return run(tx, AGAIN, id=id) == 1


GIVEN = "update campaign_pages set work_id = %(work_id)s where id = %(id)s and state = 'offered'"


def set_work(tx: Tx, id: UUID, work_id: UUID) -> None:
    run(tx, GIVEN, id=id, work_id=work_id)


COUNT = """
    update campaign_pages set records = %(records)s, left_over = %(left_over)s where id = %(id)s
    """


def count(tx: Tx, id: UUID, *, records: int, left_over: int) -> None:
    run(tx, COUNT, id=id, records=records, left_over=left_over)


TALLY = """
    select outcome, count(*)::int, coalesce(sum(left_over), 0)::int,
           (count(*) filter (where built_in and outcome = 'read'))::int
    from campaign_pages where run_id = %(run_id)s group by outcome
    """


@dataclass(frozen=True, slots=True)
class CampaignPageCounts:
    outcomes: dict[str, int]
    left_over: int
    built_in: int


def tally(reader: Reader, run_id: UUID) -> CampaignPageCounts:
    rows = reader.execute(TALLY, {"run_id": run_id}).fetchall()
    return CampaignPageCounts(
        {outcome or "unread": count for outcome, count, _, _ in rows},
        sum(row[2] for row in rows),
        sum(row[3] for row in rows),
    )


# The report of a run counts them when it closes.
RETIRE = """
    with old as (
        select id from campaign_pages
        where state = 'done' and read_at < now() - make_interval(secs => %(seconds)s)
          and not exists (select from campaign_runs run where run.id = campaign_pages.run_id
                          and run.state not in ('closed', 'skipped'))
        order by read_at limit %(most)s
    )
    delete from campaign_pages using old where campaign_pages.id = old.id
    returning campaign_pages.snapshot_id
    """


def retire(tx: Tx, kept_days: float, most: int) -> list[UUID | None]:
    """Forget pages of closed runs that were read long ago; the snapshots that they referred to."""
    return values(tx, RETIRE, seconds=kept_days * 86_400, most=most)


CITES = """
    select from campaign_versions join campaign_records
      on campaign_records.id = campaign_versions.record_id
    join campaigns on campaigns.id = campaign_records.campaign_id
    where campaign_versions.snapshot_id = %(snapshot_id)s
    and campaigns.account_id = %(account_id)s limit 1
    """


def cites(reader: Reader, account_id: UUID, snapshot_id: UUID) -> bool:
    """True if a record of the account's campaigns quotes from this snapshot."""
    found = reader.execute(CITES, {"snapshot_id": snapshot_id, "account_id": account_id})
    return found.fetchone() is not None
