"""The parent of a node's process: it starts it again when it dies, and passes signals on."""

import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from types import FrameType
from typing import Final

from citegrid.node.journal import Journal
from citegrid.node.pace import Pace

LASTING: Final = frozenset({0, 2, 3, 4})
"""Exit codes after which starting again would change nothing: done, usage, not found, refused."""
HEALTHY_SECONDS: Final = 60.0


class Supervisor:
    """Runs one command until it ends by itself."""

    def __init__(self, command: Sequence[str], journal: Journal, pace: Pace) -> None:
        """`command` stands in the list of processes: no secret may be in it."""
        self._command, self._journal, self._pace = command, journal, pace
        self._leave = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        """The exit code of the last process."""
        before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
        for each in before:
            signal.signal(each, self._pass_on)
        try:
            return self._supervised()
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def _supervised(self) -> int:
        deaths = 0
        while True:
            began = time.monotonic()
            code = self._once()
            if code in LASTING or self._leave.is_set():
                return code
            deaths = 1 if time.monotonic() - began > HEALTHY_SECONDS else deaths + 1
            pause = self._pace.after_failure(deaths)
            self._journal.note(f"the node's process ended with {code}; again in {pause:.0f} s")
            if self._leave.wait(pause):
                return code

    def _once(self) -> int:
        # Its stdin ends with us: so it notices when we are killed. A session of its own keeps a
        # terminal's Ctrl-C from reaching it twice.
        with subprocess.Popen(  # noqa: S603 -- our own program
            self._command, stdin=subprocess.PIPE, start_new_session=True
        ) as child:
            self._child = child
            if self._leave.is_set():
                child.terminate()
            code = child.wait()
            self._child = None
            return code

    def _pass_on(self, _signal: int, _frame: FrameType | None) -> None:
        self._leave.set()
        child = self._child
        if child is not None and child.poll() is None:
            child.terminate()
