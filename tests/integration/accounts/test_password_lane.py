"""Password work has a lane of its own: when it is full, the others go on."""

from contextlib import ExitStack
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core.config.settings import Settings
from tests.integration.accounts.conftest import EMAIL, PASSWORD

BODY = {"email": EMAIL, "password": PASSWORD}


@pytest.fixture
def full_lane(app: Flask, settings: Settings, owner: Any) -> ExitStack:
    """Every place is taken; closing it gives them back."""
    taken = ExitStack()
    for _ in range(settings.password_requests):
        taken.enter_context(app.extensions["password_lane"].enter())
    return taken


@pytest.mark.parametrize("path", ["/v1/accounts", "/v1/tokens"])
def test_a_request_beyond_the_lane_is_refused_at_once(
    client: FlaskClient, full_lane: ExitStack, path: str
) -> None:
    answer = client.post(path, json=BODY)
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (503, "overloaded")
    assert int(answer.headers["Retry-After"]) >= 1


def test_a_full_lane_keeps_nobody_from_reading(owner: Any, full_lane: ExitStack) -> None:
    assert owner.call("GET", "/v1/api-keys").status_code == 200


def test_a_refused_sign_in_is_no_wrong_guess(client: FlaskClient, full_lane: ExitStack) -> None:
    for _ in range(20):
        client.post("/v1/tokens", json=BODY)
    full_lane.close()
    assert client.post("/v1/tokens", json=BODY).status_code == 201
