"""Alerts caused for real: processes that Prometheus finds by their files, and what goes wrong."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest
import yaml

from app.core.config.settings import Settings
from app.core.db.migrate import migrate
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from tests import servers
from tests.deploy.conftest import DEPLOY
from tests.deploy.installation import ask
from tests.deploy.programs import validator
from tests.deployed import Deployed, deployed
from tests.ports import free_port

pytestmark = [pytest.mark.deploy, pytest.mark.runs, pytest.mark.timeout(3600)]


class Monitored:
    """A Prometheus with the rules of deploy/ and no delays, over the processes of one machine."""

    def __init__(self, port: int, machine: Deployed, postgres: Postgres) -> None:
        self.port, self.machine, self.postgres = port, machine, postgres

    def firing(self) -> set[str]:
        status, told = ask(self.port, "GET", "/api/v1/alerts")
        alerts = told["data"]["alerts"] if status == 200 else []
        return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}

    def found(self) -> set[str]:
        """The processes that answer."""
        status, told = ask(self.port, "GET", "/api/v1/targets")
        targets = told["data"]["activeTargets"] if status == 200 else []
        return {target["labels"]["process"] for target in targets if target["health"] == "up"}

    def await_alert(self, name: str) -> None:
        servers.until(lambda: name in self.firing())

    def await_end(self, name: str) -> None:
        servers.until(lambda: name not in self.firing())


@pytest.fixture
def monitored(redis_server: Redis, tmp_path: Path) -> Iterator[Monitored]:
    program = validator("prometheus", "prometheus")
    targets = tmp_path / "targets"
    targets.mkdir()
    with ExitStack() as stack:
        postgres = stack.enter_context(servers.postgres())  # of its own, since it is stopped
        url = postgres.url()
        migrate(url)
        settings = Settings(database_url=url, redis_url=redis_server.url(), secret_key="x" * 32)
        names = ("web", "worker", "dispatcher")
        machine = stack.enter_context(deployed(settings, *names, metrics_targets=targets))
        port = stack.enter_context(_prometheus(program, tmp_path))
        made = Monitored(port, machine, postgres)
        servers.until(lambda: made.found() == {"web", "worker-searches", "dispatcher"})
        yield made


@contextmanager
def _prometheus(program: str, folder: Path) -> Iterator[int]:
    given = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    # As long as it waits for an answer, which without a database takes some seconds.
    given["global"] = {"scrape_interval": "8s", "scrape_timeout": "8s", "evaluation_interval": "1s"}
    (ours,) = (job for job in given["scrape_configs"] if job["job_name"] == "citegrid")
    ours["file_sd_configs"] = [{"files": [f"{folder}/targets/*.json"], "refresh_interval": "1s"}]
    given["scrape_configs"] = [ours]
    (folder / "prometheus.yml").write_text(json.dumps(given))
    for name in given["rule_files"]:
        rules = yaml.safe_load((DEPLOY / "prometheus" / name).read_text())
        for group in rules["groups"]:
            for rule in group["rules"]:
                rule["for"] = "0s"
        (folder / name).write_text(json.dumps(rules))
    port = free_port()
    command = [
        program,
        f"--config.file={folder}/prometheus.yml",
        f"--storage.tsdb.path={folder}/data",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            yield port
        finally:
            process.terminate()
            process.wait()


def test_alerts_fire_when_what_they_are_about_happens_and_end_with_it(
    monitored: Monitored,
) -> None:
    monitored.await_alert("CitegridBackupOld")  # there never was one
    _kill_and_start(monitored, "worker", "CitegridProcessDown")
    _kill_and_start(monitored, "web", "CitegridNoWebProcess")
    _take_connections(monitored)
    monitored.postgres.stop()
    monitored.await_alert("CitegridDatabaseAway")
    monitored.postgres.start()
    monitored.await_end("CitegridDatabaseAway")


def _kill_and_start(monitored: Monitored, name: str, alert: str) -> None:
    assert alert not in monitored.firing()
    program = monitored.machine.programs[name]
    program.kill()
    monitored.await_alert(alert)
    monitored.await_alert("CitegridProcessDown")
    program.start()
    monitored.await_end(alert)
    monitored.await_end("CitegridProcessDown")


def _take_connections(monitored: Monitored) -> None:
    alert, url = "CitegridConnectionsRunOut", monitored.postgres.url()
    with ExitStack() as taken:
        first = taken.enter_context(psycopg.connect(url, autocommit=True))
        (allowed,) = first.execute("show max_connections").fetchone() or ("",)
        (open_now,) = first.execute("select sum(numbackends) from pg_stat_database").fetchone() or (
            0,
        )
        for _ in range(int(0.9 * int(allowed)) - int(open_now)):
            taken.enter_context(psycopg.connect(url))
        monitored.await_alert(alert)
    monitored.await_end(alert)
