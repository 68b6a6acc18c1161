"""Faults of the machine: clocks that jump, disks that are full or slow."""

import os
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Mapping
from contextlib import ExitStack
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Final

from tests import servers
from tests.fault.full.fault import Fault
from tests.fault.stage import children
from tests.mixed.installation import Installation

_HOUR_SECONDS: Final = 3600.0
_FULL: Final = "No space left on device"
_CLOCK: Final = Path(__file__).with_name("clock.c")


class ClockJumped(Fault):
    """The clock of one process at a time; that of the database, and all durations, go on."""

    name = "clock of a process jumps by an hour, forward or back"
    group = name
    times = 12
    seconds = 220
    _SECONDS = 15.0
    _JUMPS = ("+3600", "-3600")

    def missing(self) -> str:
        return "" if shutil.which("cc") else "needs a C compiler (apt install gcc)"

    def begin(self, running: Installation) -> None:
        """A library of ours: the threads of Python 3.11 never end their waits under libfaketime."""
        library = running.home / "clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, _CLOCK], check=True)
        for name in running.programs:
            self._set(running, name, "+0")
            running.programs[name].kill()
            running.start(
                name,
                LD_PRELOAD=str(library),
                CLOCK_OFFSET_FILE=str(running.home / f"{name}.time"),
            )
        running.tend_until(running.answers, 300)

    def strike(self, running: Installation, n: int) -> None:
        name = sorted(running.programs)[n // 2 % len(running.programs)]
        self._set(running, name, self._JUMPS[n % 2])
        running.rest(self._SECONDS)
        self.effects[f"jumps of {name}"] += _has_mapped(running.programs[name].pid, "clock.so")
        self.effects["answers of the API with another hour"] += name == "web" and _is_off(running)
        self._set(running, name, "+0")

    def finish(self, running: Installation) -> None:
        for name in running.programs:
            self._set(running, name, "+0")

    @staticmethod
    def _set(running: Installation, name: str, offset: str) -> None:
        whole = running.home / f"{name}.time.new"
        whole.write_text(f"{offset}\n")
        whole.replace(running.home / f"{name}.time")


def _has_mapped(pid: int, name: str) -> bool:
    """Whether a process has a library of this name in its memory."""
    try:
        return name in Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return False


def _is_off(running: Installation) -> bool:
    """Whether the API believes that it is another hour."""
    try:
        with urllib.request.urlopen(f"{running.url}/healthz", timeout=30) as answer:
            date = parsedate_to_datetime(answer.headers["Date"])
    except OSError:
        return False
    return abs(date.timestamp() - time.time()) > _HOUR_SECONDS / 2


class _SmallDisk(Fault):
    times = 4
    seconds = 120
    megabytes = 0
    _FULL_SECONDS = 20.0

    def missing(self) -> str:
        return "" if os.geteuid() == 0 and shutil.which("mount") else "needs root, to mount a tmpfs"

    def mounted(self, ends: ExitStack) -> Path:
        folder = ends.enter_context(servers.folder())
        options = f"size={self.megabytes}m,mode=0711"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True)
        ends.callback(subprocess.run, ["umount", "--lazy", str(folder)], check=False)
        return folder

    def fill(self, running: Installation, folder: Path) -> None:
        """To the last byte, for a while."""
        filler = folder / "filler"
        try:
            with filler.open("wb", buffering=0) as file:
                _write_until_full(file.fileno())
            before = _refused(running)
            running.rest(self._FULL_SECONDS)
            self.effects["writes refused, by the logs"] += _refused(running) - before
            self.effects["times full to the last byte"] += not os.statvfs(folder).f_bavail
        finally:
            filler.unlink(missing_ok=True)


def _refused(running: Installation) -> int:
    """How often any process said that the disk was full; logs on a full disk miss some."""
    return sum(path.read_text(errors="replace").count(_FULL) for path in running.home.glob("*.log"))


def _write_until_full(descriptor: int) -> None:
    for size in (1 << 20, 4096, 1):
        try:
            while True:
                os.write(descriptor, b"\0" * size)
        except OSError:
            continue


class DatabaseDiskFull(_SmallDisk):
    name = "Postgres's disk full"
    group = name
    megabytes = 1500

    def home(self, ends: ExitStack) -> Path:
        self._folder = self.mounted(ends)
        return self._folder

    def strike(self, running: Installation, n: int) -> None:
        self.fill(running, self._folder)
        running.tend_until(running.answers, 300)


class ScratchDiskFull(_SmallDisk):
    """Where processes keep temporary files and metrics."""

    name = "disk of temporary files and metrics full"
    group = name
    megabytes = 64

    def settings(self, running: Installation, ends: ExitStack) -> Mapping[str, str]:
        self._folder = self.mounted(ends)
        (self._folder / "metrics").mkdir()
        (self._folder / "tmp").mkdir(mode=0o777)
        return {
            "TMPDIR": str(self._folder / "tmp"),
            "PROMETHEUS_MULTIPROC_DIR": str(self._folder / "metrics"),
        }

    def strike(self, running: Installation, n: int) -> None:
        self.fill(running, self._folder)
        running.restart("worker")  # one that starts over what was full
        running.tend_until(running.answers, 300)


class SlowDisk(Fault):
    """Each time that Postgres makes something durable takes a quarter of a second longer."""

    name = "slow disk: fsync takes 250 ms longer"
    times = 6
    seconds = 100
    _SECONDS = 15.0
    _DELAY = "inject=fsync,fdatasync:delay_enter=250000"

    def missing(self) -> str:
        return "" if os.geteuid() == 0 and shutil.which("strace") else "needs root and strace"

    def strike(self, running: Installation, n: int) -> None:
        pids = [running.postgres.pid, *children(running.postgres)]
        calls = running.home / f"fsync{n}.calls"
        command = ["strace", "-f", "-qq", "-o", str(calls), "-e", "trace=fsync,fdatasync"]
        command += ["-e", self._DELAY, *(part for pid in pids for part in ("-p", str(pid)))]
        tracer = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            running.rest(self._SECONDS)
        finally:
            tracer.send_signal(signal.SIGINT)  # it lets them go
            tracer.wait(60)
        self.effects["slow seconds"] += round(self._SECONDS)
        self.effects["calls delayed"] += calls.read_text().count("DELAYED")
