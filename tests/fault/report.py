"""The table of a run: one row for each fault."""

from dataclasses import dataclass

from tests.fault.load import Account


@dataclass(frozen=True, slots=True)
class Row:
    fault: str
    injected: int
    seconds: float
    account: Account


rows: list[Row] = []

HEAD = """\
| fault | times | jobs | lost | doubled | open | late | restarts | seconds |
|---|---|---|---|---|---|---|---|---|"""


def table() -> str:
    """Markdown."""
    lines = [
        f"| {row.fault} | {row.injected} | {row.account.jobs} | {row.account.lost} "
        f"| {row.account.doubled} | {row.account.open} | {row.account.late} "
        f"| {row.account.restarts} | {row.seconds:.1f} |"
        for row in rows
    ]
    return "\n".join([HEAD, *lines])
