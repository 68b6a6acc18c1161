"""What is done to the stage while it works. Each leaves all processes running or starting."""

import os
import signal
import time
from collections.abc import Callable

from tests import servers
from tests.fault.load import Load
from tests.fault.stage import GRACE_SECONDS, Stage, children

Fault = Callable[[Stage, Load, int], None]
"""Strikes for the n-th time."""


def worker_killed(stage: Stage, _: Load, n: int) -> None:
    worker = stage.workers[n % 2]
    worker.kill()
    worker.start()


def pool_child_killed(stage: Stage, _: Load, n: int) -> None:
    pool = children(stage.workers[n % 2])
    if pool:  # none while the worker itself still starts
        os.kill(pool[n % len(pool)], signal.SIGKILL)


def worker_deployed(stage: Stage, _: Load, n: int) -> None:
    """SIGTERM, the grace and something for Celery's own tidying up, then SIGKILL."""
    worker = stage.workers[n % 2]
    worker.ask_to_end()
    until = time.monotonic() + GRACE_SECONDS + 10
    servers.until(lambda: not worker.running or time.monotonic() > until, 30)
    worker.kill()
    worker.start()


def worker_frozen(stage: Stage, load: Load, n: int) -> None:
    """Stopped until its jobs were taken from it, then let go to finish what it held."""
    worker = stage.workers[n % 2]
    servers.until(lambda: len(children(worker)) >= 2, 60)
    for _ in range(8):
        load.submit_one(seconds=0.5)
    servers.until(lambda: stage.held_by(worker) > 0, 60)
    os.killpg(worker.pid, signal.SIGSTOP)
    try:
        servers.until(lambda: stage.held_by(worker) == 0, 30)
    finally:
        os.killpg(worker.pid, signal.SIGCONT)


def redis_flushed(stage: Stage, _: Load, n: int) -> None:
    stage.flush_redis()


def redis_killed(stage: Stage, _: Load, n: int) -> None:
    stage.kill_redis()
    stage.redis.start()


def redis_away(stage: Stage, load: Load, n: int) -> None:
    """Submits are accepted all the time."""
    stage.kill_redis()
    back = time.monotonic() + stage.redis_away_seconds
    while time.monotonic() < back:
        load.submit(2)
        time.sleep(stage.redis_away_seconds / 20)
    stage.redis.start()


def postgres_ended_at_once(stage: Stage, _: Load, n: int) -> None:
    stage.restart_postgres(signal.SIGQUIT)


def postgres_killed(stage: Stage, _: Load, n: int) -> None:
    stage.restart_postgres(signal.SIGKILL)


def dispatcher_killed(stage: Stage, _: Load, n: int) -> None:
    stage.dispatchers[0].kill()
    stage.dispatchers[0].start()


def dispatchers_doubled(stage: Stage, _: Load, n: int) -> None:
    """Two at once, and now and then one of them dies."""
    if len(stage.dispatchers) < 2:
        stage.dispatchers.append(stage.dispatcher())
        stage.dispatchers[1].start()
    else:
        stage.dispatchers[n % 2].kill()
        stage.dispatchers[n % 2].start()


FAULTS: dict[str, Fault] = {
    "worker group SIGKILL": worker_killed,
    "pool child SIGKILL": pool_child_killed,
    "deploy: SIGTERM, grace, SIGKILL": worker_deployed,
    "worker SIGSTOP beyond its lease, SIGCONT": worker_frozen,
    "Redis FLUSHALL": redis_flushed,
    "Redis SIGKILL, restarted empty": redis_killed,
    "Redis away for a while": redis_away,
    "Postgres SIGQUIT, restarted": postgres_ended_at_once,
    "Postgres SIGKILL (all processes), restarted": postgres_killed,
    "dispatcher SIGKILL": dispatcher_killed,
    "dispatchers doubled": dispatchers_doubled,
}

LONG = {worker_frozen: 3, redis_away: 2}
"""Faults that take several seconds each: how often they strike in the long form."""
