"""Server processes of our own: they start quietly, end when we end, and stop when asked."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from app.local.embedded.account import SystemUser

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class ServerFailed(RuntimeError):
    """A server did not start; the message ends with what it said last."""


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


def wait_until_ready(
    process: subprocess.Popen[bytes], answers: Callable[[], bool], *, log: Path, seconds: float
) -> None:
    """Return when `answers()`. Raises ServerFailed when the process ends or time runs out."""
    deadline = time.monotonic() + seconds
    while True:
        if process.poll() is not None:
            raise ServerFailed(f"It ended with code {process.returncode}.\n{tail(log)}")
        if answers():
            return
        if time.monotonic() > deadline:
            raise ServerFailed(f"It does not answer after {seconds:.0f} s.\n{tail(log)}")
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """True if a process with this id runs, whoever owns it; a dead one nobody buried does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
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
