"""Keeps the processes of a Procfile and the embedded servers running, and ends them in order.

One thread, one loop: `tick()` starts again what has died, and a signal ends the loop early.
"""

import contextlib
import os
import shlex
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Protocol

from app.local.embedded.children import spawn, tail
from app.local.embedded.prepared import PreparedProgram

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 10.0
SETTLED_SECONDS = 30.0  # who has run for so long starts again without a pause
REPORT_AT = 3  # ends in a row after which a process is said to be failing, and its log is shown


class Server(Protocol):
    """An embedded server (app.local.embedded.postgres, app.local.embedded.redis)."""

    @property
    def running(self) -> bool: ...
    def start(self) -> object: ...
    def stop(self) -> None: ...


class Process(Protocol):
    """The leader of a program: a `subprocess.Popen`, or a PreparedProgram."""

    @property
    def pid(self) -> int: ...
    def poll(self) -> int | None: ...
    def terminate(self) -> None: ...
    def wait(self) -> object: ...


class Program:
    """One line of a Procfile: a process group that is started again whenever its leader ends."""

    def __init__(
        self,
        name: str,
        command: str,
        *,
        log: Path,
        folder: Path,
        environment: Mapping[str, str],
        prepared: PreparedProgram | None = None,
    ) -> None:
        """`prepared` is a process that becomes the program at its first start."""
        self.name, self.log = name, log
        self.ends_in_a_row = 0
        self.due = 0.0  # monotonic time of the next start
        self._argv = shlex.split(command)
        self._folder, self._environment = folder, environment
        self._prepared = prepared
        self._process: Process | None = None
        self._began = 0.0

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Raises OSError when there is no such program."""
        self._began = time.monotonic()
        prepared, self._prepared = self._prepared, None
        if prepared:
            prepared.release(self.log, self._environment, self._folder)
        self._process = prepared or spawn(
            self._argv, log=self.log, environment=self._environment, folder=self._folder
        )

    def bury(self) -> int | None:
        """Once for each end: kill what the leader left of its group, plan the next start.

        Returns the exit code (negative: the signal), or None while there is nothing to bury.
        """
        code = self._process.poll() if self._process else None
        if code is None:
            return None
        self.kill()
        self._process = None
        self._plan(time.monotonic())
        return code

    def ask_to_end(self) -> None:
        """SIGTERM for the leader, which knows how to end its own children."""
        if self._process:
            self._process.terminate()

    def kill(self) -> None:
        """SIGKILL for the whole group, whether or not its leader is still there."""
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def could_not_start(self) -> None:
        self._process = None
        self._plan(time.monotonic())

    def _plan(self, now: float) -> None:
        if now - self._began >= SETTLED_SECONDS:
            self.ends_in_a_row = 0
        pause = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2**self.ends_in_a_row)
        self.ends_in_a_row += 1
        self.due = now + pause


class Supervisor:
    """Programs and the servers they need. Use it from the main thread."""

    def __init__(
        self,
        programs: Sequence[Program],
        servers: Mapping[str, Server],
        *,
        report: Callable[[str], None],
        grace_seconds: float = 30.0,
    ) -> None:
        """`report` gets one line (or a line and a log's tail) for each thing that went wrong."""
        self._programs, self._servers = programs, servers
        self._report = report
        self._grace_seconds = grace_seconds
        self._signals = 0
        self._ear, self._mouth = socket.socketpair()

    @property
    def asked_to_stop(self) -> bool:
        return self._signals > 0

    @property
    def pids(self) -> list[int]:
        return [program.pid for program in self._programs if program.running]

    @property
    def failing(self) -> list[str]:
        """Names of the programs that ended again and again and do not run now."""
        return [
            program.name
            for program in self._programs
            if program.ends_in_a_row >= REPORT_AT and not program.running
        ]

    @contextmanager
    def listening(self) -> Iterator[None]:
        """SIGINT and SIGTERM ask us to stop, a second one to hurry; any child's end wakes us."""
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)
        before = {number: signal.signal(number, self._on_signal) for number in numbers}
        for end in (self._ear, self._mouth):
            end.setblocking(False)
        wakeup = signal.set_wakeup_fd(self._mouth.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)

    def tick(self, seconds: float = 1.0) -> None:
        """Start what is due, then rest until something happens, for `seconds` at most.

        Raises ServerFailed when a server does not start again: nothing runs without it.
        """
        for name, server in self._servers.items():
            if not server.running:
                self._report(f"{name} ended unexpectedly; restarting.")
                server.start()
        for program in self._programs:
            self._look_after(program)
        self._rest(seconds)

    def stop(self) -> None:
        """Ask all programs to end at once, give them the grace, end the rest, then the servers."""
        signals = self._signals  # read first: whoever sees a program ending may already hurry us
        for program in self._programs:
            program.ask_to_end()
        deadline = time.monotonic() + self._grace_seconds
        while any(program.running for program in self._programs):
            if time.monotonic() > deadline or self._signals > max(signals, 1):
                self._say_who_is_late()
                break
            self._rest(0.2)
        for program in self._programs:
            program.kill()
        for server in reversed(list(self._servers.values())):
            server.stop()
        self._ear.close()
        self._mouth.close()

    def _look_after(self, program: Program) -> None:
        code = program.bury()
        if code is not None:
            how = f"exited with code {code}" if code >= 0 else f"was killed by signal {-code}"
            self._tell_end(program, how)
        if program.running or time.monotonic() < program.due:
            return
        try:
            program.start()
        except OSError as error:
            program.could_not_start()
            self._tell_end(program, f"could not start: {error.strerror}")

    def _tell_end(self, program: Program, what: str) -> None:
        text = f"{program.name} {what}; restarting."
        if program.ends_in_a_row == REPORT_AT:
            text += f" Its log, {program.log}, ends with:\n{tail(program.log)}"
        self._report(text)

    def _say_who_is_late(self) -> None:
        late = [program.name for program in self._programs if program.running]
        self._report(f"No longer waiting for: {', '.join(late)}.")

    def _rest(self, seconds: float) -> None:
        now = time.monotonic()
        waiting = [program.due - now for program in self._programs if not program.running]
        self._ear.settimeout(max(0.001, min([seconds, *waiting])))
        with contextlib.suppress(TimeoutError, BlockingIOError):
            self._ear.recv(256)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if number != signal.SIGCHLD:
            self._signals += 1
