"""The stage, the size of the run, and the table of what every fault came to."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from app import wiring
from tests import servers
from tests.fault import load as loads
from tests.fault import report
from tests.fault.polling import served
from tests.fault.stage import CHILDREN, ROOT, Stage, children
from tests.fault.stage import stage as whole

wiring.connect()

HERE = Path(__file__).parent
FULL, LONG_FROM = 2_000, 1_000
AROUND_COMMIT = ("written", "committed")
HANGING_SECONDS = 3_600
"""After which a test is given up: some take minutes on a quiet machine."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fault-jobs", type=int, default=FULL, help="jobs per fault; below 1,000: the short form"
    )


@pytest.hookimpl(tryfirst=True)  # before `-m` is looked at
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("fault_jobs") < LONG_FROM:
        items[:] = [item for item in items if _is_in_short_form(item)]
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.fault)
            item.add_marker(pytest.mark.timeout(HANGING_SECONDS))


def _is_in_short_form(item: pytest.Item) -> bool:
    """Each fault, the deaths on either side of a commit, and of other tests the first case."""
    if not hasattr(item, "callspec") or HERE not in item.path.parents:
        return True
    if item.path.stem == "test_faults":
        return item.callspec.params.get("stage_of_work", "written") in AROUND_COMMIT
    return not any(item.callspec.indices.values())


@pytest.fixture(scope="session")
def fault_jobs(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("fault_jobs"))


@pytest.fixture(scope="session")
def long(fault_jobs: int) -> bool:
    return fault_jobs >= LONG_FROM


@pytest.fixture(scope="session")
def injections(long: bool) -> int:
    """How often a fault is repeated in one run."""
    return 8 if long else 1


@pytest.fixture(scope="session")
def whole_stage(long: bool) -> Iterator[Stage]:
    with whole() as started:
        if not long:
            started.redis_away_seconds = 3.0
        yield started


@pytest.fixture
def bare_stage(whole_stage: Stage) -> Stage:
    """Postgres and Redis run, and nothing else; no job is left from before."""
    whole_stage.stop()
    whole_stage.start_servers()
    whole_stage.open_database()
    loads.clear()
    return whole_stage


@pytest.fixture
def stage(whole_stage: Stage) -> Stage:
    """Everything runs and no job is left from before."""
    whole_stage.open_database()
    loads.clear()
    whole_stage.complete()
    servers.until(lambda: all(len(children(worker)) == CHILDREN for worker in whole_stage.workers))
    return whole_stage


@pytest.fixture
def port(app: Flask) -> Iterator[int]:
    """Where nodes ask the application for work."""
    with served(app) as port:
        yield port


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if report.rows or report.notes:
        table = report.table()
        terminalreporter.write_line("")
        terminalreporter.write_line(table)
        out = Path(ROOT) / "bench" / "out" / "faults.md"
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(table + "\n")
