"""Two accounts with keys for memory, and short ways to store and read."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core import db
from app.core.config.settings import Settings
from tests import builders
from tests.caller import Caller

PATH = "/v1/personas/me/memory"
SCOPES = ("search", "memory")


class Rememberer(Caller):
    """An account at the API."""

    def ask(self, method: str, path: str = PATH, **options: Any) -> TestResponse:
        return super().ask(method, path, **options)

    def store(self, content: str, **given: Any) -> TestResponse:
        body = {"type": "fact", "content": content, "source": "user_approved", **given}
        return self.ask("POST", json=body)

    def remember(self, content: str, **given: Any) -> dict[str, Any]:
        answer = self.store(content, **given)
        assert answer.status_code == 201, answer.get_json()
        memory: dict[str, Any] = answer.get_json()["memory"]
        return memory

    def contents(self, **query: Any) -> list[str]:
        answer = self.ask("GET", query_string=query)
        return [memory["content"] for memory in answer.get_json()["memory"]]


@pytest.fixture
def sign_up(client: FlaskClient, settings: Settings) -> Callable[[str], Rememberer]:
    def sign_up(name: str) -> Rememberer:
        with db.transaction() as tx:
            account = builders.account(tx, f"{name}@example.org")
            key = builders.api_key(tx, settings, account, SCOPES)
        return Rememberer(client, {"X-API-Key": key})

    return sign_up


@pytest.fixture
def ada(sign_up: Callable[[str], Rememberer]) -> Rememberer:
    return sign_up("ada")


@pytest.fixture
def bob(sign_up: Callable[[str], Rememberer]) -> Rememberer:
    return sign_up("bob")
