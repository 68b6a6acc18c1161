"""The files in which the processes of a machine count (PROMETHEUS_MULTIPROC_DIR)."""

import fcntl
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from prometheus_client import REGISTRY, CollectorRegistry, Metric, multiprocess, values
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.registry import Collector

_ADDED: Final = ("counter", "histogram")
"""Kinds whose values are added up over processes. What a gauge said ends with its process."""
_FOLDED: Final = "folded"
"""Stands in the place of the process in the name of a file."""


def registry() -> CollectorRegistry:
    """Counts of all processes; of this process alone where no folder was set when
    prometheus_client was imported.
    """
    if values.ValueClass.__name__ != "MmapedValue":
        return REGISTRY
    made = CollectorRegistry()
    made.register(_Files(made))
    return made


class _Files(Collector):
    def __init__(self, registry: CollectorRegistry) -> None:
        self._files = multiprocess.MultiProcessCollector(None)  # type: ignore[no-untyped-call]
        self._folder = Path(self._files._path)

    def describe(self) -> Iterable[Metric]:
        """Nothing: whoever registers this would read all for it."""
        return ()

    def collect(self) -> Iterable[Metric]:
        fold(self._folder)
        with _held(self._folder, fcntl.LOCK_SH):
            return list(self._files.collect())  # type: ignore[no-untyped-call]


def fold(folder: Path) -> None:
    """Add up the files of processes that have ended: each restart would leave more to read.

    Nobody reads meanwhile: counters never go back. Left for later while somebody reads.
    """
    ended = [file for file in folder.glob("*_*.db") if _has_ended(file)]
    if not ended:
        return
    with suppress(BlockingIOError), _held(folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
        for kind in _ADDED:
            _add_up(folder / f"{kind}_{_FOLDED}.db", [f for f in ended if _kind(f) == kind])
        for file in ended:
            file.unlink(missing_ok=True)


def _add_up(folded: Path, ended: list[Path]) -> None:
    if not ended:
        return
    sums: dict[str, float] = defaultdict(float)
    for file in [folded, *ended]:
        with suppress(FileNotFoundError):
            for key, value, *_ in MmapedDict.read_all_values_from_file(str(file)):  # type: ignore[no-untyped-call]
                sums[key] += value
    fresh = folded.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    written = MmapedDict(str(fresh))  # type: ignore[no-untyped-call]
    for key, value in sums.items():
        written.write_value(key, value, 0.0)  # type: ignore[no-untyped-call]
    written.close()  # type: ignore[no-untyped-call]
    fresh.rename(folded)


def _kind(file: Path) -> str:
    return file.name.partition("_")[0]


def _has_ended(file: Path) -> bool:
    """True if no process has the number that ends the name of its file."""
    number = file.stem.rpartition("_")[2]
    return number.isdecimal() and not alive(int(number))


def alive(pid: int) -> bool:
    """True if there is such a process, of whichever user."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def _held(folder: Path, how: int) -> Iterator[None]:
    """Raises BlockingIOError with LOCK_NB while another has it."""
    with (folder / "lock").open("ab") as lock:
        fcntl.flock(lock, how)
        yield
