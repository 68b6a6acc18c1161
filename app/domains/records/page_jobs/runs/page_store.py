"""The extraction_pages table: added, done, read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString
from urllib.parse import urlsplit
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx, lists, many, run, value, values
from app.core.errors import required
from app.domains.records.page_jobs.store import OF_CALLERS


@dataclass(frozen=True, slots=True)
class JobPage:
    id: UUID
    run_id: UUID
    n: int
    url: str
    host: str
    depth: int
    state: str
    part_id: UUID | None
    tries: int
    outcome: str | None
    verdict: str | None
    snapshot_id: UUID | None
    records: int
    fetched_at: datetime | None


COLUMNS: LiteralString = """
    extraction_pages.id, extraction_pages.run_id, n, url, host, depth, state, part_id, tries,
    outcome, verdict, snapshot_id, records, fetched_at
    """


@dataclass(frozen=True, slots=True)
class AddedPages:
    """The number of new addresses that were queued, and of those there was no room for."""

    added: int
    left_out: int


LOCK_RUN = "select found from extraction_runs where id = %(run_id)s for no key update"

# Numbers are given while the run's row is locked, so there are no gaps and no two alike.
ADD = """
    with wanted as (
        select distinct on (url) id, url, host, place
        from unnest(%(ids)s::uuid[], %(urls)s::text[], %(hosts)s::text[])
            with ordinality as wanted (id, url, host, place)
        where not exists (
            select from extraction_pages
            where run_id = %(run_id)s and extraction_pages.url = wanted.url)
          and not exists (
            select from extraction_pages
            where run_id = %(run_id)s and extraction_pages.final_url = wanted.url)
        order by url, place
    ), added as (
        insert into extraction_pages (id, run_id, n, url, host, depth)
        select id, %(run_id)s, %(found)s + row_number() over (order by place), url, host, %(depth)s
        from wanted order by place limit %(room)s
        returning id
    ), counted as (
        update extraction_runs set found = found + (select count(*) from added)
        where id = %(run_id)s
    )
    select (select count(*) from added) as added, (select count(*) from wanted) as wanted
    """


def lock_run(tx: Tx, run_id: UUID) -> None:
    """Let nobody else add or end pages of the run before the transaction ends."""
    value(tx, LOCK_RUN, run_id=run_id)


def add(
    tx: Tx, run_id: UUID, urls: Sequence[str], depth: int = 0, *, most: int | None = None
) -> AddedPages:
    """Queue those of the addresses that the run does not know yet.

    With `most`, the run has at most so many pages in all; the first ones win.
    """
    found = required(value(tx, LOCK_RUN, run_id=run_id), LookupError(run_id))
    room = None if most is None else max(0, most - found)
    added, wanted = tx.execute(
        ADD,
        {
            "run_id": run_id,
            "ids": [ids.new() for _ in urls],
            "urls": list(urls),
            "hosts": [urlsplit(url).hostname or "" for url in urls],
            "depth": depth,
            "found": found,
            "room": room,
        },
    ).fetchone() or (0, 0)
    return AddedPages(added, wanted - added)


OUTCOMES = """
    select outcome, count(*) from extraction_pages
    where run_id = %(run_id)s and outcome is not null group by outcome order by outcome
    """


def outcomes(reader: Reader, run_id: UUID) -> dict[str, int]:
    return dict(reader.execute(OUTCOMES, {"run_id": run_id}).fetchall())


VERDICTS = """
    select verdict, count(*) from extraction_pages
    where run_id = %(run_id)s and verdict is not null group by verdict
    """


def verdicts(reader: Reader, run_id: UUID) -> dict[str, int]:
    return dict(reader.execute(VERDICTS, {"run_id": run_id}).fetchall())


URLS_OF_OUTCOMES = """
    select url from extraction_pages where run_id = %(run_id)s and outcome = any(%(outcomes)s)
    order by n
    """


def urls_of_outcomes(reader: Reader, run_id: UUID, outcomes: Sequence[str]) -> list[str]:
    return values(reader, URLS_OF_OUTCOMES, run_id=run_id, outcomes=list(outcomes))


SET_VERDICT = """
    update extraction_pages set verdict = %(verdict)s
    where run_id = %(run_id)s and url = any(%(urls)s)
    """


def set_verdict(tx: Tx, run_id: UUID, urls: Sequence[str], verdict: str) -> None:
    run(tx, SET_VERDICT, run_id=run_id, urls=list(urls), verdict=verdict)


@dataclass(frozen=True, slots=True)
class WithReadings:
    id: UUID
    n: int
    url: str
    readings: bytes
    content_hash: str | None


WITH_READINGS = """
    select extraction_pages.id, extraction_pages.n, extraction_pages.url, extraction_pages.readings,
        snapshots.content_hash
    from extraction_pages left join snapshots on snapshots.id = extraction_pages.snapshot_id
    where extraction_pages.run_id = %(run_id)s and extraction_pages.host = %(host)s
        and extraction_pages.readings is not null and extraction_pages.n > %(after)s
    order by extraction_pages.n limit %(most)s
    """


def with_readings(
    reader: Reader, run_id: UUID, host: str, most: int, after: int
) -> list[WithReadings]:
    """Pages of a host with the first readings that were kept of them (gzipped JSON), in order."""
    return many(
        reader, WithReadings, WITH_READINGS, run_id=run_id, host=host, most=most, after=after
    )


READ_OF_HOSTS = """
    select host, count(*) from extraction_pages
    where run_id = %(run_id)s and readings is not null group by host
    """


def read_of_hosts(reader: Reader, run_id: UUID) -> dict[str, int]:
    """Counts the pages of each host that have first readings."""
    return dict(reader.execute(READ_OF_HOSTS, {"run_id": run_id}).fetchall())


DONE = """
    update extraction_pages
    set state = 'done', outcome = %(outcome)s, verdict = %(verdict)s,
        snapshot_id = %(snapshot_id)s, body = %(body)s, readings = %(readings)s,
        records = %(records)s, fetched_at = %(fetched_at)s, final_url = %(final_url)s,
        media_type = %(media_type)s, charset = %(charset)s
    where id = %(id)s and run_id = %(run_id)s and state <> 'done'
    returning id
    """


def done(tx: Tx, *, id: UUID, run_id: UUID, **columns: Any) -> bool:
    """End a page with what became of it; False when it had ended before."""
    return value(tx, DONE, id=id, run_id=run_id, **columns) is not None


SET_RECORDS = """
    with before as (select id, records from extraction_pages where id = %(id)s for update)
    update extraction_pages set records = %(records)s
    from before where extraction_pages.id = before.id returning before.records
    """


def set_records(tx: Tx, id: UUID, records: int) -> int:
    """Note how many records a page has; how many it had."""
    return int(value(tx, SET_RECORDS, id=id, records=records))


FREE = """
    update extraction_pages set body = null, readings = null
    where run_id = %(run_id)s and (body is not null or readings is not null)
    """


def free(tx: Tx, run_id: UUID) -> None:
    """Drop what only a run that goes on needs."""
    run(tx, FREE, run_id=run_id)


LISTED: LiteralString = (
    "select"
    + COLUMNS
    + """from extraction_pages
    where run_id = %(run_id)s and n > %(after)s::bigint"""
)
FILTERS: Final[lists.Filters] = {"outcome": "outcome = %(outcome)s"}


def listed(
    reader: Reader, run_id: UUID, *, outcome: str | None, after: int, most: int
) -> list[JobPage]:
    given = {"run_id": run_id, "outcome": outcome, "after": after}
    return lists.page(reader, JobPage, LISTED, FILTERS, order="n", most=most, **given)


QUEUED_OF_ACCOUNT = """
    select count(*) from (
        select from extraction_jobs
        join extraction_runs on job_id = extraction_jobs.id and extraction_runs.ended_at is null
        join extraction_pages on extraction_pages.run_id = extraction_runs.id and state = 'queued'
        where account_id = %(account_id)s and {of_callers} limit %(most)s
    ) as waiting
    """.replace("{of_callers}", OF_CALLERS)


def queued_of(reader: Reader, account_id: UUID, most: int) -> int:
    """Counts the waiting pages of the account's open runs, as far as `most`."""
    return int(value(reader, QUEUED_OF_ACCOUNT, account_id=account_id, most=most))


