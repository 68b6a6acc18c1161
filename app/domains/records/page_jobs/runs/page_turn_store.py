"""The extraction_pages table: which part has which page, and when the others have their turn."""

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from app.core.db import Reader, Tx, many, run, value, values
from app.domains.records.page_jobs.runs.page_store import COLUMNS, JobPage

MOST_TRIES = 3
"""How many parts may die with a page in their hands before it is left alone."""

WORKER_LOST = "worker_lost"


TAKE = """
    with free as (
        select id from extraction_pages
        where run_id = %(run_id)s and state = 'queued'
          and (not_before is null or not_before <= now())
          and (%(hosts)s::text[] is null or host = any(%(hosts)s))
        order by n limit %(most)s for update skip locked
    )
    update extraction_pages set state = 'taken', part_id = %(part_id)s
    from free where extraction_pages.id = free.id
    returning {columns}
    """.replace("{columns}", COLUMNS)


def take(
    tx: Tx, run_id: UUID, part_id: UUID, most: int, hosts: Sequence[str] | None = None
) -> list[JobPage]:
    """Give some queued pages, of these hosts only, to a part: the earliest first."""
    pages = many(
        tx,
        JobPage,
        TAKE,
        run_id=run_id,
        part_id=part_id,
        most=most,
        hosts=None if hosts is None else list(hosts),
    )
    return sorted(pages, key=lambda page: page.n)


TAKEN: LiteralString = (
    "select"
    + COLUMNS
    + "from extraction_pages where part_id = %(part_id)s and state = 'taken' order by n"
)


def taken(reader: Reader, part_id: UUID) -> list[JobPage]:
    return many(reader, JobPage, TAKEN, part_id=part_id)


GIVE_BACK = """
    with held as (
        select id, id::text = any(%(begun)s) as begun from extraction_pages
        where part_id = %(part_id)s and state = 'taken'
    ), tried as (
        select id, (begun or not (select bool_or(begun) from held))::int as more from held
    ), given_back as (
        update extraction_pages
        set tries = extraction_pages.tries + more, part_id = null,
            state = case when extraction_pages.tries + more < %(most_tries)s then 'queued'
                else 'done' end,
            outcome = case when extraction_pages.tries + more < %(most_tries)s then null
                else %(outcome)s end
        from tried where extraction_pages.id = tried.id
        returning extraction_pages.run_id, extraction_pages.state
    ), lost as (
        select run_id, count(*) as pages from given_back where state = 'done' group by run_id
    ), counted as (
        update extraction_runs set done = extraction_runs.done + pages,
        failed = extraction_runs.failed + pages
        from lost where extraction_runs.id = lost.run_id
    )
    select count(*) from given_back where state = 'queued'
    """


def give_back(tx: Tx, part_id: UUID, begun: Sequence[str] = ()) -> int:
    """Queue again what a part that failed had taken; how many.

    To blame are the pages that it had `begun`, or all if it is not known which. One whose parts
    fail each time is left alone, with the outcome `worker_lost`.
    """
    return int(
        value(
            tx,
            GIVE_BACK,
            part_id=part_id,
            begun=list(begun),
            most_tries=MOST_TRIES,
            outcome=WORKER_LOST,
        )
    )


RETURN = """
    update extraction_pages set state = 'queued', part_id = null
    where part_id = %(part_id)s and state = 'taken'
    """


def hand_over(tx: Tx, part_id: UUID) -> int:
    """Queue again what a part took and did not come to, for its successor; how many."""
    return run(tx, RETURN, part_id=part_id)


AGAIN = """
    update extraction_pages set state = 'queued', part_id = null, tries = tries + 1
    where id = any(%(ids)s) and state = 'taken'
    """


def again(tx: Tx, ids: Sequence[UUID]) -> None:
    """Queue pages once more whose site did not answer."""
    run(tx, AGAIN, ids=list(ids))


AWAIT_BROWSER = """
    update extraction_pages set state = 'rendering', part_id = null
    where id = any(%(ids)s) and state = 'taken'
    """


def await_browser(tx: Tx, page_ids: Sequence[UUID]) -> None:
    run(tx, AWAIT_BROWSER, ids=list(page_ids))


AWAITING_BROWSER = """
    select id from extraction_pages where run_id = %(run_id)s and state = 'rendering'
    order by n limit %(most)s for update skip locked
    """


def awaiting_browser(tx: Tx, run_id: UUID, most: int) -> list[UUID]:
    return values(tx, AWAITING_BROWSER, run_id=run_id, most=most)


GIVE = """
    update extraction_pages set state = 'taken', part_id = %(part_id)s
    where id = %(id)s and state = 'rendering'
    """


def give(tx: Tx, page_id: UUID, part_id: UUID) -> None:
    run(tx, GIVE, id=page_id, part_id=part_id)


QUEUED_HOSTS = """
    select host, count(*) from extraction_pages
    where run_id = %(run_id)s and state = 'queued' and (not_before is null or not_before <= now())
    group by host order by min(n)
    """


def queued_hosts(reader: Reader, run_id: UUID) -> dict[str, int]:
    """Hosts with queued pages and how many they have, the earliest page's host first.

    Pages that were put off are not among them before their time.
    """
    return dict(reader.execute(QUEUED_HOSTS, {"run_id": run_id}).fetchall())


PUT_OFF = """
    update extraction_pages
    set state = 'queued', part_id = null, not_before = now() + make_interval(secs => %(seconds)s)
    where id = %(id)s and run_id = %(run_id)s and state = 'taken'
    """


def put_off(tx: Tx, *, id: UUID, run_id: UUID, seconds: float) -> bool:
    """Queue a page once more, to be taken so much later."""
    return run(tx, PUT_OFF, id=id, run_id=run_id, seconds=seconds) == 1


NEXT_DUE = """
    select min(not_before) from extraction_pages where run_id = %(run_id)s and state = 'queued'
    """


def next_due(reader: Reader, run_id: UUID) -> datetime | None:
    """When the first of the pages that were put off is to be taken; None: there are none."""
    at: datetime | None = value(reader, NEXT_DUE, run_id=run_id)
    return at


TAKEN_HOSTS = """
    select distinct host from extraction_pages
    where run_id = %(run_id)s and state = 'taken'
    """


def taken_hosts(reader: Reader, run_id: UUID) -> set[str]:
    """Hosts of which some part has pages in its hands."""
    return set(values(reader, TAKEN_HOSTS, run_id=run_id))
