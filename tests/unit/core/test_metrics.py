"""The metrics of a process that is not the API: at METRICS_PORT, or where METRICS_TARGETS says."""

import http.client
import io
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.core import GaugeMetricFamily

from app.core import metrics
from app.core.config.settings import Settings
from app.core.metrics import server
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port

UNUSED: Any = {"database_url": "d", "redis_url": "r", "secret_key": "s" * 32}
SERVES = """
import sys
from app.core.config.settings import Settings
from app.core.metrics import server
unused = {"database_url": "d", "redis_url": "r", "secret_key": "s" * 32}
server.serve(Settings(metrics_targets=sys.argv[1], **unused), "web")
print("served", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return _settings(tmp_path)


def _settings(folder: Path) -> Settings:
    return Settings(metrics_targets=str(folder), **UNUSED)


def _at(port: int) -> Settings:
    return Settings(metrics_port=port, **UNUSED)


def test_the_port_serves_what_was_counted_and_what_is_read_just_now() -> None:
    readings = iter([1.0, 2.0])
    port = free_port()
    metrics.claims.labels("test.metrics").inc()
    server.serve(_at(port), "web", lambda: [GaugeMetricFamily("now", "now", next(readings))])
    (_, first), (_, second) = (_scrape(f"127.0.0.1:{port}") for _ in range(2))
    assert 'citegrid_job_claims_total{kind="test.metrics"} 1.0' in first
    assert ("now 1.0" in first, "now 2.0" in second) == (True, True)


def test_a_taken_port_is_logged_and_ends_no_process(log_lines: io.StringIO) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server.serve(_at(taken.getsockname()[1]), "web")
    assert "metrics not served" in log_lines.getvalue()


def test_a_process_without_a_port_of_its_own_says_that_it_is_there(
    settings: Settings, tmp_path: Path
) -> None:
    metrics.claims.labels("test.targets").inc()
    server.serve(settings, "worker-searches")
    (target,) = json.loads((tmp_path / f"worker-searches-{os.getpid()}.json").read_text())
    assert target["labels"]["process"] == "worker-searches"
    status, text = _scrape(target["targets"][0])
    assert (status, "citegrid_job_claims_total" in text) == (200, False)


def test_a_process_that_ends_withdraws_its_address(tmp_path: Path) -> None:
    with _process(tmp_path) as one:
        assert len(list(tmp_path.iterdir())) == 1
        one.communicate()
    assert list(tmp_path.iterdir()) == []


def test_one_that_was_killed_is_missed_until_another_takes_its_place(tmp_path: Path) -> None:
    with _process(tmp_path) as first, _process(tmp_path) as second:
        first.kill()
        second.kill()
    assert len(list(tmp_path.iterdir())) == 2
    with _process(tmp_path) as third:
        left = {file.name for file in tmp_path.iterdir()}
        assert f"web-{third.pid}.json" in left
        assert len(left) == 2
        third.kill()


def test_a_process_that_cannot_write_its_address_goes_on(tmp_path: Path) -> None:
    server.serve(_settings(tmp_path / "missing"), "web")
    assert list(tmp_path.iterdir()) == []


def _process(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVES, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "served\n"
    return process


def _scrape(address: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(address, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()
