"""An application with the accounts domain only, and signed-in helpers."""

import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask, g
from flask.testing import FlaskClient

from app.core import ids
from app.core.config.settings import Settings
from app.core.http import Api, access, idempotency
from app.core.ids import Noun
from app.core.redis.limits import connect
from app.domains.account.accounts.routes import accounts, api_keys, tokens
from app.domains.account.accounts.sign_in import callers, login, throttle
from app.domains.account.accounts.sign_in.authentication import DEMO, Authenticator

EMAIL, PASSWORD = "ada@example.org", "correct horse battery"


@pytest.fixture(autouse=True)
def fresh_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "cache", callers.Cache())


@pytest.fixture
def no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two attempts to sign in, by the clock of Redis and by that of the process."""
    script = throttle._BEGIN.replace("redis.call('TIME')", f"{{'{int(time.time())}', '0'}}")
    assert script != throttle._BEGIN
    monkeypatch.setattr(throttle, "_BEGIN", script)
    monkeypatch.setattr(throttle, "time", SimpleNamespace(monotonic=lambda: 1_000.0))


@pytest.fixture
def settings(database: str, patient_redis_url: str) -> Settings:
    return Settings(
        database_url=database,
        redis_url=patient_redis_url,
        secret_key="x" * 32,
        demo_api_key="demo-demo",
    )


def build(settings: Settings) -> Flask:
    """The domain's blueprints over `settings`, as the web application mounts them."""
    app = Flask("accounts")
    app.config.update(API_TITLE="t", API_VERSION="v1", OPENAPI_VERSION="3.1.0", TESTING=False)
    redis = connect(settings.redis_url)
    app.extensions.update(
        login.extensions(settings, redis),
        settings=settings,
        redis=redis,
        idempotency_cipher=idempotency.cipher(settings),
        credit=lambda _reader, _account_id: [],
    )
    authenticate = Authenticator(settings)

    @app.before_request
    def begin() -> None:
        g.request_id = ids.public(Noun.REQUEST, ids.new())
        access.Doors(authenticate, authenticate, authenticate.session).check()

    def whoami() -> dict[str, Any]:
        found = access.caller()
        return {"account": str(found.account_id), "demo": found.account_id == DEMO}

    app.add_url_rule("/search", "search", access.scoped("search")(whoami))
    api = Api(app)
    for blueprint in (accounts, tokens, api_keys):
        api.register_blueprint(blueprint)
    return app


@pytest.fixture
def app(settings: Settings) -> Iterator[Flask]:
    app = build(settings)
    yield app
    app.extensions["redis"].close()


class Owner:
    """A signed-in account at a test client."""

    def __init__(self, client: FlaskClient, email: str = EMAIL) -> None:
        self.client, self.email = client, email
        self.tokens: dict[str, Any] = {}

    def sign_up(self) -> "Owner":
        body = {"email": self.email, "password": PASSWORD}
        assert self.client.post("/v1/accounts", json=body).status_code == 201
        return self

    def sign_in(self) -> "Owner":
        body = {"email": self.email, "password": PASSWORD}
        self.tokens = self.client.post("/v1/tokens", json=body).get_json()
        return self

    def call(self, method: str, path: str, **kwargs: Any) -> Any:
        headers = {**bearer(self.tokens["access_token"]), **kwargs.pop("headers", {})}
        return self.client.open(path, method=method, headers=headers, **kwargs)

    def new_key(self, **body: Any) -> dict[str, Any]:
        made = self.call("POST", "/v1/api-keys", json={"name": "ci", "scopes": ["search"], **body})
        assert made.status_code == 201, made.get_json()
        answer: dict[str, Any] = made.get_json()
        return answer


def bearer(credential: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {credential}"}


@pytest.fixture
def owner(client: FlaskClient) -> Owner:
    return Owner(client).sign_up().sign_in()


@pytest.fixture
def stranger(app: Flask) -> Owner:
    return Owner(app.test_client(), "eve@example.org").sign_up().sign_in()
