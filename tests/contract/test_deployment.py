"""The files of deploy/ agree with the product and with one another."""

import json
import os
import re
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY

from app.core.config.settings import Settings
from app.core.errors import (
    HeaderTooLarge,
    MalformedRequest,
    Overloaded,
    PayloadTooLarge,
    RateLimited,
    UriTooLong,
)
from app.domains.library.passages.change_store import Lag
from app.domains.queue.jobs.operations.queues.connections import Budget
from app.domains.queue.jobs.operations.queues.queue_states import STATES
from app.serving import liveness
from app.web import queue_metrics

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
RULES = DEPLOY / "prometheus" / "rules.yml"
OF_EXPORTERS = DEPLOY / "prometheus" / "machines.yml"
QUEUES = re.compile(r"celery -A workers\.main worker -n (\w+)@%h -Q (\w+) -c (\d)(.*)$")
OTHER_THREADS = 20
"""Of a process: pools, listeners, metrics, writers."""
SUFFIXES = ("_bucket", "_count", "_sum", "_total")


@pytest.fixture
def settings() -> Settings:
    return Settings(database_url="d", redis_url="r", secret_key="s" * 32)


@pytest.fixture
def rules() -> list[dict[str, Any]]:
    return _rules(RULES)


def _rules(file: Path) -> list[dict[str, Any]]:
    (group,) = yaml.safe_load(file.read_text())["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found


@pytest.fixture
def served() -> set[str]:
    """The names of all metrics, without what Prometheus' formats add."""
    gauges = [
        queue_metrics.database(up=True),
        *queue_metrics.of_jobs([]),
        *queue_metrics.of_backup(None),
        *queue_metrics.of_connections(Budget(2, 1, 0, 0, 0)),
        *queue_metrics.of_lag(Lag(0, 0.0)),
        *queue_metrics.of_queues([]),
    ]
    web = liveness.metrics("web", [])
    return {family.name for family in [*REGISTRY.collect(), *gauges, *web]}


def test_every_metric_of_an_alert_is_one_of_ours(
    rules: list[dict[str, Any]], served: set[str]
) -> None:
    for rule in rules:
        assert _metrics(rule["expr"]) <= served, rule["alert"]


@pytest.mark.parametrize("name", ["overview", "queues"])
def test_every_metric_of_a_dashboard_is_one_of_ours(name: str, served: set[str]) -> None:
    board = json.loads((DEPLOY / "grafana" / f"{name}.json").read_text())
    for panel in board["panels"]:
        for target in panel["targets"]:
            assert _metrics(target["expr"]) <= served, panel["title"]


def test_every_metric_that_workers_are_scaled_by_is_one_of_ours(served: set[str]) -> None:
    scaled = (DEPLOY / "kubernetes" / "base" / "scaling.yaml").read_text()
    queries = re.findall(r"query: (.+)", scaled)
    assert queries
    for query in queries:
        assert _metrics(query) <= served


def _metrics(expression: str) -> set[str]:
    names = set(re.findall(r"\bcitegrid_\w+", expression))
    assert names, expression
    return {_family(name) for name in names}


def _family(name: str) -> str:
    return next((name.removesuffix(end) for end in SUFFIXES if name.endswith(end)), name)


def test_every_state_that_an_alert_is_about_exists(rules: list[dict[str, Any]]) -> None:
    states = {s for rule in rules for s in re.findall(r'queue_state\{state="(\w+)"', rule["expr"])}
    assert states
    assert states <= set(STATES)


def test_every_alert_is_explained_and_tested(rules: list[dict[str, Any]]) -> None:
    alerts = {rule["alert"] for rule in [*rules, *_rules(OF_EXPORTERS)]}
    page = (ROOT / "docs" / "how-to" / "alerts.md").read_text()
    tests = (DEPLOY / "prometheus" / "rules_test.yml").read_text()
    assert set(re.findall(r"^### (\w+)$", page, re.MULTILINE)) == alerts
    for alert in alerts:
        assert f"{alert} when it is due" in tests
        assert f"{alert} when it is not" in tests


def test_containers_and_pods_run_the_commands_of_the_procfile() -> None:
    lines = re.findall(r"^(\w+): (.+)$", (ROOT / "Procfile").read_text(), re.MULTILINE)
    workers = {n: QUEUES.fullmatch(c) for n, c in lines if QUEUES.fullmatch(c)}
    composed = yaml.safe_load((DEPLOY / "compose.yml").read_text())["services"]
    pods = {
        pod["metadata"]["name"].removeprefix("citegrid-"): pod
        for pod in yaml.safe_load_all((DEPLOY / "kubernetes" / "base" / "workers.yaml").read_text())
    }
    for name, command in lines:
        if name in workers:
            assert " ".join(composed[name]["command"]) == command
        if name in workers and name != "rendering":
            container = pods[name]["spec"]["template"]["spec"]["containers"][0]
            assert " ".join(container["args"]) == command
    assert len(workers) == 9


def test_a_unit_runs_the_command_of_the_procfile_for_each_queue() -> None:
    (start,) = re.findall(r"^ExecStart=\S+/(celery .+)$", _unit("worker@"), re.MULTILINE)
    target = (DEPLOY / "systemd" / "citegrid.target").read_text()
    for name, command in re.findall(
        r"^(\w+): (celery .+)$", (ROOT / "Procfile").read_text(), re.MULTILINE
    ):
        places = command.split(" -c ")[1].split()[0]
        written = start.replace("%%", "%").replace("%i", name).replace("${CONCURRENCY}", places)
        assert written == command
        assert name == "rendering" or f"Wants=citegrid-worker@{name}.service\n" in target


def test_containers_have_room_for_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {"DATABASE_URL": "port=0", "REDIS_URL": "redis://unused", "SECRET_KEY": "x" * 32}
    monkeypatch.setattr(os, "environ", variables)  # one of the files adds its defaults
    composed = yaml.safe_load((DEPLOY / "compose.yml").read_text())["services"]
    for service, file in (("web", "gunicorn.conf.py"), ("waiting", "gunicorn.waiting.py")):
        configured = runpy.run_path(str(DEPLOY / file))
        threads = configured["workers"] * (configured["threads"] + OTHER_THREADS)
        assert composed[service]["pids_limit"] >= threads, service


def test_a_file_of_certificates_stays_a_file() -> None:
    """A bundle of a system is larger than a variable can be."""
    names = {"PATH": os.environ["PATH"], "SSL_CERT_FILE": "/ca.pem", "SECRET_KEY_FILE": __file__}
    shown = "echo $SSL_CERT_FILE ${#SECRET_KEY}"
    command = ["sh", str(DEPLOY / "entrypoint.sh"), "sh", "-c", shown]
    started = subprocess.run(command, env=names, capture_output=True, text=True, check=True)
    assert re.fullmatch(r"/ca\.pem [1-9]\d+\n", started.stdout)


def test_processes_have_the_time_to_end(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    grace = settings.worker_grace_seconds + 10
    monkeypatch.setenv("DATABASE_URL", "postgresql://unused")
    monkeypatch.setenv("REDIS_URL", "redis://unused")
    monkeypatch.setenv("SECRET_KEY", "x" * 32)
    graceful = runpy.run_path(str(DEPLOY / "gunicorn.conf.py"))["graceful_timeout"]
    assert _seconds(_unit("worker@"), "TimeoutStopSec") >= grace
    assert _seconds(_unit("web@"), "TimeoutStopSec") > graceful
    composed = yaml.safe_load((DEPLOY / "compose.yml").read_text())["services"]
    assert int(composed["searches"]["stop_grace_period"].removesuffix("s")) >= grace
    assert int(composed["web"]["stop_grace_period"].removesuffix("s")) > graceful
    base = DEPLOY / "kubernetes" / "base"
    worker = yaml.safe_load((base / "patches" / "worker.yaml").read_text())["spec"]["template"]
    (container,) = worker["spec"]["containers"]
    command = container["lifecycle"]["preStop"]["exec"]["command"][-1]
    waited = int(command.rpartition("--wait ")[2])
    assert worker["spec"]["terminationGracePeriodSeconds"] >= waited + grace
    web = next(yaml.safe_load_all((base / "api.yaml").read_text()))["spec"]["template"]["spec"]
    assert web["terminationGracePeriodSeconds"] > 10 + graceful


def test_nginx_refuses_in_the_words_of_the_api() -> None:
    written = (DEPLOY / "nginx" / "citegrid.conf").read_text()
    refusals = re.findall(r"return (\d+) '(\{.+\})';", written)
    said = {(int(status), *_said(body)) for status, body in refusals}
    errors = (
        MalformedRequest,
        PayloadTooLarge,
        UriTooLong,
        RateLimited,
        HeaderTooLarge,
        Overloaded,
    )
    assert said == {(error.status, error.code, error.message()) for error in errors}


def _said(body: str) -> tuple[str, str]:
    error = json.loads(body)["error"]
    assert error["request_id"] == "$request_id"
    return error["code"], error["message"]


def test_the_page_names_each_environment_file_and_starts_each_timer() -> None:
    page = (ROOT / "docs" / "how-to" / "deploy-with-systemd.md").read_text()
    for unit in (DEPLOY / "systemd").glob("*.service"):
        for file in re.findall(r"^EnvironmentFile=-?/etc/citegrid/(\S+)$", unit.read_text(), re.M):
            assert f"`{file.replace('%i', 'QUEUE')}`" in page, unit.name
    for timer in (DEPLOY / "systemd").glob("*.timer"):
        assert f"systemctl enable --now {timer.name}\n" in page


def _unit(name: str) -> str:
    return (DEPLOY / "systemd" / f"citegrid-{name}.service").read_text()


def _seconds(unit: str, key: str) -> int:
    (value,) = re.findall(rf"^{key}=(\d+)s$", unit, re.MULTILINE)
    return int(value)


def test_everything_that_is_fetched_for_others_goes_the_operators_way_out() -> None:
    made = [
        (path.name, call)
        for folder in ("app", "workers")
        for path in (ROOT / folder).rglob("*.py")
        if "engine/fetch" not in str(path)
        for call in re.findall(r"(?<!Polite)Fetcher\((?!BaseModel).*", path.read_text())
    ]
    assert made
    for name, call in made:
        assert "connect=way_out(settings.egress_proxy)" in call, name
