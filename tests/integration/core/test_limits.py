"""Rate limits as the application applies them."""

from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core.config.settings import Settings
from tests.quick_applications import made

SEARCH = "/external/v1/search"


@pytest.fixture
def settings(settings: Settings, patient_redis_url: str) -> Settings:
    return replace(settings, redis_url=patient_redis_url)


@pytest.fixture
def tight(settings: Settings) -> FlaskClient:
    """A server that allows two calls of each sort in an hour."""
    limits: dict[str, Any] = dict.fromkeys(
        ("rate_limit_read", "rate_limit_write", "rate_limit_anonymous"), "2/hour"
    )
    return made(settings, **limits).test_client()


def test_a_limited_answer_says_what_is_left(client: FlaskClient, owner: dict[str, str]) -> None:
    answer = client.get(SEARCH, headers=owner)
    assert answer.headers["RateLimit-Policy"] == '"read";q=1800;w=60'
    assert answer.headers["RateLimit"].startswith('"read";r=1799;t=')


def test_reading_does_not_use_up_writing(tight: FlaskClient, owner: dict[str, str]) -> None:
    for _ in range(3):
        last = tight.get(SEARCH, headers=owner)
    assert last.status_code == 429
    assert tight.post(SEARCH, json={"query": "q"}, headers=owner).status_code == 202


def test_wrong_credentials_are_counted_by_address(tight: FlaskClient) -> None:
    guesses = [tight.get(SEARCH, headers={"X-API-Key": f"guess-{n}"}) for n in range(3)]
    assert [guess.status_code for guess in guesses] == [401, 401, 429]
    assert guesses[0].headers["RateLimit-Policy"] == '"anonymous";q=2;w=3600'


def test_requests_without_a_credential_do_not_use_up_the_quota_of_a_key(
    tight: FlaskClient, owner: dict[str, str]
) -> None:
    assert [tight.get(SEARCH).status_code for _ in range(3)] == [401, 401, 429]
    assert tight.get(SEARCH, headers=owner).status_code == 200


def test_a_key_without_the_scope_is_counted_as_that_key(
    tight: FlaskClient, owner: dict[str, str]
) -> None:
    answers = [tight.get("/v1/account", headers=owner) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [403, 403, 429]


def test_health_is_not_limited(tight: FlaskClient) -> None:
    assert {tight.get("/healthz").status_code for _ in range(4)} == {200}


def test_a_forwarded_address_is_not_believed_without_a_proxy(tight: FlaskClient) -> None:
    headers = [{"X-Forwarded-For": f"203.0.113.{n}"} for n in range(3)]
    assert [tight.get("/docs", headers=each).status_code for each in headers] == [200, 200, 429]


def test_behind_a_trusted_proxy_each_address_has_its_own_limit(settings: Settings) -> None:
    client = made(settings, rate_limit_anonymous="1/hour", trusted_proxies=1).test_client()
    for n in range(2):
        answer = client.get("/docs", headers={"X-Forwarded-For": f"203.0.113.{n}"})
        assert answer.status_code == 200


def test_invented_methods_and_addresses_make_no_new_metrics(client: FlaskClient) -> None:
    client.open("/nothing", method="BREWMETRIC")
    said = client.get("/metrics").text
    assert "BREWMETRIC" not in said
    assert 'endpoint="none",method="other",status="404"' in said
