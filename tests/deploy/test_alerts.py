"""Alerts caused for real: processes that Prometheus finds by their files, and what goes wrong."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from app.core.config.settings import Settings
from app.core.db.migrate import migrate
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from tests import servers
from tests.deploy.conftest import DEPLOY
from tests.deploy.programs import validator
from tests.deploy.prometheus import Prometheus, prometheus
from tests.deployed import Deployed, deployed
from tests.ports import free_port

pytestmark = [pytest.mark.deploy, pytest.mark.runs, pytest.mark.timeout(3600)]


@dataclass(frozen=True, slots=True)
class Monitored:
    """The processes of one machine, and a Prometheus that finds them."""

    prometheus: Prometheus
    machine: Deployed
    postgres: Postgres
    broken_receiver: str

    def found(self) -> set[str]:
        """The processes that answer."""
        return {labels["process"] for labels in self.prometheus.targets()}


@pytest.fixture
def monitored(redis_server: Redis, tmp_path: Path) -> Iterator[Monitored]:
    validator("prometheus", "prometheus")
    targets = tmp_path / "targets"
    targets.mkdir()
    with ExitStack() as stack:
        postgres = stack.enter_context(servers.postgres())  # of its own, since it is stopped
        url = postgres.url()
        migrate(url)
        settings = Settings(database_url=url, redis_url=redis_server.url(), secret_key="x" * 32)
        names = ("web", "worker", "dispatcher")
        receiver = stack.enter_context(_broken_receiver())
        machine = stack.enter_context(
            deployed(
                settings,
                *names,
                metrics_targets=targets,
                metrics_port=free_port(),  # of whoever is first: it says what all have counted
                webhook_allow=receiver,
                smtp_url=f"smtp://127.0.0.1:{free_port()}",  # where nobody listens
                mail_from="alerts@example.org",
            )
        )
        # As long as it waits for an answer, which without a database takes some seconds.
        watching = stack.enter_context(prometheus(tmp_path, [_job(tmp_path)], 8))
        made = Monitored(watching, machine, postgres, receiver)
        servers.until(lambda: made.found() == {"web", "worker-searches", "dispatcher"})
        yield made


def _job(folder: Path) -> dict[str, Any]:
    """That of deploy/, with the targets of this folder."""
    given = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    (ours,) = (job for job in given["scrape_configs"] if job["job_name"] == "citegrid")
    found = {"files": [f"{folder}/targets/*.json"], "refresh_interval": "1s"}
    return {**ours, "file_sd_configs": [found]}


@contextmanager
def _broken_receiver() -> Iterator[str]:
    """Its host and port; it answers 500."""

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_error(500)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def test_alerts_fire_when_what_they_are_about_happens_and_end_with_it(
    monitored: Monitored,
) -> None:
    monitored.prometheus.await_alert("CitegridBackupOld")  # there never was one
    _kill_and_start(monitored, "worker", "CitegridProcessDown")
    _kill_and_start(monitored, "web", "CitegridNoWebProcess")
    _take_connections(monitored)
    token = _token(monitored)
    _fail_deliveries(monitored, token)
    _fail_mails(monitored, token)
    monitored.postgres.stop()
    monitored.prometheus.await_alert("CitegridDatabaseAway")
    monitored.postgres.start()
    monitored.prometheus.await_end("CitegridDatabaseAway")


def _kill_and_start(monitored: Monitored, name: str, alert: str) -> None:
    assert alert not in monitored.prometheus.firing()
    program = monitored.machine.programs[name]
    program.kill()
    monitored.prometheus.await_alert(alert)
    monitored.prometheus.await_alert("CitegridProcessDown")
    program.start()
    monitored.prometheus.await_end(alert)
    monitored.prometheus.await_end("CitegridProcessDown")


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
        monitored.prometheus.await_alert(alert)
    monitored.prometheus.await_end(alert)


def _token(monitored: Monitored) -> str:
    login = {"email": "ada@example.org", "password": "correct horse battery"}
    assert monitored.machine.ask("POST", "/v1/accounts", body=login).status == 201
    return str(monitored.machine.ask("POST", "/v1/tokens", body=login).json["access_token"])


def _fail_deliveries(monitored: Monitored, token: str) -> None:
    """The first failures are seen before the others: Prometheus counts from what it knows."""
    failed = 'citegrid_webhook_deliveries_total{outcome="failed"}'
    _deliver_in_vain(monitored, token, 1)
    servers.until(lambda: monitored.prometheus.value(failed) > 0)
    assert "CitegridDeliveriesFail" not in monitored.prometheus.firing()
    _deliver_in_vain(monitored, token, 10)
    monitored.prometheus.await_alert("CitegridDeliveriesFail")


def _deliver_in_vain(monitored: Monitored, token: str, endpoints: int) -> None:
    """One message to each: the second would wait for the first."""
    for _ in range(endpoints):
        body = {"url": f"http://{monitored.broken_receiver}/"}
        made = _post(monitored, token, "/v1/webhooks", body)
        path = f"/v1/webhooks/{made['webhook']['id']}/test"
        _post(monitored, token, path)


def _fail_mails(monitored: Monitored, token: str) -> None:
    source = {"type": "url", "url": "https://example.org/"}
    monitor = {"type": "monitoring", "source": source, "schedule": {"every": "1d"}}
    thing = {"monitor": _post(monitored, token, "/v1/extract/jobs", monitor)["id"]}
    failed = 'citegrid_alert_mails_total{outcome="failed"}'
    for count in (1, 9):  # the first is seen before the others, as above
        for n in range(count):
            alert = {**thing, "condition": "failing", "threshold": n + 1}
            _post(monitored, token, "/v1/alerts", {**alert, "email": f"ada{n}@example.org"})
        servers.until(lambda: monitored.prometheus.value(failed) > 0)
    monitored.prometheus.await_alert("CitegridMailsFail")


def _post(monitored: Monitored, token: str, path: str, body: Any = None) -> Any:
    bearer = {"Authorization": f"Bearer {token}"}
    answer = monitored.machine.ask("POST", path, bearer, body)
    assert answer.status in (201, 202), answer.json
    return answer.json
