"""The stage, the size of the run, and the table of what every fault came to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fault import report
from tests.fault.stage import ROOT, Stage, stage

FULL = 2_000


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fault-jobs", type=int, default=FULL, help="jobs per fault; below 1,000: the short form"
    )


@pytest.fixture(scope="session")
def fault_jobs(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("fault_jobs"))


@pytest.fixture(scope="session")
def long(fault_jobs: int) -> bool:
    return fault_jobs >= 1_000


@pytest.fixture(scope="session")
def injections(long: bool) -> int:
    """How often a fault is repeated in one run."""
    return 8 if long else 2


@pytest.fixture(scope="session")
def whole_stage(long: bool) -> Iterator[Stage]:
    with stage() as whole:
        if not long:
            whole.redis_away_seconds = 3.0
        yield whole


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if report.rows:
        table = report.table()
        terminalreporter.write_line("")
        terminalreporter.write_line(table)
        out = Path(ROOT) / "bench" / "out" / "faults.md"
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(table + "\n")
