"""What is done to the stage while it works. Each leaves all processes running or starting."""

import os
import signal
import time
from collections.abc import Callable

from app.local.embedded.supervisor import Program
from tests import servers
from tests.fault import load as loads
from tests.fault.load import Load
from tests.fault.stage import GRACE_SECONDS, Stage

Fault = Callable[[Stage, Load, int], None]
"""Strikes for the n-th time."""


def busy(stage: Stage, load: Load, n: int, seconds: float = 0.5) -> Program:
    """The n-th worker, at a job it needs `seconds` for: an idle one proves nothing."""
    worker = stage.workers[n % 2]

    def at_work() -> bool:
        if loads.unfinished() < 12:
            load.submit_one(seconds=seconds)
        return stage.held_by(worker, seconds) > 0

    servers.until(at_work)
    return worker


def worker_killed(stage: Stage, load: Load, n: int) -> None:
    worker = busy(stage, load, n)
    worker.kill()
    worker.start()


def pool_child_killed(stage: Stage, load: Load, n: int) -> None:
    worker = busy(stage, load, n)
    os.kill(stage.process_at_work(worker), signal.SIGKILL)


def worker_deployed(stage: Stage, load: Load, n: int) -> None:
    """SIGTERM at a job longer than the grace; SIGKILL if Celery has not tidied up long after it."""
    worker = busy(stage, load, n, seconds=GRACE_SECONDS + 1)
    worker.ask_to_end()
    until = time.monotonic() + GRACE_SECONDS + 10
    servers.until(lambda: not worker.running or time.monotonic() > until)
    worker.kill()
    worker.start()


def worker_frozen(stage: Stage, load: Load, n: int) -> None:
    """Stopped until its jobs were taken from it, then let go to finish what it held."""
    while True:
        worker = busy(stage, load, n)
        os.killpg(worker.pid, signal.SIGSTOP)
        try:
            held = stage.held_by(worker)
            servers.until(lambda worker=worker: stage.held_by(worker) == 0)
        finally:
            os.killpg(worker.pid, signal.SIGCONT)
        if held:  # else it had finished just before it was stopped
            return


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

TAKING = {worker_killed, pool_child_killed, worker_deployed, worker_frozen}
"""Faults that take a job from its worker, unless it ends that in the moment before."""

LONG = {worker_frozen: 3, redis_away: 2}
"""Faults that take several seconds each: how often they strike in the long form."""
