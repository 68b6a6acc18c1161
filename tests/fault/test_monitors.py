"""Three dispatchers, one run per tick: whichever of them dies."""

from collections.abc import Iterator

import pytest

from app.core import db
from app.core.db import Tx
from app.domains.records.monitors import job_type
from app.domains.records.page_jobs import service as extractions
from tests import servers
from tests.fault import load as loads
from tests.fault.stage import CHILDREN, Stage, children, read, run_as_owner
from tests.internet import Internet, running

TICKS = 12
CLEAR = "truncate extraction_jobs, snapshots, schedules cascade"
EACH_SECOND = """
    update schedules set every_seconds = 1, next_tick = date_trunc('second', now())
    where kind = 'monitors.run'
    """
TICKED = """
    select tick from schedule_runs join schedules on schedules.id = schedule_id
    where kind = 'monitors.run' order by tick
    """
OPEN = "select count(*) from jobs where queue = 'extraction' and finished_at is null"
RUNS = "select tick from extraction_runs where tick is not null order by tick"


@pytest.fixture
def site() -> Iterator[Internet]:
    with running() as site:
        site.page("/", "Opening hours. We open at nine.")
        yield site


def begin(tx: Tx, url: str) -> None:
    body = {
        "type": job_type.MONITORING.name,
        "source": {"type": "url", "url": url},
        "schedule": {"every": "5m"},
        "schema": {"type": "object", "properties": {"title": {"type": "string"}}},
        "max_pages": 10,
        "deadline_seconds": 60,
    }
    account = loads.ACCOUNTS[0]
    extractions.submit(tx, account, job_type.MONITORING.name, body, kept_seconds=86_400)
    tx.execute(EACH_SECOND)


def test_three_dispatchers_make_one_run_of_each_tick(bare_stage: Stage, site: Internet) -> None:
    run_as_owner(CLEAR)
    allowed = {"EXTRACT_FETCH_ALLOW": site.url.removeprefix("http://")}
    worker = bare_stage.product("extraction", **allowed)[0]
    dispatchers = [bare_stage.product("none")[1] for _ in range(3)]
    try:
        for program in (worker, *dispatchers):
            program.start()
        servers.until(lambda: len(children(worker)) == CHILDREN)
        read(lambda tx: begin(tx, site.url + "/"))
        servers.until(lambda: len(ticks(TICKED)) >= TICKS // 2)
        dispatchers[0].kill()
        servers.until(lambda: len(ticks(TICKED)) >= TICKS)
        read(lambda tx: tx.execute("update schedules set enabled = false"))
        servers.until(lambda: read(lambda tx: db.value(tx, OPEN)) == 0)
    finally:
        for program in (worker, *dispatchers):
            program.kill()
    assert len(ticks(TICKED)) >= TICKS
    assert ticks(RUNS) == ticks(TICKED)


def ticks(sql: str) -> list[str]:
    return [str(tick) for tick in read(lambda tx: db.values(tx, sql))]  # type: ignore[arg-type]
