"""What a small account waits while others flood: beside its wait in a quiet queue, in turns.

Two queues with a worker each, alike; one dispatcher. In one queue other accounts have so many jobs
waiting; in the other one account keeps all places busy with the same work, and has nothing waiting.
A small account submits to both in turns, and waits from its submit until its job has begun. It is
counted as well how many jobs of the flood begin meanwhile.
"""

import argparse
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from typing import LiteralString, NamedTuple
from uuid import UUID

from app.core import db, ids
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.kinds import Kind
from app.local.embedded.postgres import Postgres
from tests import servers
from tests.fault import work
from tests.fault.stage import read, run_as_owner
from tests.scale.stage import await_workers, stage

FLOOD = """
    insert into jobs (id, account_id, queue, kind, state, max_attempts, payload, run_at,
                      deadline_at)
    select uuidv7(), %(account)s, %(queue)s, %(kind)s, 'queued', 3,
           jsonb_build_object('seconds', %(seconds)s::float), now(), now() + interval '1 day'
    from generate_series(1, %(jobs)s)
    """
OVERTAKES = """
    select (select count(*) from jobs other
            where other.queue = own.queue and other.id <> own.id
              and other.started_at > own.created_at and other.started_at < own.started_at)
    from jobs own where own.account_id = %(account)s and own.queue = 'test'
    """
PLACES = 4


class Flood(NamedTuple):
    accounts: int
    jobs: int
    seconds: float


class Waits(NamedTuple):
    """Of the small account, in seconds, and how many of the flood overtook each of its jobs."""

    quiet: list[float]
    flooded: list[float]
    overtakes: list[int]

    @property
    def ratio(self) -> float:
        return p95(self.flooded) / p95(self.quiet)


def p95(waits: list[float]) -> float:
    return quantiles(waits, n=20, method="inclusive")[-1]


@contextmanager
def two_queues() -> Iterator[None]:
    with (
        servers.folder() as home,
        Postgres(home / "pg", log=home / "pg.log", durable=False) as postgres,
        servers.redis() as redis,
        stage(home, postgres.url(), redis.url()) as built,
    ):
        built.worker("flooded", queues=work.QUEUE, places=PLACES)
        built.worker("quiet", queues=work.ASIDE_QUEUE, places=PLACES)
        built.dispatcher()
        await_workers("flooded", "quiet")
        yield


def measure(flood: Flood, turns: int) -> Waits:
    """`turns` jobs of the small account in each queue, in turns."""
    for account in [ids.new() for _ in range(flood.accounts)]:
        _fill(account, flood.jobs // flood.accounts, flood.seconds)
    small, waits, ended = ids.new(), Waits([], [], []), threading.Event()
    busy = threading.Thread(target=_keep_busy, args=(flood.seconds, ended))
    busy.start()
    try:
        servers.until(lambda: _count(_RUNNING) > 0, 60)
        for _ in range(turns):
            waits.flooded.append(_wait(small, work.ORDINARY))
            waits.quiet.append(_wait(small, work.ASIDE))
        assert _count(_WAITING) > 0, "the flood ended before the turns did"
    finally:
        ended.set()
        busy.join()
    waits.overtakes.extend(read(lambda tx: db.values(tx, OVERTAKES, account=small)))
    _empty()
    return waits


def _keep_busy(seconds: float, ended: threading.Event) -> None:
    """As many jobs of one account as there are places, and never more."""
    account = ids.new()
    while not ended.wait(0.005):
        for _ in range(PLACES - _count(_ASIDE)):
            _submit(account, work.ASIDE, seconds)


def _fill(account: UUID, count: int, seconds: float) -> None:
    with db.transaction() as tx:
        tx.execute("set local statement_timeout = 0")
        values = {"account": account, "queue": work.QUEUE, "kind": work.ORDINARY.name}
        tx.execute(FLOOD, {**values, "seconds": seconds, "jobs": count})


def _wait(account: UUID, kind: Kind) -> float:
    """By this process's own clock: that of a machine may be set while it runs."""
    began = time.monotonic()
    id = _submit(account, kind, 0.0)
    started = "select started_at is not null from jobs where id = %(id)s"
    servers.until(lambda: read(lambda tx: db.value(tx, started, id=id)), 120)
    seconds = time.monotonic() - began
    time.sleep(0.02)
    return seconds


def _submit(account: UUID, kind: Kind, seconds: float) -> UUID:
    return read(lambda tx: jobs.enqueue(tx, kind, account, {"seconds": seconds}))


_RUNNING = "select count(*) from jobs where queue = 'test' and started_at is not null"
_WAITING = "select count(*) from jobs where queue = 'test' and state = 'queued'"
_ASIDE = "select count(*) from jobs where queue = 'aside' and finished_at is null"
_AT_WORK = "select count(*) from jobs where state in ('dispatched', 'running')"


def _count(query: LiteralString) -> int:
    return int(read(lambda tx: db.value(tx, query)))


def _empty() -> None:
    """Nothing waits any more, and what runs ends."""
    run_as_owner("delete from jobs where state in ('queued', 'dispatched')")
    servers.until(lambda: _count(_AT_WORK) == 0, 60)


FLOODS = [
    Flood(1, 100_000, 0.1),
    Flood(10, 100_000, 0.1),
    Flood(1, 100_000, 0.02),
    Flood(1, 100_000, 0.0),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only try it")
    quick = parser.parse_args().quick
    turns = 30 if quick else 200
    print(
        "| flood | quiet p50 / p95 ms | flooded p50 / p95 ms | p95 ratio | overtaken p50 / most |"
    )
    print("|---|---|---|---|---|")
    with two_queues():
        for flood in FLOODS[:1] if quick else FLOODS:
            waits = measure(flood, turns)
            quiet, flooded = (
                f"{median(each) * 1e3:.1f} / {p95(each) * 1e3:.1f}"
                for each in (waits.quiet, waits.flooded)
            )
            print(
                f"| {flood.jobs:,} jobs of {flood.seconds * 1e3:.0f} ms, {flood.accounts} accounts "
                f"| {quiet} | {flooded} | {waits.ratio:.2f} "
                f"| {median(waits.overtakes):.0f} / {max(waits.overtakes)} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
