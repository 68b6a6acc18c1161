"""Monitors of a page that changes once: a first run, and one that finds the change."""

from dataclasses import dataclass
from typing import Any, Final

from tests.mixed.calling import Caller
from tests.mixed.clients import Clients
from tests.mixed.extractions import PATH
from tests.mixed.tally import Tally
from tests.mixed.world import World

_SCHEMA: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
    "required": ["name"],
}
_BEFORE, _AFTER = 129, 119


@dataclass
class _Monitor:
    id: str
    lamp: int
    rerun_key: str
    runs_wanted: int = 1
    over: bool = False


class Monitors:
    kind = "monitor"
    jobs_each = 2

    def __init__(self, clients: Clients, world: World) -> None:
        self._clients, self._world = clients, world
        self._monitors: list[_Monitor] = []

    def submit(self, count: int) -> None:
        first = len(self._monitors)
        self._monitors += self._clients.each(self._submit, range(first, first + count))

    def _submit(self, caller: Caller, _: int) -> _Monitor:
        lamp = next(self._world.lamps)
        body = {
            "type": "monitoring",
            "source": {"type": "url", "url": self._world.set_price(lamp, _BEFORE)},
            "schema": _SCHEMA,
            "schedule": {"every": "4w"},  # no second run but the one that is asked for
        }
        answer = caller.post(PATH, body, key=self._clients.key())
        assert answer.status == 202, answer
        return _Monitor(answer.body["id"], lamp, self._clients.key())

    def unfinished(self) -> int:
        """Move every monitor on as far as it is; how many are not over."""
        moving = [each for each in self._monitors if not each.over]
        self._clients.each(self._move, moving)
        return sum(not each.over for each in moving)

    def _move(self, caller: Caller, monitor: _Monitor) -> None:
        runs = _runs(caller, monitor.id)
        if len(runs) < monitor.runs_wanted or any(run["status"] == "running" for run in runs):
            return
        if monitor.runs_wanted == 1:
            self._world.set_price(monitor.lamp, _AFTER)
            answer = caller.post(f"{PATH}/{monitor.id}/rerun", key=monitor.rerun_key)
            assert answer.status in (200, 202), answer
            monitor.runs_wanted = 2
        else:
            caller.post(f"{PATH}/{monitor.id}/cancel")
            monitor.over = True

    def tally(self, tally: Tally) -> None:
        tally.count(self.kind, 2 * len(self._monitors))
        listed = self._clients.rows(f"{PATH}?type=monitoring", "jobs")
        ours = {monitor.id for monitor in self._monitors}
        for id in {row["id"] for row in listed} - ours:
            tally.add("doubled", f"monitor {id} was requested once")
        for monitor, runs in self._clients.each(self._read, self._monitors):
            self._judge(tally, monitor, runs)

    @staticmethod
    def _read(caller: Caller, monitor: _Monitor) -> tuple[_Monitor, list[dict[str, Any]]]:
        return monitor, _runs(caller, monitor.id)

    @staticmethod
    def _judge(tally: Tally, monitor: _Monitor, runs: list[dict[str, Any]]) -> None:
        if not monitor.over:
            tally.add("open", monitor.id)
        if len(runs) > monitor.runs_wanted:
            tally.add("doubled", f"{monitor.id} ran {len(runs)} times")
        if len(runs) < 2:
            tally.add("lost", f"{monitor.id} ran {len(runs)} times")
            return
        for run, verdict in zip(
            sorted(runs, key=lambda run: run["n"]), ("new", "changed"), strict=False
        ):
            if run["status"] != "completed":
                tally.add("lost", f"run {run['n']} of {monitor.id} {run['status']}")
            elif run["pages"].get(verdict) != 1:
                tally.add("wrong", f"run {run['n']} of {monitor.id}: {run['pages']}")


def _runs(caller: Caller, id: str) -> list[dict[str, Any]]:
    return caller.every(f"{PATH}/{id}/runs", "runs")
