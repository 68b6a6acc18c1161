"""An application that keeps requests, and who signed in to it: one for all tests of a file."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from app.domains.own_data.requests.recorder import Recorder
from app.local.embedded.redis import Redis
from tests import builders, node_work

NEVER_SECONDS = 3600.0  # tests say when it writes


@dataclass(frozen=True)
class Keeping:
    """A client of the application, and the headers of its callers."""

    client: FlaskClient
    recorder: Recorder
    account: UUID
    signed_in: dict[str, str]
    key: dict[str, str]
    node: dict[str, str]
    settings: Settings = field(repr=False)

    def of(self, request_id: str) -> dict[str, Any]:
        """What is kept of the request with this id."""
        self.recorder.write()
        answer = self.client.get(f"/v1/requests/{request_id}", headers=self.signed_in)
        found: dict[str, Any] = answer.get_json()["request"]
        return found


@pytest.fixture(scope="module")
def keeping(site: Flask, redis_server: Redis) -> Keeping:
    with redis.Redis.from_url(redis_server.url()) as client:
        client.flushall()
    settings = site.extensions["settings"]
    recorder = site.extensions["request_recorder"] = Recorder(NEVER_SECONDS)
    with db.transaction() as tx:
        account = builders.account(tx)
        token = builders.access_token(tx, settings, account)
        key = builders.api_key(tx, settings, account, ("search", "jobs"))
        _, node_token = node_work.node(tx, settings, account)
    return Keeping(
        site.test_client(),
        recorder,
        account,
        {"Authorization": f"Bearer {token}"},
        {"X-API-Key": key},
        {"Authorization": f"Bearer {node_token}"},
        settings,
    )


@pytest.fixture
def kept(keeping: Keeping) -> Callable[[str], dict[str, Any]]:
    """What is kept of the request with this id."""
    return keeping.of
