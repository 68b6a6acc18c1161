"""A run over many pages comes to the same records, nothing twice, whatever dies meanwhile."""

import signal
from collections.abc import Iterator
from typing import Any

import pytest

from app.core import db
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs.extraction import EXTRACTION
from app.local.embedded.supervisor import Program
from tests import servers
from tests.fault import load as loads
from tests.fault.mortal_stages import DEATHS
from tests.fault.stage import CHILDREN, Stage, children, read, run_as_owner
from tests.internet import Internet, running

PAGES, FEW_PAGES = 200, 60
CLEAR = "truncate extraction_jobs, extraction_samples, snapshots cascade"
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
    "required": ["name"],
}
RECORDS = """
    select url, position % 100000, data from extraction_records
    join extraction_pages on extraction_pages.id = page_id order by url, 2
    """
# The dispatcher of the product makes other jobs, whose queues have no worker here.
# Who dies after the last commit does so a moment later.
UNFINISHED = """
    select (select count(*) from jobs where finished_at is null and queue = 'extraction')
         + (select count(*) from deaths)
    """
COUNTERS = "select stop_reason, found, done, failed, records from extraction_runs"


@pytest.fixture(scope="module")
def site(long: bool) -> Iterator[Internet]:
    """A tree of pages: each leads to two others and has a product."""
    pages = PAGES if long else FEW_PAGES
    with running() as site:
        for n in range(pages):
            links = "".join(f"<a href='/{m}'>{m}</a>" for m in (2 * n + 1, 2 * n + 2) if m < pages)
            site.pages[f"/{n}"] = (
                f"<html lang=en><head><title>Lamp {n}</title></head><body><main><h1>Lamp {n}</h1>"
                f"<table><tr><th>Name<td>Lamp {n}<tr><th>Price<td>${n}.50</table>{links}</main>"
            )
        yield site


@pytest.fixture
def workers(bare_stage: Stage, site: Internet) -> Iterator[list[Program]]:
    """Two workers of the product that die at the stages that `deaths` names, and a dispatcher."""
    run_as_owner(CLEAR)
    settings = {"EXTRACT_FETCH_ALLOW": site.url.removeprefix("http://")}
    programs = [
        *(bare_stage.extraction_worker(number, **settings) for number in range(2)),
        bare_stage.product("none")[1],
    ]
    for program in programs:
        program.start()
    servers.until(lambda: all(len(children(p)) == CHILDREN for p in programs[:2]))
    yield programs
    for program in programs:
        program.kill()


def begin(site: Internet, deaths: tuple[str, ...] = ()) -> None:
    body = {
        "type": "extraction",
        "source": {"type": "crawl", "url": f"{site.url}/0", "max_depth": 20},
        "schema": SCHEMA,
        "max_pages": 1_000,
        "validation": {"sample_rate": 0.1},
    }

    def submit(tx: db.Tx) -> None:
        for death in deaths:
            tx.execute("insert into deaths values (%s)", (death,))
        extractions.submit(tx, loads.ACCOUNTS[0], EXTRACTION.name, body, kept_seconds=86_400)

    read(submit)


def outcome() -> tuple[list[Any], list[Any]]:
    """How it ended and its records, once everybody who should die is dead."""
    servers.until(lambda: not read(lambda tx: db.value(tx, UNFINISHED)))
    counters = read(lambda tx: tx.execute(COUNTERS).fetchall())
    records = read(lambda tx: tx.execute(RECORDS).fetchall())
    return counters, records


def expected(site: Internet) -> tuple[list[Any], list[Any]]:
    pages = len(site.pages)
    records = [
        (f"{site.url}/{n}", 0, {"name": f"Lamp {n}", "price": n + 0.5}) for n in range(pages)
    ]
    return [("done", pages, pages, 0, pages)], sorted(records, key=lambda r: r[0])


def test_a_run_ends_the_same_when_a_process_dies_at_each_of_its_stages(
    workers: list[Program], site: Internet
) -> None:
    begin(site, DEATHS)
    assert outcome() == expected(site)


def test_a_run_ends_the_same_when_redis_forgets_and_postgres_loses_power(
    workers: list[Program], site: Internet, bare_stage: Stage
) -> None:
    begin(site, ("page", "keeping", "ending done", "joining"))
    servers.until(lambda: len(read(lambda tx: tx.execute(RECORDS).fetchall())) > 0)
    bare_stage.flush_redis()
    workers[0].kill()
    workers[0].start()
    bare_stage.restart_postgres(signal.SIGKILL)
    assert outcome() == expected(site)
