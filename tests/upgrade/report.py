"""What was counted, for the end of the run."""

from collections.abc import Mapping

from tests.mixed.tally import Tally

lines: list[str] = []


def add(name: str, tally: Tally, repeated: Mapping[str, int]) -> None:
    """One line; `repeated` is what callers had to send again, by status."""
    again = ", ".join(f"{times} x {why}" for why, times in sorted(repeated.items())) or "nothing"
    lines.append(
        f"{name}: {tally.jobs} jobs, {tally.lost} lost, {tally.doubled} doubled, {tally.open} open,"
        f" {tally.late} late, {tally.wrong} wrong; sent again: {again}"
    )
