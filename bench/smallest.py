"""The smallest machine: the whole service on one core and in little memory, limited by the kernel.

    python -m bench.smallest [--megabytes 1024 768] [--core 0] [--quick]

`citegrid-server up` runs on data of its own, bound to one core, in a cgroup of so much memory, its
servers and the cache of its files included: it starts, answers ten questions, and reads ten pages
into records. Needs root, for the cgroup. A limit that kills a process is shown, not hidden.
"""

import argparse
import math
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Aim, conclude, table
from bench.footprint import DONE, READY, ROOT, Service, a_shop

NAME = "citegrid-smallest"
MANY = 10
END_SECONDS = 60.0
LEAST_MEGABYTES = 1536
"""The machine that the documents name."""


@dataclass(frozen=True)
class Run:
    """What the service came to within a limit."""

    megabytes: int
    ready_seconds: float
    search_ms: float
    pages_seconds: float
    peak_megabytes: float
    killed: int


class MemoryLimit:
    """A cgroup of version 2, or 1 where the controller is mounted by itself."""

    def __init__(self, megabytes: int) -> None:
        by_itself = Path("/sys/fs/cgroup/memory")
        self._old = by_itself.is_dir()
        self.folder = (by_itself if self._old else Path("/sys/fs/cgroup")) / NAME
        self.folder.mkdir(exist_ok=True)
        limit = "memory.limit_in_bytes" if self._old else "memory.max"
        (self.folder / limit).write_text(str(megabytes << 20))

    def peak_megabytes(self) -> float:
        name = "memory.max_usage_in_bytes" if self._old else "memory.peak"
        return int((self.folder / name).read_text()) / (1 << 20)

    def killed(self) -> int:
        """How many processes the kernel ended for want of memory."""
        name = "memory.oom_control" if self._old else "memory.events"
        facts = dict(line.split() for line in (self.folder / name).read_text().splitlines())
        return int(facts.get("oom_kill", 0))


@contextmanager
def limited(megabytes: int) -> Iterator[MemoryLimit]:
    limit = MemoryLimit(megabytes)
    try:
        yield limit
    finally:
        until = time.monotonic() + END_SECONDS
        while (limit.folder / "cgroup.procs").read_text() and time.monotonic() < until:
            time.sleep(0.1)
        limit.folder.rmdir()


def measured(megabytes: int, core: int, many: int) -> Run:
    with (
        limited(megabytes) as limit,
        tempfile.TemporaryDirectory(prefix="citegrid-") as folder,
        a_shop() as address,
    ):
        home = Path(folder)
        home.chmod(0o711)

        def enter() -> None:
            (limit.folder / "cgroup.procs").write_text(str(os.getpid()))
            os.sched_setaffinity(0, {core})

        ready = search = reading = math.nan
        began = time.monotonic()
        service = Service(ROOT, home, address, enter)
        try:
            service.until(READY)
            ready = time.monotonic() - began
            service.until(DONE)
            search = service.search(many)
            began = time.monotonic()
            service.extract([f"http://{address}/lamp-{number}.html" for number in range(many)])
            reading = time.monotonic() - began
        except (RuntimeError, OSError) as error:
            if not limit.killed():
                raise
            print(f"{megabytes} MB are too few: {error}"[:200])
        finally:
            service.stop()
        return Run(megabytes, ready, search, reading, limit.peak_megabytes(), limit.killed())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    parser.add_argument("--megabytes", type=int, nargs="+", default=[LEAST_MEGABYTES])
    parser.add_argument("--core", type=int, default=0)
    given = parser.parse_args()
    many = 2 if given.quick else MANY
    runs = [measured(megabytes, given.core, many) for megabytes in given.megabytes]
    table(
        ("MB allowed", "s to ready", "ms a search", f"s for {many} pages", "MB at most", "killed"),
        [
            (
                run.megabytes,
                *(f"{figure:.1f}" for figure in (run.ready_seconds, run.search_ms)),
                f"{run.pages_seconds:.1f}",
                round(run.peak_megabytes),
                run.killed,
            )
            for run in runs
        ],
    )
    conclude("smallest", [Aim("processes killed for want of memory", runs[0].killed, "<=", 0)])


if __name__ == "__main__":
    main()
