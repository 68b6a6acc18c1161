"""The table of a run: one row for each fault."""

from typing import NamedTuple

from tests.fault.load import Tally


class Row(NamedTuple):
    fault: str
    times: int
    tally: Tally
    seconds: float
    """From the fault until all work was done."""


rows: list[Row] = []
notes: list[str] = []
"""What came of pressure, in a sentence each."""

HEAD = """\
| fault | times | jobs | lost | doubled | open | late | restarts | taken | seconds |
|---|---|---|---|---|---|---|---|---|---|"""


def table() -> str:
    """Markdown."""
    sentences = [f"- {note}" for note in notes]
    lines = [
        f"| {row.fault} | {row.times} | {row.tally.jobs} | {row.tally.lost} "
        f"| {row.tally.doubled} | {row.tally.open} | {row.tally.late} "
        f"| {row.tally.restarts} | {row.tally.taken} | {row.seconds:.1f} |"
        for row in rows
    ]
    return "\n".join([*([HEAD, *lines, ""] if lines else []), *sentences])
