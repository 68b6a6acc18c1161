"""Long work comes to the same rows, nothing twice, whatever dies while its lanes are at work."""

import signal
from uuid import UUID

import pytest

from app.core import db
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs import store
from tests import servers
from tests.fault import load as loads
from tests.fault import long_work
from tests.fault.stage import Stage, read

ITEMS = 200


def begin(deaths: tuple[str, ...] = ()) -> UUID:
    for stage in deaths:
        read(lambda tx, stage=stage: tx.execute("insert into deaths values (%s)", (stage,)))
    account = loads.ACCOUNTS[0]
    return read(lambda tx: jobs.enqueue(tx, long_work.LONG, account, {"items": ITEMS}))


def kept(id: UUID) -> int:
    sql = "select count(*) from records where job_id = %(id)s"
    return int(read(lambda tx: db.value(tx, sql, id=id)))


def deaths() -> list[str]:
    """The stages at which nobody has died yet."""
    return list(read(lambda tx: db.values(tx, "select stage from deaths")))


def outcome(id: UUID) -> tuple[str, list[tuple[int, int]], int]:
    """How it ended, with what records, joined how often."""
    servers.until(lambda: loads.unfinished() == 0)
    job = read(lambda tx: store.by_id(tx, id))
    assert job is not None
    records = read(
        lambda tx: tx.execute("select n, value from records order by n, value").fetchall()
    )
    joins = read(lambda tx: db.value(tx, "select count(*) from joins"))
    return job.state, records, joins


UNDISTURBED = ("succeeded", [(n, n * n) for n in range(1, ITEMS + 1)], 1)


def test_long_work_that_nothing_disturbs(stage: Stage) -> None:
    assert outcome(begin()) == UNDISTURBED


@pytest.mark.parametrize("stage_of_work", long_work.STAGES)
def test_long_work_is_done_once_when_its_process_dies(stage_of_work: str, stage: Stage) -> None:
    assert outcome(begin((stage_of_work,))) == UNDISTURBED
    servers.until(lambda: not deaths())  # the last one comes after a commit that is seen


def test_long_work_is_done_once_whatever_dies(stage: Stage) -> None:
    id = begin(long_work.STAGES)
    # The plan is made once: who made it has to die of itself, after its commit.
    servers.until(lambda: kept(id) > 0 and "planned" not in deaths())
    stage.flush_redis()
    stage.workers[0].kill()
    stage.workers[0].start()
    stage.restart_postgres(signal.SIGKILL)
    stage.kill_redis()
    stage.redis.start()
    assert outcome(id) == UNDISTURBED
    servers.until(lambda: not deaths())


def test_a_cancel_while_lanes_work_and_die_ends_everything(stage: Stage) -> None:
    id = begin(("working", "keeping"))
    servers.until(lambda: kept(id) > 0)
    read(lambda tx: jobs.cancel(tx, id))
    at_commit = kept(id)
    state, records, joins = outcome(id)
    assert (state, len(records), joins) == ("cancelled", at_commit, 0)
