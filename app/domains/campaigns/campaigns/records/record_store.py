"""The campaign_records table: what a record is known by, and which version it shows."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from app.core.db import Reader, Tx, first, lists, many, one, run, value


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    id: UUID
    campaign_id: UUID
    run_id: UUID
    page_id: UUID | None = None
    url: str
    key: bytes
    grams: list[int]
    marks: dict[str, Any]


INSERT = """
    insert into campaign_records (id, campaign_id, run_id, page_id, url, key, grams, marks, state,
                                  duplicate_of)
    values (%(id)s, %(campaign_id)s, %(run_id)s, %(page_id)s, %(url)s, %(key)s, %(grams)s,
            %(marks)s, %(state)s, %(duplicate_of)s)
    on conflict do nothing
    """


def insert(tx: Tx, new: New, state: str = "candidate", duplicate_of: UUID | None = None) -> bool:
    """False: another candidate or accepted record has the key."""
    return run(tx, INSERT, **asdict(new), state=state, duplicate_of=duplicate_of) == 1


@dataclass(frozen=True, slots=True)
class KnownRecord:
    """A record that another may be a copy of."""

    id: UUID
    key: bytes
    grams: list[int]
    marks: dict[str, Any]


# Candidates come first by their key, then by how many runs of words they share.
ALIKE = """
    select id, key, grams, marks from campaign_records
    where campaign_id = %(campaign_id)s and state in ('candidate', 'accepted')
      and (key = %(key)s or grams && %(grams)s::bigint[])
    order by key = %(key)s desc,
             cardinality(array(select unnest(grams) intersect select unnest(%(grams)s::bigint[])))
             desc, id
    limit %(most)s
    """


def alike(
    reader: Reader, campaign_id: UUID, key: bytes, grams: Sequence[int], most: int
) -> list[KnownRecord]:
    """The records that this one shares most with."""
    return many(
        reader, KnownRecord, ALIKE, campaign_id=campaign_id, key=key, grams=list(grams), most=most
    )


REJECTED_BEFORE = """
    select exists (
        select from campaign_records join campaign_versions
          on campaign_versions.record_id = campaign_records.id
        where campaign_records.campaign_id = %(campaign_id)s and campaign_records.key = %(key)s
          and campaign_records.state in ('rejected', 'unresolved')
          and campaign_versions.data = %(data)s)
    """


def rejected_before(reader: Reader, campaign_id: UUID, key: bytes, data: dict[str, Any]) -> bool:
    """True if exactly this was judged before, and not accepted."""
    return bool(value(reader, REJECTED_BEFORE, campaign_id=campaign_id, key=key, data=data))


# Due ones are spread over the last fifth of their time, each always at the same place.
ACCEPT = """
    update campaign_records
    set state = 'accepted', version = %(version)s, duplicate_of = null, verified_at = now(),
        fresh_until = now() + make_interval(secs => %(seconds)s),
        due_at = now() + make_interval(secs => %(seconds)s * (0.8 + 0.2 * %(spread)s))
    where id = %(id)s and (state <> 'accepted' or version <= %(version)s)
    """


def accept(tx: Tx, id: UUID, version: int, *, seconds: float, spread: float) -> bool:
    """Let a record show a version, fresh from now on."""
    return run(tx, ACCEPT, id=id, version=version, seconds=seconds, spread=spread) == 1


REFUSE = """
    update campaign_records set state = %(state)s
    where id = %(id)s and version = %(version)s and state = any(%(since)s)
    """


def refuse(tx: Tx, id: UUID, version: int, since: Sequence[str], state: str) -> bool:
    """Only of the version that the record shows: another one changes nothing of it."""
    return run(tx, REFUSE, id=id, version=version, since=list(since), state=state) == 1


MARK_COPY = """
    update campaign_records set state = 'rejected', duplicate_of = %(of)s
    where id = %(id)s and state in ('rejected', 'unresolved')
    """


def mark_copy(tx: Tx, id: UUID, of: UUID) -> None:
    """Let a record stay out because another says the same."""
    run(tx, MARK_COPY, id=id, of=of)


RENAME = """
    update campaign_records
    set key = %(key)s, grams = %(grams)s, marks = %(marks)s
    where id = %(id)s and not exists (
        select from campaign_records other
        where other.campaign_id = campaign_records.campaign_id and other.key = %(key)s
          and other.state in ('candidate', 'accepted') and other.id <> %(id)s)
    """


def rename(tx: Tx, id: UUID, key: bytes, grams: Sequence[int], marks: dict[str, Any]) -> None:
    """Sets what a record is known by, once it shows another version."""
    run(tx, RENAME, id=id, key=key, grams=list(grams), marks=marks)


@dataclass(frozen=True, slots=True)
class DueRecord:
    record_id: UUID
    url: str


DUE = """
    select id as record_id, url from campaign_records
    where campaign_id = %(campaign_id)s and state = 'accepted' and due_at <= now()
    order by due_at limit %(most)s
    """


def due(reader: Reader, campaign_id: UUID, most: int) -> list[DueRecord]:
    """Accepted records that ought to be looked at again, the longest due first."""
    return many(reader, DueRecord, DUE, campaign_id=campaign_id, most=most)


TAKE_DUE = "update campaign_records set due_at = now() where id = any(%(ids)s)"


def take_due(tx: Tx, ids: Sequence[UUID]) -> None:
    """Puts records that are looked at now behind the others that are due: they stay so until they
    are found, which those of a page that is gone never are.
    """
    run(tx, TAKE_DUE, ids=list(ids))


FRESH = """
    select campaign_id, count(*) from campaign_records
    where campaign_id = any(%(campaign_ids)s) and state = 'accepted' and fresh_until > now()
    group by campaign_id
    """


def fresh(reader: Reader, campaign_ids: Sequence[UUID]) -> dict[UUID, int]:
    """Counts the accepted records that are fresh, of each campaign that has any."""
    return dict(reader.execute(FRESH, {"campaign_ids": list(campaign_ids)}).fetchall())


TALLY = """
    select count(*) filter (where state = 'candidate') as candidate,
           count(*) filter (where state = 'accepted') as accepted,
           count(*) filter (where state = 'rejected') as rejected,
           count(*) filter (where state = 'unresolved') as unresolved,
           count(duplicate_of) as duplicates
    from campaign_records where campaign_id = %(campaign_id)s
    """


@dataclass(frozen=True, slots=True)
class RecordCounts:
    """The number of records in each state; `duplicates` are some of the rejected ones."""

    candidate: int
    accepted: int
    rejected: int
    unresolved: int
    duplicates: int


def tally(reader: Reader, campaign_id: UUID) -> RecordCounts:
    return one(reader, RecordCounts, TALLY, campaign_id=campaign_id)


@dataclass(frozen=True, slots=True)
class CampaignRecord:
    id: UUID
    run_id: UUID
    url: str
    version: int
    state: str
    data: dict[str, Any]
    provenance: list[dict[str, Any]]
    reasons: list[dict[str, Any]]
    duplicate_of: UUID | None
    verified_at: datetime | None
    due_at: datetime | None
    validated_by: list[dict[str, Any]]
    independent_votes: int
    owner_verdict: bool | None
    contributed_by_node: bool
    snapshot_id: UUID | None
    source_url: str | None
    content_hash: str | None
    fetched_at: datetime | None
    created_at: datetime


_LISTED: LiteralString = """
    select campaign_records.id, campaign_versions.run_id, campaign_records.url,
           campaign_versions.version, campaign_records.state, campaign_versions.data,
           campaign_versions.provenance, campaign_versions.reasons,
           campaign_records.duplicate_of, campaign_records.verified_at, campaign_records.due_at,
           campaign_versions.validated_by, campaign_versions.independent_votes,
           campaign_versions.owner_verdict,
           campaign_versions.contributor_id is not null as contributed_by_node,
           campaign_versions.snapshot_id,
           snapshots.url as source_url, snapshots.content_hash, snapshots.fetched_at,
           campaign_records.created_at
    from campaign_records
    join campaign_versions on campaign_versions.record_id = campaign_records.id
         and campaign_versions.version = campaign_records.version
    left join snapshots on snapshots.id = campaign_versions.snapshot_id
    """

PAGE: LiteralString = _LISTED + "where campaign_records.campaign_id = %(campaign_id)s"
FILTERS: Final[lists.Filters] = {"state": "campaign_records.state = %(state)s"}
ONE: LiteralString = PAGE + " and campaign_records.id = %(id)s"


def of_campaign(reader: Reader, campaign_id: UUID, id: UUID) -> CampaignRecord | None:
    return first(reader, CampaignRecord, ONE, campaign_id=campaign_id, id=id)


def page(
    reader: Reader, campaign_id: UUID, *, state: str | None, before: UUID | None, most: int
) -> list[CampaignRecord]:
    """Newest first."""
    given = {"campaign_id": campaign_id, "state": state}
    return lists.newest(
        reader, CampaignRecord, PAGE, before, most, FILTERS, id="campaign_records.id", **given
    )
