"""`--short`: the last of the recorded releases only, with little load, and no backup."""

import pytest

from app import wiring
from tests.upgrade import releases, report

wiring.connect()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--short", action="store_true", help="one release before, little load")
    parser.addoption("--upgrade-jobs", type=int, default=400, help="how much load without --short")


@pytest.fixture(scope="session")
def jobs(request: pytest.FixtureRequest) -> int:
    """How many jobs each part of the load comes to."""
    short = request.config.getoption("short")
    return 16 if short else int(request.config.getoption("upgrade_jobs"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The short form leaves out what restores: tests/integration/local/test_backups.py does."""
    if config.getoption("short"):
        beyond = [item for item in items if item.path.name != "test_upgrade.py"]
        items[:] = [item for item in items if item not in beyond]
        config.hook.pytest_deselected(items=beyond)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "commit" in metafunc.fixturenames:
        commits = releases.recorded()
        chosen = commits[-1:] if metafunc.config.getoption("short") else commits
        metafunc.parametrize("commit", chosen, ids=lambda commit: commit[:7], scope="module")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in report.lines:
        terminalreporter.write_line(line)
