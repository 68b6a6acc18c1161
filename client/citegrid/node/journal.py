"""The journal of a node for its owner: a line for each thing that happens, and one that stays."""

import logging
import sys
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.status import Status
from rich.text import Text

LOG: Final = logging.getLogger("citegrid.node")
_LONGEST: Final = 300


def printable(text: str) -> str:
    """One line without anything that steers a terminal, not too long."""
    return "".join(each if each.isprintable() else " " for each in text[:_LONGEST])


class Journal:
    """Lines on stderr; on a terminal, a status line below them.

    Nothing of prompts, pages or tokens goes in: only ids, kinds, counts, times and codes.
    """

    def __init__(self, console: Console | None = None, *, live: bool = True) -> None:
        """`live`: with the line that stays, where there is a terminal."""
        self._live = live
        self._console = console or Console(
            stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True
        )
        self._status: Status | None = None

    def __enter__(self) -> Self:
        if self._live and self._console.is_terminal:
            self._status = self._console.status(Text("starting"))
            self._status.start()
        handler = _ToConsole(self._console)
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%S"))
        LOG.handlers, LOG.propagate = [handler], False
        LOG.setLevel(logging.INFO)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if self._status is not None:
            self._status.stop()
        LOG.handlers, LOG.propagate = [], True
        sys.stderr.flush()

    def note(self, text: str) -> None:
        LOG.info("%s", printable(text))

    def status(self, text: str) -> None:
        """Shows how things stand now."""
        if self._status is not None:
            self._status.update(Text(printable(text)))


class _ToConsole(logging.Handler):
    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.print(Text(self.format(record)))
