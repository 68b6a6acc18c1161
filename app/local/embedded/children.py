"""Server processes of our own: they start quietly, end when we end, and stop when asked."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from app.core.metrics import files
from app.local.embedded.system_user import SystemUser

_PR_SET_PDEATHSIG = 1
LOOK_SECONDS = 5.0
LEAST_DEMAND = 0.25
"""The share of the time in which processes that start want a processor; idle ones want a tenth."""
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class ServerFailed(RuntimeError):
    """A server did not start; the message ends with its last log lines."""


def spawn(
    command: Sequence[str | Path],
    *,
    log: Path,
    account: SystemUser | None = None,
    environment: Mapping[str, str] | None = None,
    last_signal: signal.Signals = signal.SIGTERM,
    stdin: bytes = b"",
    folder: Path = Path("/"),
) -> subprocess.Popen[bytes]:
    """Start `command` in a process group of its own, saying all it says into `log`.

    `last_signal` is what the kernel sends it when the thread that called us ends without having
    stopped it (Linux only), so call this from the main thread.
    """
    with log.open("ab") as output:
        process = subprocess.Popen(  # noqa: S603 - a program of ours with arguments of ours
            [str(part) for part in command],
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=dict(environment or {}),
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
            process_group=0,  # Ctrl-C is for the supervisor: servers stop last
            preexec_fn=dying_with_parent(last_signal),
        )
    if process.stdin:
        process.stdin.write(stdin)
        process.stdin.close()
    return process


def dying_with_parent(number: signal.Signals) -> Callable[[], None] | None:
    """Returns what a forked child does first, so that it gets `number` when its parent is gone."""
    if _LIBC is None:
        return None
    libc, parent = _LIBC, os.getpid()

    def ask() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(number))
        if os.getppid() != parent:  # it went before we asked
            os._exit(1)

    return ask


class StartPatience:
    """A limit on the start of processes: time counts while they are idle, and not while they
    compute or wait for a processor. So a busy machine is no reason to give up.
    """

    def __init__(self, seconds: float, pids: Callable[[], Collection[int]]) -> None:
        """`pids` are the leaders of their groups."""
        self._seconds, self._pids = seconds, pids
        self._looked_at = self._busy_at = time.monotonic()
        self._demand = _demanded_seconds(pids())

    def is_over(self) -> bool:
        now = time.monotonic()
        since = now - self._looked_at
        if since >= LOOK_SECONDS:
            before, self._demand = self._demand, _demanded_seconds(self._pids())
            self._looked_at = now
            if self._demand - before >= LEAST_DEMAND * since:
                self._busy_at = now
        return now - self._busy_at > self._seconds


def _demanded_seconds(groups: Collection[int]) -> float:
    """The time in which processes of these groups computed or waited for a processor; 0 where the
    system does not tell (proc_pid_schedstat(5)).
    """
    demanded = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            state = (process / "stat").read_text().rpartition(") ")[2].split()
            if int(state[2]) in groups:
                computed, waited, _ = (process / "schedstat").read_text().split()
                demanded += int(computed) + int(waited)
        except (OSError, ValueError):
            continue  # it has ended
    return demanded / 1e9


def wait_until_ready(
    process: subprocess.Popen[bytes], answers: Callable[[], bool], *, log: Path, seconds: float
) -> None:
    """Return when `answers()`. Raises ServerFailed when the process ends, or idles for so long."""
    patience = StartPatience(seconds, lambda: [process.pid])
    while True:
        if process.poll() is not None:
            raise ServerFailed(f"It exited with code {process.returncode}.\n{tail(log)}")
        if answers():
            return
        if patience.is_over():
            raise ServerFailed(f"It did not respond within {seconds:.0f} s.\n{tail(log)}")
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """True if a process with this id runs, whoever owns it; a dead one nobody buried does not."""
    if not files.alive(pid):
        return False
    try:
        # "pid (name) state ...", and the name may contain anything (proc_pid_stat(5)).
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2]
    except OSError:
        return True  # no such file outside Linux
    return not state.startswith("Z")


def tail(log: Path, lines: int = 12) -> str:
    """The last lines of a log, or nothing when there is none."""
    if not log.exists():
        return ""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 200 * lines))
        return "\n".join(file.read().decode(errors="replace").splitlines()[-lines:])
