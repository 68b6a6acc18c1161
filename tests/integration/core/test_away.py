"""What still works while Postgres or Redis is away."""

from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from app.domains.account.accounts.sign_in import credentials
from tests import pace
from tests.quick_applications import made

SEARCH = "/external/v1/search"
NOBODY = "127.0.0.1:1"


@pytest.fixture
def without_postgres(redis_url: str) -> Iterator[FlaskClient]:
    """A server whose Postgres refuses connections."""
    url = f"postgresql://{NOBODY}/citegrid"
    db.open(url, wait_seconds=1.0)
    yield made(Settings(database_url=url, redis_url=redis_url, secret_key="x" * 32)).test_client()
    db.close()


@pytest.fixture
def without_redis(settings: Settings) -> FlaskClient:
    """A server whose Redis refuses connections."""
    return made(settings, redis_url=f"redis://{NOBODY}/0").test_client()


@pytest.fixture
def valid_key() -> dict[str, str]:
    """A key of the right form, so that it is looked up."""
    return {"X-API-Key": credentials.new(credentials.API_KEY)}


def test_without_postgres_the_answer_is_503_within_two_seconds(
    without_postgres: FlaskClient, valid_key: dict[str, str]
) -> None:
    began = pace.seconds()
    answer = without_postgres.post(SEARCH, json={"query": "q"}, headers=valid_key)
    assert pace.seconds() - began < 2.0
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (503, "storage_unavailable")
    assert int(answer.headers["Retry-After"]) >= 1
    assert answer.headers["X-Request-Id"] == answer.get_json()["error"]["request_id"]
    assert NOBODY not in answer.text, "where it is, is for nobody"


def test_without_postgres_the_process_is_alive_and_measured_but_not_ready(
    without_postgres: FlaskClient,
) -> None:
    assert without_postgres.get("/healthz").status_code == 200
    answer = without_postgres.get("/readyz")
    assert answer.status_code == 503
    assert answer.get_json() == {
        "status": "unready",
        "database": "away",
        "redis": "ok",
        "dispatchers": "unknown",
    }
    metrics = without_postgres.get("/metrics")
    assert metrics.status_code == 200
    assert "citegrid_database_up 0.0" in metrics.text
    assert "citegrid_http_requests_total" in metrics.text


def test_without_redis_requests_are_served_and_waits_are_waits(
    without_redis: FlaskClient, owner: dict[str, str]
) -> None:
    made: Any = without_redis.post(SEARCH, json={"query": "q"}, headers=owner)
    assert made.status_code == 202
    answer = without_redis.get(f"{made.headers['Location']}?wait=0.1", headers=owner)
    assert (answer.status_code, answer.get_json()["status"]) == (200, "running")
    ready = without_redis.get("/readyz")
    assert (ready.status_code, ready.get_json()["redis"]) == (200, "away")


def test_without_redis_limits_count_in_the_process(
    settings: Settings, owner: dict[str, str]
) -> None:
    tight = made(settings, redis_url=f"redis://{NOBODY}/0", rate_limit_read="2/hour")
    client = tight.test_client()
    statuses = [client.get(SEARCH, headers=owner).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
