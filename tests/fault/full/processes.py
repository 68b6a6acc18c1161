"""Faults of processes: killed, deployed, doubled."""

import os
import signal
import time
from contextlib import ExitStack

import psycopg
from psycopg.rows import scalar_row

from tests.fault.full.fault import WORKERS, Fault
from tests.mixed.installation import Installation

_END_SECONDS = 60.0
_UP_SECONDS = 300.0
_BUSY_SECONDS = 10.0
_HELD = "select count(*) from jobs where state = 'running' and worker like %s"
_SENT = "select count(*) from jobs where state = 'dispatched'"
_DISPATCHES = "select count(*) from dispatchers where id like %s"


def held(running: Installation, name: str) -> int:
    """How many jobs a worker holds now."""
    return _count(running, _HELD, f"%:{running.programs[name].pid}:%")


def _count(running: Installation, statement: str, *parameters: str) -> int:
    with psycopg.connect(running.postgres.url(), row_factory=scalar_row) as connection:
        return int(connection.execute(statement, parameters).fetchone() or 0)


class _BusyWorkerStruck(Fault):
    def victim(self, running: Installation, n: int) -> str:
        """A worker that holds a job now; after a while, one that holds none."""
        name, until = WORKERS[n % len(WORKERS)], time.monotonic() + _BUSY_SECONDS
        running.tend_until(
            lambda: time.monotonic() > until or held(running, name), _BUSY_SECONDS + 60
        )
        return name


class WorkerKilled(_BusyWorkerStruck):
    name = "worker SIGKILL"
    times = 16
    seconds = 60

    def strike(self, running: Installation, n: int) -> None:
        name = self.victim(running, n)
        self.effects["jobs in the hands of the killed"] += held(running, name)
        running.restart(name)
        self.effects["workers killed"] += 1


class Deployed(Fault):
    name = "deploy: SIGTERM to all, one by one"
    times = 4
    seconds = 100

    def strike(self, running: Installation, n: int) -> None:
        for name, program in running.programs.items():
            running.down.add(name)
            until = time.monotonic() + _END_SECONDS
            program.ask_to_end()
            running.tend_until(
                lambda program=program, until=until: (
                    not program.running or time.monotonic() > until
                ),
                _END_SECONDS + 30,
            )
            self.effects["processes restarted"] += 1
            self.effects[f"had to be killed after {_END_SECONDS:.0f} s"] += program.running
            program.kill()
            program.start()
            running.down.discard(name)
            running.tend_until(running.answers, _UP_SECONDS)


class DispatcherKilled(Fault):
    name = "dispatcher SIGKILL"
    times = 12
    seconds = 50

    def strike(self, running: Installation, n: int) -> None:
        self.effects["jobs sent and not begun"] += _count(running, _SENT)
        _dispatcher_killed(running, "dispatcher")
        self.effects["dispatchers killed"] += 1


class DispatchersDoubled(Fault):
    name = "dispatchers doubled, one of them killed"
    times = 12
    seconds = 50

    def begin(self, running: Installation) -> None:
        second = running.program("dispatcher", log="dispatcher2")
        running.programs["dispatcher2"] = second
        second.start()

    def finish(self, running: Installation) -> None:
        running.programs.pop("dispatcher2").kill()

    def strike(self, running: Installation, n: int) -> None:
        self.effects["jobs sent and not begun"] += _count(running, _SENT)
        _dispatcher_killed(running, "dispatcher2" if n % 2 else "dispatcher")
        self.effects["dispatchers killed, of two"] += 1


def _dispatcher_killed(running: Installation, name: str) -> None:
    """Returns when it is at work again, so that the next time one is killed that works."""
    running.restart(name)
    pid = running.programs[name].pid
    running.tend_until(lambda: _count(running, _DISPATCHES, f"%:{pid}"), _UP_SECONDS)


class WebKilled(Fault):
    """The API itself: what clients were not answered they send again."""

    name = "API SIGKILL"
    times = 8
    seconds = 30

    def strike(self, running: Installation, n: int) -> None:
        running.restart("web")
        self.effects["APIs killed"] += 1
        running.tend_until(running.answers, _UP_SECONDS)


class WorkerFrozen(_BusyWorkerStruck):
    """Longer than its lease; its jobs are somebody else's when it goes on."""

    name = "worker SIGSTOP beyond its lease, SIGCONT"
    times = 4
    group = name
    seconds = 120
    _FROZEN_SECONDS = 25.0

    def settings(self, running: Installation, ends: ExitStack) -> dict[str, str]:
        return {"JOB_LEASE_SECONDS": "8"}

    def strike(self, running: Installation, n: int) -> None:
        pid = running.programs[self.victim(running, n)].pid
        os.killpg(pid, signal.SIGSTOP)
        try:
            self.effects["workers stopped"] += 1
            self.effects["jobs in the hands of the stopped"] += _count(running, _HELD, f"%:{pid}:%")
            running.rest(self._FROZEN_SECONDS)
        finally:
            os.killpg(pid, signal.SIGCONT)
