"""METRICS_TARGETS: each process writes where Prometheus finds it."""

import http.client
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.core import metrics
from app.core.config.settings import Settings
from app.core.metrics import server
from tests.patience import PATIENCE_SECONDS

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
    return Settings(
        metrics_targets=str(folder), database_url="d", redis_url="r", secret_key="s" * 32
    )


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