CITING = """
    select exists (
        select from extraction_pages
        join extraction_runs on extraction_runs.id = run_id
        join extraction_jobs on extraction_jobs.id = job_id
        where snapshot_id = %(snapshot_id)s and account_id = %(account_id)s and erased_at is null
          and {of_callers}
    )
    """.replace("{of_callers}", OF_CALLERS)


def cites(reader: Reader, account_id: UUID, snapshot_id: UUID) -> bool:
    """True if a page of a job of the account was read as this snapshot."""
    return bool(value(reader, CITING, account_id=account_id, snapshot_id=snapshot_id))


# Whose own address it is will read it, or has; of several that were led there the first has it.
ELSEWHERE = """
    select mine.id from unnest(%(ids)s::uuid[], %(urls)s::text[]) as mine (id, url)
    where exists (
        select from extraction_pages
        where run_id = %(run_id)s and extraction_pages.url = mine.url and id <> mine.id)
       or exists (
        select from extraction_pages
        where run_id = %(run_id)s and final_url = mine.url and id <> mine.id and records > 0)
    """


def elsewhere(reader: Reader, run_id: UUID, final_urls: Mapping[UUID, str]) -> set[UUID]:
    """By id of a page, the address of another page that has its content."""
    if not final_urls:
        return set()
    ids, urls = list(final_urls), list(final_urls.values())
    return set(values(reader, ELSEWHERE, run_id=run_id, ids=ids, urls=urls))
