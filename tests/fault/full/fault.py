"""What a fault is: what it needs beforehand, how it strikes, and what makes it good again."""

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.mixed.installation import Installation

WORKERS: Final = ("worker", "background")


class Fault:
    """One row of the report. Each strike leaves everything running or starting."""

    name = ""
    times = 8
    group = "plain"
    """Faults of one group, one after the other, share one start of the service."""

    pause_seconds = 2.0
    """After a strike, before the next."""

    seconds = 60
    """About how long all strikes take on a quiet machine."""

    def __init__(self) -> None:
        self.effects: Counter[str] = Counter()
        """What the strikes were seen to do, for the report."""

    def missing(self) -> str:
        """Why it cannot be tried on this machine; empty if it can."""
        return ""

    def home(self, ends: ExitStack) -> Path | None:
        """A special folder for Postgres and the logs."""
        return None

    def settings(self, running: Installation, ends: ExitStack) -> Mapping[str, str]:
        """Further settings of all processes; the servers run already."""
        return {}

    def begin(self, running: Installation) -> None:
        """Once, before the first job."""

    def finish(self, running: Installation) -> None:
        """Once, after the last job: all is as before."""

    def strike(self, running: Installation, n: int) -> None:
        """For the n-th time."""
        raise NotImplementedError
