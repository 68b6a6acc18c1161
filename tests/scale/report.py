"""The table of a run: one row for each thing that was broken."""

from typing import NamedTuple

from tests.fault.load import Tally


class Row(NamedTuple):
    what: str
    times: int
    tally: Tally
    seconds: float
    """From the break until all work was done."""


rows: list[Row] = []
notes: list[str] = []

HEAD = """\
| what | times | jobs | lost | doubled | open | late | restarts | seconds |
|---|---|---|---|---|---|---|---|---|"""


def table() -> str:
    """Markdown."""
    lines = [
        f"| {row.what} | {row.times} | {row.tally.jobs} | {row.tally.lost} | {row.tally.doubled} "
        f"| {row.tally.open} | {row.tally.late} | {row.tally.restarts} | {row.seconds:.1f} |"
        for row in rows
    ]
    return "\n".join([HEAD, *lines, "", *(f"- {note}" for note in notes)])
