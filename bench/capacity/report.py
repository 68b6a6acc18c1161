"""Tables of a page that a command writes: between two marks, with date, commit and machine."""

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

BUSY_LOAD = 0.5
"""Other processes on a core, on average over the last minute before."""


def _commit() -> str:
    asked = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent,
    )
    return asked.stdout.strip() or "unknown"


# As it was when the command began: it may take long.
LOAD_BEFORE, COMMIT = os.getloadavg()[0], _commit()


def table(heads: Sequence[str], rows: Sequence[Sequence[str | float]]) -> str:
    """As Markdown."""
    lines = [heads, ["---"] * len(heads), *([_cell(x) for x in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(x: str | float) -> str:
    if isinstance(x, str):
        return x
    return f"{x:,.0f}" if abs(x) >= 100 else f"{x:.3g}" if abs(x) < 1 else f"{x:.2f}"


def write(page: Path, mark: str, command: str, parts: Sequence[str]) -> None:
    """Replace what stands between the marks, with the conditions above. Raises ValueError."""
    replace(page, mark, "\n\n".join([conditions(command), *parts]))


def replace(page: Path, mark: str, text: str) -> None:
    """Raises ValueError when the page has no such marks."""
    before, begin, rest = page.read_text().partition(f"<!-- {mark}: written by a command -->\n")
    _, end, after = rest.partition(f"<!-- end of {mark} -->\n")
    if not (begin and end):
        raise ValueError(f"{page} has no marks for {mark}")
    page.write_text(f"{before}{begin}\n{text}\n\n{end}{after}")


def conditions(command: str) -> str:
    """When, with which commit, on what, by which command."""
    busy = LOAD_BEFORE / (os.cpu_count() or 1) > BUSY_LOAD
    state = "busy with other work: read the ratios" if busy else "otherwise quiet"
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, commit {COMMIT}, {os.cpu_count()} cores,"
        f" {_memory_gib():.0f} GiB, {_system()}, Python {platform.python_version()}, {state}."
        f" By: `{command}`"
    )


def _memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()
