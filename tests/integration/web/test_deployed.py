"""The processes of the Procfile together: two web workers, a worker, a dispatcher."""

import http.client
import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import psycopg
import pytest

from app.core.config.settings import Settings
from app.domains.search.memories import persona_keys
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from tests import pace, servers
from tests.deployed import Answer, Deployed, deployed
from tests.leaks import leaks
from tests.patience import PATIENCE_SECONDS

SEARCH = "/external/v1/search"
EMAIL, PASSWORD = "ada@example.org", "correct horse battery"
MEMORY, OLD_MEMORY = "Keeps a barn owl called Minerva", "Keeps an owl called Athena"
TAG = "birds-of-mine"
COPIES = 200
WAITS = 24  # as many as both web processes have slots for
WAIT_SECONDS = 30


@pytest.fixture(scope="module")
def settings(postgres: Postgres, redis_server: Redis) -> Iterator[Settings]:
    """Over a database that the tests of this file share."""
    with servers.database(postgres) as url:
        yield Settings(database_url=url, redis_url=redis_server.url(), secret_key="x" * 32)


@pytest.fixture(scope="module")
def service(settings: Settings) -> Iterator[Deployed]:
    """Everything a search needs, logging all it can."""
    with deployed(
        settings,
        "web",
        "worker",
        "dispatcher",
        log_level="DEBUG",
        rate_limit_write="10000/minute",
        waiting_requests_per_account=12,
        waiting_requests_per_address=12,
    ) as running:
        yield running


@pytest.fixture(scope="module")
def secrets(service: Deployed) -> dict[str, str]:
    """Everything secret that signing up, signing in and making a key brings about."""
    body = {"email": EMAIL, "password": PASSWORD}
    assert service.ask("POST", "/v1/accounts", body=body).status == 201
    tokens = service.ask("POST", "/v1/tokens", body=body).json
    bearer = {"Authorization": f"Bearer {tokens['access_token']}", "Idempotency-Key": "first-key"}
    made = service.ask(
        "POST", "/v1/api-keys", bearer, {"name": "ci", "scopes": ["search", "memory", "jobs"]}
    ).json
    return {
        "password": PASSWORD,
        "access_token": tokens["access_token"],
        "refresh_token": tokens["refresh_token"],
        "api_key": made["secret"],
        "secret_key": "x" * 32,
    }


@pytest.fixture(scope="module")
def owner(secrets: dict[str, str]) -> dict[str, str]:
    return {"X-API-Key": secrets["api_key"]}


@pytest.fixture(scope="module")
def remembered(service: Deployed, settings: Settings, owner: dict[str, str]) -> dict[str, Any]:
    """What a persona was told, then and now, and the key that it is under."""
    path, headers = "/v1/personas/me/memory", {**owner, "Idempotency-Key": "a-memory"}
    body = {"type": "fact", "content": OLD_MEMORY, "source": "user_approved", "tags": [TAG]}
    id = service.ask("POST", path, headers, body).json["memory"]["id"]
    assert service.ask("PATCH", f"{path}/{id}", owner, {"content": MEMORY}).status == 200
    assert service.ask("GET", f"{path}?q=Minerva", owner).json["memory"][0]["id"] == id
    with psycopg.connect(settings.database_url) as connection:
        (account_id, wrapped) = connection.execute(
            "select account_id, wrapped from memory_keys"
        ).fetchall()[0]
    key = persona_keys.vault_of(settings).open(bytes(wrapped), f"mem|{account_id}|me".encode())
    return {"memory": MEMORY, "former version": OLD_MEMORY, "tag": TAG, "key of a persona": key}


@pytest.fixture(scope="module")
def worked(service: Deployed, owner: dict[str, str], remembered: dict[str, Any]) -> Answer:
    """The answer that accepted a search; the search is completed by now."""
    body = {"query": "Where do owls like Minerva live?", "persona_id": "me"}
    accepted = service.ask("POST", SEARCH, owner, body)
    path = f"{accepted.headers['Location']}?wait=30"
    servers.until(lambda: service.ask("GET", path, owner).json["status"] == "completed")
    return accepted


def rows(settings: Settings, sql: str) -> int:
    with psycopg.connect(settings.database_url) as connection:
        return int(connection.execute(sql.encode()).fetchone()[0])  # type: ignore[index]


def at_once(count: int, ask: Any) -> list[Any]:
    """What `ask(n)` returns in as many threads, all started together."""
    answers: list[Any] = []
    gate = threading.Barrier(count)

    def run(n: int) -> None:
        gate.wait()
        answers.append(ask(n))

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_simultaneous_copies_make_one_search(
    service: Deployed, settings: Settings, owner: dict[str, str]
) -> None:
    headers = {**owner, "Idempotency-Key": "storm"}
    body = {"query": "one of many copies"}
    answers = at_once(COPIES, lambda _: service.ask("POST", SEARCH, headers, body))
    statuses = Counter(answer.status for answer in answers)
    assert rows(settings, "select count(*) from searches where query = 'one of many copies'") == 1
    assert {202} <= statuses.keys() <= {202, 409, 503}  # a busy machine refuses some
    assert len({answer.body for answer in answers if answer.status == 202}) == 1


