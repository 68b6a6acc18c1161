"""The table of a run: one row for each fault."""

from dataclasses import dataclass

from tests.fault.load import Tally


@dataclass(frozen=True, slots=True)
class Row:
    fault: str
    injected: int
    seconds: float
    tally: Tally


rows: list[Row] = []

HEAD = """\
| fault | times | jobs | lost | doubled | open | late | restarts | taken | seconds |
|---|---|---|---|---|---|---|---|---|---|"""


def table() -> str:
    """Markdown."""
    lines = [
        f"| {row.fault} | {row.injected} | {row.tally.jobs} | {row.tally.lost} "
        f"| {row.tally.doubled} | {row.tally.open} | {row.tally.late} "
        f"| {row.tally.restarts} | {row.tally.taken} | {row.seconds:.1f} |"
        for row in rows
    ]
    return "\n".join([HEAD, *lines])
