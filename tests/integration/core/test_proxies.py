"""A proxy in front that TRUSTED_PROXIES does not count."""

import io

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from app.core.config.settings import Settings
from app.core.http import proxies
from tests.quick_applications import made

WARNING = "a proxy forwards requests"


def noticed(settings: Settings) -> bool:
    with redis.Redis.from_url(settings.redis_url) as client:
        return proxies.were_noticed(client)


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "Via"])
def test_what_a_proxy_adds_is_noticed(name: str, client: FlaskClient, settings: Settings) -> None:
    client.get("/healthz", headers={name: "for=192.0.2.1"})
    assert noticed(settings)


def test_the_operator_is_warned_once_without_the_address_that_is_claimed(
    client: FlaskClient, log_lines: io.StringIO
) -> None:
    for _ in range(3):
        client.get("/healthz", headers={"X-Forwarded-For": "192.0.2.77"})
    assert log_lines.getvalue().count(WARNING) == 1
    assert "192.0.2.77" not in log_lines.getvalue()


def test_direct_requests_are_nothing_to_warn_of(client: FlaskClient, settings: Settings) -> None:
    client.get("/healthz")
    assert not noticed(settings)


def test_a_trusted_proxy_is_nothing_to_warn_of(settings: Settings) -> None:
    trusting = made(settings, trusted_proxies=1)
    trusting.test_client().get("/healthz", headers={"X-Forwarded-For": "192.0.2.1"})
    assert not noticed(settings)


def test_requests_are_answered_while_redis_is_away(settings: Settings) -> None:
    app: Flask = made(settings, redis_url="redis://127.0.0.1:1")
    answer = app.test_client().get("/healthz", headers={"Via": "1.1 proxy"})
    assert answer.status_code == 200