def test_waiting_requests_do_not_starve_the_others(
    service: Deployed, owner: dict[str, str], pending: str
) -> None:
    path = f"{SEARCH}/{pending}?wait={WAIT_SECONDS}"
    ask = partial(service.ask, "GET", path, owner)
    waits = [threading.Thread(target=ask) for _ in range(WAITS)]
    for wait in waits:
        wait.start()
    slowest = 0.0
    for asked in ("/healthz", SEARCH) * 5:  # in much less than what they wait
        before = pace.seconds()
        assert service.ask("GET", asked, owner).status == 200
        slowest = max(slowest, pace.seconds() - before)
    waiting = sum(wait.is_alive() for wait in waits)
    service.ask("POST", f"{SEARCH}/{pending}/cancel", owner)  # which ends the waits
    for wait in waits:
        wait.join()
    assert waiting >= WAITS / 2
    assert slowest < 1.0


@pytest.fixture
def pending(service: Deployed, settings: Settings, owner: dict[str, str]) -> Iterator[str]:
    """A search that nobody works on for now."""
    accepted = service.ask("POST", SEARCH, owner, {"query": "later"}).json["id"]
    service.ask("POST", f"{SEARCH}/{accepted}/cancel", owner)
    with psycopg.connect(settings.database_url) as connection:
        connection.execute(
            "update jobs set state = 'queued', finished_at = null, error = null,"
            " run_at = now() + interval '1 h', deadline_at = now() + interval '2 h'"
            " where id = (select id from searches where query = 'later')"
        )
    yield accepted
    service.ask("POST", f"{SEARCH}/{accepted}/cancel", owner)


def test_a_chunked_body_over_a_mebibyte_is_413(service: Deployed, owner: dict[str, str]) -> None:
    connection = http.client.HTTPConnection(service.address, timeout=PATIENCE_SECONDS)
    chunks = [b'{"query": "' + b"x" * 65536] + [b"x" * 65536] * 20
    headers = {**owner, "Content-Type": "application/json"}
    connection.request("POST", SEARCH, iter(chunks), headers, encode_chunked=True)
    answer = connection.getresponse()
    assert (answer.status, json.load(answer)["error"]["code"]) == (413, "payload_too_large")
    connection.close()


def test_deliveries_do_not_wait_for_the_worker_of_long_work(
    service: Deployed, owner: dict[str, str]
) -> None:
    """None runs here: what reads pages and indexes corpora is `background`."""
    made = service.ask("POST", "/v1/webhooks", owner, {"url": "https://hooks.example.org/"}).json
    webhook = f"/v1/webhooks/{made['webhook']['id']}"
    assert service.ask("POST", f"{webhook}/test", owner).status == 202

    def attempts() -> Any:
        [delivery] = service.ask("GET", f"{webhook}/deliveries", owner).json["deliveries"]
        return delivery["attempts"]

    servers.until(attempts)


def test_metrics_are_those_of_all_processes(service: Deployed, worked: Answer) -> None:
    said = service.ask("GET", "/metrics").body.decode()
    for name in (
        r'citegrid_job_claims_total\{kind="searches.answer"\} [1-9]',
        r'citegrid_job_outcomes_total\{kind="searches.answer",outcome="succeeded"\} [1-9]',
        r'citegrid_stage_seconds_count\{kind="searches.answer",stage="retrieving"\} [1-9]',
        r'citegrid_jobs_dispatched_total\{queue="searches"\} [1-9]',
        r'citegrid_http_requests_total\{endpoint="searches.create",method="POST",status="202"\}',
    ):
        assert re.search(name, said), name
    assert said.count("citegrid_database_up 1.0") == 1
    assert "pid=" not in said  # what was read just now is not that of one process


def log_lines(service: Deployed) -> list[dict[str, Any]]:
    written = "".join(service.log(name) for name in service.programs)
    return [json.loads(line) for line in written.splitlines() if line.startswith("{")]


def test_no_secret_is_logged(service: Deployed, worked: Answer, secrets: dict[str, str]) -> None:
    written = "".join(service.log(name) for name in service.programs)
    assert len(written) > 1000
    assert [name for name, secret in secrets.items() if secret in written] == []


def test_no_secret_is_readable_anywhere(
    service: Deployed,
    settings: Settings,
    worked: Answer,
    secrets: dict[str, str],
    remembered: dict[str, Any],
) -> None:
    found = leaks(
        secrets | remembered,
        database_url=settings.database_url,
        redis_url=settings.redis_url,
        logs={name: service.log(name) for name in service.programs},
    )
    assert found == []


def test_the_logs_are_json_lines(service: Deployed, worked: Answer) -> None:
    for name in ("web", "dispatcher"):  # Celery begins with a banner of its own
        for line in service.log(name).splitlines():
            assert isinstance(json.loads(line), dict), (name, line)


def test_the_request_id_follows_the_work_into_the_worker(service: Deployed, worked: Answer) -> None:
    id = worked.headers["X-Request-Id"]

    def lines(key: str) -> list[dict[str, object]]:
        return [x for x in log_lines(service) if x.get("request_id") == id and key in x]

    servers.until(lambda: lines("job_id"))  # a worker logs a job after having ended it
    asked, done = lines("path")[0], lines("job_id")[0]
    assert asked["account_id"] == done["account_id"]
    assert asked["path"] == SEARCH
