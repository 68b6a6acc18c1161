"""Steady mixed work in windows: each has an account of its own and is judged when it has ended."""

import threading
import time
from typing import Final

from tests.mixed.installation import Installation
from tests.mixed.load import MixedLoad, closing
from tests.mixed.preparing import account
from tests.mixed.tally import Tally
from tests.mixed.world import World

_END_SECONDS: Final = 1800.0
_FACTS: Final = ("lost", "doubled", "open", "late", "wrong", "restarts")


class SteadyLoad(threading.Thread):
    """Submits `rate` jobs a second until `until`, and counts what became of them."""

    def __init__(
        self, running: Installation, world: World, *, rate: float, until: float, window: float
    ) -> None:
        """`until` is a time of `time.monotonic`, `window` is in seconds."""
        super().__init__(name="load", daemon=True)
        self._running, self._world = running, world
        self._rate, self._until, self._window = rate, until, window
        self._judges: list[threading.Thread] = []
        self._lock = threading.Lock()
        self.tally = Tally()
        self.submitted = self.server_errors = self.unanswered = self.behind = 0
        self.failures: list[str] = []

    def run(self) -> None:
        number = 0
        while time.monotonic() < self._until and not self.failures:
            number += 1
            try:
                self._fill(number)
            except Exception as error:  # noqa: BLE001 (is a verdict of the report)
                self.failures.append(f"window {number}: {type(error).__name__}: {error}"[:500])
        for judge in self._judges:
            judge.join()

    def _fill(self, number: int) -> None:
        """Submit for the length of one window; another thread sees what comes of it."""
        prepared = account(self._running.settings)
        load = MixedLoad(
            self._running.url,
            prepared.account_key,
            world=self._world,
            seed=number,
            campaigners=prepared.campaigners,
        )
        end = min(self._until, time.monotonic() + self._window)
        due = time.monotonic()
        while (now := time.monotonic()) < end:
            load.submit(max(1, round(self._rate)))
            self.submitted += max(1, round(self._rate))
            due += max(1, round(self._rate)) / self._rate
            self.behind = max(self.behind, round(time.monotonic() - due))
            time.sleep(max(0.0, min(due, end) - now))
        judge = threading.Thread(target=self._judge, args=(load, number), daemon=True)
        judge.start()
        self._judges.append(judge)

    def _judge(self, load: MixedLoad, number: int) -> None:
        try:
            with closing(load):
                load.wait(_END_SECONDS)
                self._add(load.tally(), load)
        except Exception as error:  # noqa: BLE001 (as above)
            self.failures.append(f"end of window {number}: {type(error).__name__}: {error}"[:500])

    def _add(self, tally: Tally, load: MixedLoad) -> None:
        with self._lock:
            for name in _FACTS:
                setattr(self.tally, name, getattr(self.tally, name) + getattr(tally, name))
            for kind, count in tally.kinds.items():
                self.tally.count(kind, count)
            self.tally.examples += tally.examples
            self.server_errors += load.refusals.server_errors
            self.unanswered += load.refusals.counts["unanswered"]
