"""The size of the runs, what is missing on this machine, and the table of what they came to."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_socket import socket_allow_hosts

from tests.fault import report
from tests.scale import namespaces
from tests.scale.namespaces import Network
from tests.scale.redis_servers import Group, group


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--short", action="store_true", help="seconds instead of minutes, for CI")


@pytest.fixture(scope="session")
def short(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("short"))


@pytest.fixture(scope="session")
def long_form(short: bool) -> None:
    if short:
        pytest.skip("in the long form only")


@pytest.fixture(autouse=True)
def loopback_only() -> None:
    """Of this directory's tests: the namespaces of our own as well."""
    allowed = ["127.0.0.0/8", "::1", "localhost", "10.213.0.0/16"]
    socket_allow_hosts(allowed, allow_unix_socket=True)


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    if reason := namespaces.why_not():
        pytest.skip(reason)
    with namespaces.network() as opened:
        yield opened


@pytest.fixture(scope="module")
def redis_group() -> Iterator[Group]:
    with group() as started:
        yield started


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if report.rows or report.notes:
        table = report.table()
        terminalreporter.write_line("")
        terminalreporter.write_line(table)
        out = Path(__file__).parents[2] / "bench" / "out" / "scale.md"
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(table + "\n")
