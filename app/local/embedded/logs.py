"""Follows the log files of the processes, and keeps them from growing without end.

Processes write into files themselves, so nothing of ours stands between them and their logs; the
terminal shows what is appended.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PROBLEMS = ("error", "critical")
_LONGEST_READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a log. `program` is the file's name without `.log`."""

    program: str
    text: str

    @property
    def problem(self) -> str | None:
        """The message of a JSON line of level error, in short; None for any other line."""
        try:
            record = json.loads(self.text)
        except ValueError:
            return None
        if not isinstance(record, dict) or record.get("level") not in _PROBLEMS:
            return None
        facts = [str(record.get("event", ""))]
        if raised := str(record.get("exception", "")).strip():
            facts.append(raised.splitlines()[-1])
        return ": ".join(facts)


class Logs:
    def __init__(self, folder: Path, *, largest_bytes: int = 32 << 20) -> None:
        """A log that grows beyond `largest_bytes` becomes `*.log.1`, replacing the previous one."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder
        self._largest_bytes = largest_bytes
        self._read_to = {path: path.stat().st_size for path in self._files()}

    def path(self, program: str) -> Path:
        return self._folder / f"{program}.log"

    def new_lines(self) -> Iterator[LogLine]:
        """Yields what was appended since the last call, whole lines only, file by file."""
        for path in self._files():
            yield from self._appended(path)
            if path.stat().st_size > self._largest_bytes:
                self._rotate(path)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.log"))

    def _appended(self, path: Path) -> Iterator[LogLine]:
        at = self._read_to.get(path, 0)
        with path.open("rb") as file:
            if file.seek(0, os.SEEK_END) < at:  # somebody has emptied it
                at = 0
            file.seek(at)
            block = file.read(_LONGEST_READ_BYTES)
        whole, newline, rest = block.rpartition(b"\n")
        if not newline and len(block) == _LONGEST_READ_BYTES:
            whole = rest  # one endless line: better in pieces than never
        self._read_to[path] = at + len(whole) + len(newline)
        for line in whole.decode(errors="replace").splitlines():
            yield LogLine(path.stem, line)

    def _rotate(self, path: Path) -> None:
        """Copy and cut: its writer keeps the file open and appends at whatever its end is.

        Without room for a copy it is cut all the same: nobody is to die of a full disk here.
        """
        with suppress(OSError):
            shutil.copyfile(path, path.with_name(path.name + ".1"))
        with path.open("r+b") as file:
            file.truncate(0)
        self._read_to[path] = 0
