"""Who is told the metrics, and what they say after some work."""

from dataclasses import replace
from typing import NoReturn

import psycopg
import pytest
from flask.testing import FlaskClient
from prometheus_client import CollectorRegistry

from app.core import db
from app.core.actor import Actor, acting
from app.core.config.settings import Settings
from app.core.metrics import server
from app.domains.account.audit.service import record_event
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.operations import worker_store
from app.domains.queue.jobs.operations.queues.queue_states import STATES
from app.web import queue_metrics
from tests import builders
from tests.quick_applications import made
from tests.remote_index import add

SEARCH = "/external/v1/search"
BACKED_UP_AT = "select extract(epoch from at)::float8 from audit_events"


def test_the_address_of_a_proxys_client_is_not_loopback(client: FlaskClient) -> None:
    assert client.get("/metrics").status_code == 200
    for name in ("X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "X-Real-IP", "Via"):
        assert client.get("/metrics", headers={name: "127.0.0.1"}).status_code == 404


def test_who_asks_by_another_name_came_through_a_proxy(settings: Settings) -> None:
    app = made(settings, service_base_url="https://search.example.org")
    asked = app.test_client().get("/metrics", headers={"Host": "search.example.org"})
    assert asked.status_code == 404


def test_metrics_are_for_this_machine(client: FlaskClient) -> None:
    for address in ("127.0.0.1", "::1", "::ffff:127.0.0.1"):
        asked = client.get("/metrics", environ_base={"REMOTE_ADDR": address})
        assert asked.status_code == 200
    asked = client.get("/metrics", environ_base={"REMOTE_ADDR": "192.0.2.1"})
    assert asked.status_code == 404


def test_waiting_work_is_counted_with_its_age(client: FlaskClient, settings: Settings) -> None:
    with db.transaction() as tx:
        key = builders.api_key(tx, settings, builders.account(tx))
    client.post(SEARCH, json={"query": "q"}, headers={"X-API-Key": key})
    with db.transaction() as tx:
        tx.execute("update jobs set run_at = now() - interval '90 s'")
    said = metrics(client)
    assert said['citegrid_jobs{queue="searches",state="queued"}'] == 1.0
    assert 90 <= said['citegrid_jobs_oldest_seconds{queue="searches",state="queued"}'] < 1_000


def test_of_the_states_of_a_queue_one_is_1(client: FlaskClient) -> None:
    with db.transaction() as tx:
        tx.execute("insert into queues (name) values ('searches')")
        tx.execute("update queues set paused_at = now(), paused_by = 'ada'")
    told = metrics(client)
    states = {s: told[f'citegrid_queue_state{{queue="searches",state="{s}"}}'] for s in STATES}
    assert states == {state: float(state == "paused") for state in STATES}
    assert told['citegrid_queue_workers{queue="searches"}'] == 0.0


def test_autoscalers_are_told_what_waits_who_works_and_how_many_it_takes(
    client: FlaskClient, settings: Settings
) -> None:
    with db.transaction() as tx:
        account = builders.account(tx)
        key = builders.api_key(tx, settings, account)
        tx.execute("insert into queues (name) values ('searches')")
        beat = worker_store.Beat("host:1", "host:worker", ["searches", "ledger"], 4, "0.1")
        worker_store.beat(tx, beat)
    for _ in range(3):
        client.post(SEARCH, json={"query": "q"}, headers={"X-API-Key": key})
    with db.transaction() as tx:
        tx.execute("update jobs set run_at = now() - interval '90 s'")
        (first, *_) = db.values(tx, "select id from jobs order by id")
        jobs.claim(tx, [first], "host:1:2", 30.0)
        tx.execute(
            "insert into queue_samples values (10, now() - interval '20 s', 'searches',"
            " 2, 2, 90, 10, 0, 1)"
        )
    told = metrics(client)
    of_queue = {
        name.removeprefix("citegrid_queue_").partition("{")[0]: value
        for name, value in told.items()
        if name.startswith("citegrid_queue_") and name.endswith('{queue="searches"}')
    }
    assert 90 <= of_queue.pop("oldest_seconds") < 1_000
    assert of_queue == {
        "workers": 1,
        "waiting": 2,
        "ended_per_second": 1.0,
        "places": 4,
        "places_busy": 1,
        "places_wanted": 3,  # 2 s x (1 + 2 / 60) / 0.8
    }


def test_a_worked_search_is_counted(client: FlaskClient, settings: Settings) -> None:
    with db.transaction() as tx:
        key = builders.api_key(tx, settings, builders.account(tx))
    before = metrics(client)
    answer = client.post(SEARCH, json={"query": "q"}, headers={"X-API-Key": key})
    builders.work(settings, answer.get_json()["id"])
    after = metrics(client)
    kind = 'kind="searches.answer"'
    for name in (
        f"citegrid_job_claims_total{{{kind}}}",
        f'citegrid_job_outcomes_total{{{kind},outcome="succeeded"}}',
        f"citegrid_job_seconds_count{{{kind}}}",
        f'citegrid_stage_seconds_count{{{kind},stage="retrieving"}}',
    ):
        assert after[name] == before.get(name, 0) + 1


def metrics(client: FlaskClient) -> dict[str, float]:
    lines = client.get("/metrics").text.splitlines()
    samples = (line.rpartition(" ") for line in lines if not line.startswith("#"))
    return {name: float(value) for name, _, value in samples}


def test_a_host_without_the_api_serves_them_to_itself(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[str] = []

    def listen(port: int, addr: str, registry: CollectorRegistry) -> NoReturn:
        served.append(addr)
        raise OSError

    monkeypatch.setattr("app.core.metrics.server.start_http_server", listen)
    server.serve(replace(settings, metrics_port=9464), "web")
    assert served == ["127.0.0.1"]


def test_the_lag_of_an_index_that_follows_is_a_metric(built: Settings, client: FlaskClient) -> None:
    add("rye")
    lines = client.get("/metrics").text.splitlines()
    assert "citegrid_index_lag_passages 1.0" in lines
    assert any(line.startswith("citegrid_index_lag_seconds ") for line in lines)


def test_without_such_an_index_there_is_no_lag(client: FlaskClient) -> None:
    assert "citegrid_index_lag" not in client.get("/metrics").text


def test_the_last_backup_that_succeeded_is_a_metric(client: FlaskClient) -> None:
    assert metrics(client)["citegrid_backup_success_timestamp_seconds"] == 0
    with db.transaction() as tx, acting(Actor(kind="cli", name="ada")):
        record_event(tx, "database.backed_up", "citegrid-1Z")
    taken_at = metrics(client)["citegrid_backup_success_timestamp_seconds"]
    with db.reading() as reader:
        assert taken_at == db.value(reader, BACKED_UP_AT)


def test_a_database_that_is_away_has_no_old_backup(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> NoReturn:
        raise psycopg.OperationalError

    monkeypatch.setattr(db, "reading", away)
    gauges = queue_metrics.current(60.0)
    said = {sample.name for gauge in gauges for sample in gauge.samples}
    assert said == {"citegrid_database_up"}
