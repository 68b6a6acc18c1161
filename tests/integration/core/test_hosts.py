"""By which names the server is asked."""

from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.quick_applications import made


@pytest.fixture
def client(site: Flask, redis_url: str) -> FlaskClient:
    return site.test_client()


@pytest.fixture(scope="module")
def named(site: Flask) -> Flask:
    """With a public address, another name, and one proxy before it."""
    told = replace(
        site.extensions["settings"],
        service_base_url="https://search.example.org:8443/api",
        allowed_hosts="search.internal, 192.0.2.7",
        trusted_proxies=1,
    )
    return made(told)


@pytest.fixture
def public(named: Flask, redis_url: str) -> FlaskClient:
    return named.test_client()


def ask(client: FlaskClient, host: str, path: str = "/openapi.json", **headers: str) -> Any:
    return client.get(path, headers={"Host": host, **headers})


def test_names_of_loopback_are_known(client: FlaskClient) -> None:
    for host in (
        "localhost",
        "LOCALHOST:9",
        "localhost.",
        "127.0.0.1:8000",
        "127.9.9.9",
        "[::1]",
        "[::1]:80",
    ):
        assert ask(client, host).status_code == 200, host


def test_names_of_the_operator_are_known_and_a_forwarded_one_is_not_believed(
    public: FlaskClient,
) -> None:
    for host in (
        "search.example.org",
        "Search.Example.Org:443",
        "search.internal",
        "192.0.2.7:8000",
    ):
        assert ask(public, host).status_code == 200, host
    forwarded = {"X-Forwarded-Host": "search.example.org"}
    assert ask(public, "rebind.example", **forwarded).status_code == 421


def test_any_other_name_is_421(client: FlaskClient, public: FlaskClient) -> None:
    for host in (
        "rebind.example",
        "localhost.rebind.example",
        "127.0.0.1.rebind.example",
        "192.168.1.5:8000",
        "[2001:db8::1]",
        "0.0.0.0",  # noqa: S104 (a name)
        "localhost,rebind.example",
        "rebind.example:localhost",
        "[localhost",
        "[::1].rebind.example",
        "[::1]rebind.example:80",
        "localhost:80.rebind.example",
        "",
    ):
        for server in (client, public):
            answer = ask(server, host)
            assert (answer.status_code, answer.get_json()["error"]["code"]) == (421, "unknown_host")


def test_no_route_is_shown_under_another_name(client: FlaskClient) -> None:
    for path in (
        "/",
        "/docs",
        "/static/app.css",
        "/metrics",
        "/v1/account",
        "/external/v1/search",
        "/onchain/v1/search/srch_x",
        "/public/provider-offers",
        "/nothing",
    ):
        assert ask(client, "rebind.example", path).status_code == 421, path
    assert "RateLimit" in ask(client, "rebind.example").headers


def test_probes_ask_by_any_address(client: FlaskClient) -> None:
    for path in ("/healthz", "/readyz"):
        assert ask(client, "10.1.2.3:8000", path).status_code == 200, path
