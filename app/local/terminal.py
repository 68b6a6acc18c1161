"""The terminal output while the local run starts and works: plain lines, colour where it helps."""

import time
from collections.abc import Mapping
from typing import TextIO

_CODES = {"green": "32", "yellow": "33", "red": "31", "bold": "1", "dim": "2"}
_PREFIX_CODES = ("36", "35", "34", "33", "32")


class Terminal:
    """Writes to `stream`; colours only for a person who has not said NO_COLOR (no-color.org)."""

    def __init__(self, stream: TextIO, environment: Mapping[str, str]) -> None:
        self._stream = stream
        self._person = stream.isatty()
        self._colour = self._person and not environment.get("NO_COLOR")
        self._waiting = ""
        self._prefixes: dict[str, str] = {}
        self._since = time.monotonic()

    def line(self, text: str = "") -> None:
        """Write a line; what is being waited for stays below it."""
        clear = "\r\033[K" if self._waiting else ""
        self._write(f"{clear}{text}\n{self._waiting}")

    def doing(self, what: str) -> None:
        """Show a person what is waited for, until it is `done`."""
        if self._person:
            self._waiting = f"  {what} ..."
            self._write(f"\r\033[K{self._waiting}")

    def done(self, what: str) -> None:
        """Say that a step is done, and the seconds since the one before."""
        now = time.monotonic()
        took = self.paint(f"{now - self._since:5.1f} s", "dim")
        self.settled()
        self.line(f"{self.paint('✓', 'green')} {took}  {what}")
        self._since = now

    def problem(self, text: str) -> None:
        self.line(f"{self.paint('!', 'red')} {text}")

    def settled(self) -> None:
        """Nothing is waited for any more."""
        if self._waiting:
            self._waiting = ""
            self._write("\r\033[K")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()

    def prefixed(self, program: str, text: str) -> None:
        """A line of a program's log, behind its name."""
        code = self._prefixes.setdefault(
            program, _PREFIX_CODES[len(self._prefixes) % len(_PREFIX_CODES)]
        )
        self.line(f"{self._coded(f'{program:<10} |', code)} {text}")

    def paint(self, text: str, colour: str) -> str:
        """`text` in one of: green, yellow, red, bold, dim."""
        return self._coded(text, _CODES[colour])

    def _coded(self, text: str, code: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self._colour else text
