"""The campaign_versions table: what a record says, who found it, and how it was judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from app.core.db import Reader, Tx, first, many, run, value
from app.domains.providers.work.kinds import ContributedRecord

INSERT = """
    insert into campaign_versions (record_id, version, run_id, data, provenance, snapshot_id,
                                   validators, contributor_id, state, reasons, decided_at)
    values (%(record_id)s, %(version)s, %(run_id)s, %(data)s, %(provenance)s, %(snapshot_id)s,
            %(validators)s, %(contributor_id)s, %(state)s, %(reasons)s,
            case when %(state)s <> 'candidate' then now() end)
    """


def insert(
    tx: Tx,
    *,
    provenance: list[dict[str, Any]],
    state: str = "candidate",
    reasons: Sequence[dict[str, Any]] = (),
    **columns: Any,
) -> None:
    run(
        tx,
        INSERT,
        provenance=Jsonb(provenance),
        state=state,
        reasons=Jsonb(list(reasons)),
        **columns,
    )


@dataclass(frozen=True, slots=True)
class Version:
    record_id: UUID
    version: int
    run_id: UUID
    campaign_id: UUID
    url: str
    data: dict[str, Any]
    provenance: list[dict[str, Any]]
    snapshot_id: UUID | None
    validators: dict[str, Any]
    contributor_id: UUID | None
    state: str
    page_id: UUID | None


_VERSION: LiteralString = """
    select campaign_versions.record_id, campaign_versions.version, campaign_versions.run_id,
    campaign_records.campaign_id, campaign_records.url, campaign_versions.data,
           campaign_versions.provenance, campaign_versions.snapshot_id,
           campaign_versions.validators, campaign_versions.contributor_id,
           campaign_versions.state, campaign_records.page_id
    from campaign_versions join campaign_records
      on campaign_records.id = campaign_versions.record_id
    """

BY_NUMBER: LiteralString = (
    _VERSION + "where campaign_versions.record_id = %(record_id)s"
    " and campaign_versions.version = %(version)s"
)
SHOWN: LiteralString = (
    _VERSION
    + """where campaign_versions.record_id = %(record_id)s
      and campaign_versions.version = campaign_records.version"""
)


def by_number(reader: Reader, record_id: UUID, number: int) -> Version | None:
    return first(reader, Version, BY_NUMBER, record_id=record_id, version=number)


def shown(reader: Reader, record_id: UUID) -> Version | None:
    return first(reader, Version, SHOWN, record_id=record_id)


NEXT = "select max(version) + 1 from campaign_versions where record_id = %(record_id)s"


def next_number(reader: Reader, record_id: UUID) -> int:
    return int(value(reader, NEXT, record_id=record_id))


DECIDE = """
    update campaign_versions
    set state = %(state)s, reasons = %(reasons)s, validated_by = %(validated_by)s,
        independent_votes = %(independent_votes)s, decided_at = now()
    where record_id = %(record_id)s and version = %(version)s and state = any(%(since)s)
    """


def decide(
    tx: Tx,
    record_id: UUID,
    version: int,
    since: Sequence[str],
    state: str,
    *,
    independent_votes: int,
    **lists: Sequence[dict[str, Any]],
) -> bool:
    """Judge a version, from one of the states; `lists` are `reasons` and `validated_by`."""
    judged = {name: Jsonb(list(items)) for name, items in lists.items()}
    of = {"record_id": record_id, "version": version, "since": list(since), "state": state}
    return run(tx, DECIDE, **of, independent_votes=independent_votes, **judged) == 1


JUDGED_BY_OWNER = """
    update campaign_versions set owner_verdict = %(accepts)s
    where record_id = %(record_id)s and version = %(version)s
    """


def judged_by_owner(tx: Tx, record_id: UUID, version: int, accepts: bool) -> None:
    run(tx, JUDGED_BY_OWNER, record_id=record_id, version=version, accepts=accepts)


PAGE_OF_USE = """
    select exists (
        select from campaign_versions join campaign_records
          on campaign_records.id = campaign_versions.record_id
        where campaign_versions.run_id = %(run_id)s and campaign_records.page_id = %(page_id)s
          and (campaign_versions.state <> 'rejected' or campaign_records.duplicate_of is not null))
    """


def is_page_of_use(reader: Reader, run_id: UUID, page_id: UUID) -> bool:
    """True unless each record that a run found on a page was rejected, and none as a copy."""
    return bool(value(reader, PAGE_OF_USE, run_id=run_id, page_id=page_id))


FOUND_BY = """
    select exists (
        select from campaign_pages
        join campaign_versions on campaign_versions.run_id = campaign_pages.run_id
        join campaign_records on campaign_records.id = campaign_versions.record_id
        and campaign_records.page_id = campaign_pages.id
        where campaign_pages.campaign_id = %(campaign_id)s and campaign_pages.url = %(url)s
          and campaign_versions.contributor_id = %(contributor_id)s)
    """


def is_found_by(reader: Reader, campaign_id: UUID, url: str, *, contributor_id: UUID) -> bool:
    """True if the account has found a record on a page, in whichever run."""
    wanted = {"campaign_id": campaign_id, "url": url, "contributor_id": contributor_id}
    return bool(value(reader, FOUND_BY, **wanted))


CONTRIBUTED = """
    select page.id as subject, version.record_id as id, version.state, version.reasons,
           record.duplicate_of, version.decided_at
    from campaign_pages page
    join campaign_versions version
      on version.run_id = page.run_id and version.contributor_id = %(account_id)s
    join campaign_records record on record.id = version.record_id
    where page.id = any(%(page_ids)s)
      and (record.page_id = page.id or record.id = any(page.due_ids))
    order by version.record_id
    """


def contributed(
    reader: Reader, account_id: UUID, page_ids: Sequence[UUID]
) -> list[ContributedRecord]:
    wanted = {"account_id": account_id, "page_ids": list(page_ids)}
    return many(reader, ContributedRecord, CONTRIBUTED, **wanted)


UNDECIDED = """
    select record_id, version from campaign_versions
    where run_id = %(run_id)s and state = 'candidate' order by record_id limit %(most)s
    """


def undecided(reader: Reader, run_id: UUID, most: int) -> list[tuple[UUID, int]]:
    rows = reader.execute(UNDECIDED, {"run_id": run_id, "most": most}).fetchall()
    return [(record_id, version) for record_id, version in rows]


JUDGED = """
    select campaign_versions.record_id, campaign_versions.version
    from campaign_versions join campaign_records
      on campaign_records.id = campaign_versions.record_id
    where campaign_versions.run_id = %(run_id)s and campaign_records.duplicate_of is null
      and campaign_versions.state in ('accepted', 'rejected')
    order by campaign_versions.record_id
    """


def judged(reader: Reader, run_id: UUID) -> list[tuple[UUID, int]]:
    rows = reader.execute(JUDGED, {"run_id": run_id}).fetchall()
    return [(record_id, version) for record_id, version in rows]


TALLY = """
    select campaign_versions.state, campaign_records.duplicate_of is not null, count(*)::int,
           (count(*) filter (where campaign_versions.independent_votes = 0
                             and jsonb_array_length(campaign_versions.validated_by) > 0))::int
    from campaign_versions join campaign_records
      on campaign_records.id = campaign_versions.record_id
    where campaign_versions.run_id = %(run_id)s group by 1, 2
    """


def tally(reader: Reader, run_id: UUID) -> dict[str, int]:
    """Counts a run's records by state; copies and those decided built in apart."""
    counts = {"accepted": 0, "rejected": 0, "unresolved": 0, "duplicates": 0, "built_in": 0}
    for state, copy, count, built_in in reader.execute(TALLY, {"run_id": run_id}).fetchall():
        name = "duplicates" if copy else state
        counts[name] = counts.get(name, 0) + count
        counts["built_in"] += built_in
    return counts
