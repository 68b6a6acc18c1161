"""Storage that is away, hung, slow or restarting is 503 within two seconds, never an empty list."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core import db
from app.core.config.settings import Settings
from app.core.db.connections import current_patience
from app.core.db.migrate import migrate
from app.domains.account.accounts.sign_in import callers
from app.local.embedded.postgres import Postgres
from tests import pace, servers
from tests.integration.providers.conftest import MODEL, PROFILE, Provider
from tests.servers import until
from tests.wire import Wire

ID = "01a1fd66-1550-7029-aa98-781e5419416d"
PUBLIC = [
    f"/public/provider-offers?model={MODEL}",
    f"/public/provider-offers/{ID}",
    "/public/providers/ada",
    "/public/providers/ada/avatar",
]
OWN = [
    ("GET", "/v1/provider-profile", None),
    ("PUT", "/v1/provider-profile", PROFILE),
    ("GET", "/v1/provider-profile/avatar", None),
    ("POST", "/v1/provider-profile/avatar", {"data_url": None}),
    ("GET", "/v1/provider-offers", None),
    ("PUT", f"/v1/provider-offers/{ID}", {"public_name": "a", "published": True}),
]


@pytest.fixture(autouse=True)
def fresh_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "cache", callers.Cache())


def through(wire: Wire, url: str) -> str:
    return f"postgresql://postgres@127.0.0.1:{wire.port}{urlsplit(url).path}"


def socket_of(url: str) -> Path:
    query = parse_qs(urlsplit(url).query)
    return Path(query["host"][0]) / f".s.PGSQL.{query['port'][0]}"


@pytest.fixture
def wire(database: str, settings: Settings) -> Iterator[Wire]:
    """Between the application and the database of this test."""
    with Wire(socket_of(database)) as wire:
        db.close()
        db.open(through(wire, database), statement_timeout_seconds=2.0)
        yield wire


@pytest.fixture
def ada(wire: Wire, client: FlaskClient, settings: Settings) -> Provider:
    provider = Provider(client, settings, "ada@example.org")
    provider.save_profile()
    provider.publish(provider.offer())
    return provider


def everything(ada: Provider) -> list[TestResponse]:
    """Each route's answer, all asked at once; the time it took is looked at on the way."""
    ask = ada.client.application.test_client
    headers = {"Authorization": f"Bearer {ada.token}"}
    calls = [partial(ask().get, path) for path in PUBLIC] + [
        partial(ask().open, path, method=method, json=body, headers=headers)
        for method, path, body in OWN
    ]
    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(in_time, calls))


def in_time(ask: Callable[[], TestResponse]) -> TestResponse:
    began = pace.seconds()
    answer = ask()
    assert pace.seconds() - began < 2.0
    return answer


def is_unavailable(answer: TestResponse) -> bool:
    assert answer.get_json()["error"]["code"] == "provider_profiles_unavailable"
    assert answer.headers["Retry-After"] == "2"
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.status_code == 503


def recovers(ada: Provider) -> None:
    until(lambda: all(ada.client.get(path).status_code == 200 for path in PUBLIC[::2]))
    until(lambda: ada.call("GET", "/v1/provider-offers").status_code == 200)


def test_away(ada: Provider, wire: Wire) -> None:
    wire.cut()
    assert all(is_unavailable(answer) for answer in everything(ada))
    wire.mend()
    recovers(ada)


def test_hung(ada: Provider, wire: Wire) -> None:
    wire.freeze()
    assert all(is_unavailable(answer) for answer in everything(ada))
    wire.thaw()
    recovers(ada)


def test_hung_for_many_at_once(ada: Provider, wire: Wire) -> None:
    wire.freeze()

    def ask(path: str) -> bool:
        client = ada.client.application.test_client()
        return is_unavailable(in_time(partial(client.get, path)))

    with ThreadPoolExecutor(16) as threads:
        assert all(threads.map(ask, PUBLIC * 4))


def test_slow(ada: Provider, wire: Wire, database: str) -> None:
    """Tables are locked, so every statement waits until it is given up."""
    done = threading.Event()
    locked = threading.Event()

    def lock() -> None:
        with db.connect(database) as connection, connection.transaction():
            connection.execute("set local idle_in_transaction_session_timeout = 0")
            connection.execute("lock provider_profiles, provider_offers in access exclusive mode")
            locked.set()
            done.wait()

    thread = threading.Thread(target=lock)
    thread.start()
    locked.wait()
    try:
        assert all(is_unavailable(answer) for answer in everything(ada))
    finally:
        done.set()
        thread.join()
    recovers(ada)


def test_disconnected(ada: Provider, database: str) -> None:
    """What a restart does to connections that are idle in the pool: nobody notices."""
    with db.connect(database, role=None) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )
    recovers(ada)


def test_restarted(settings: Settings) -> None:
    with servers.folder() as home:
        server = Postgres(home / "pg", log=home / "pg.log", durable=False).start()
        with Wire(socket_of(server.url())) as wire:
            try:
                migrate(server.url())
                db.close()
                db.open(through(wire, server.url()), statement_timeout_seconds=2.0)
                app = import_module("app.wsgi").create_app(
                    replace(settings, database_url=through(wire, server.url()))
                )
                ada = Provider(app.test_client(), settings, "ada@example.org")
                ada.save_profile()
                ada.publish(ada.offer())
                server.stop()
                assert all(is_unavailable(answer) for answer in everything(ada))
                server.start()
                wire.target = socket_of(server.url())
                recovers(ada)
            finally:
                server.stop()


def test_without_a_token_a_caller_is_told_so_first(ada: Provider, wire: Wire) -> None:
    wire.cut()
    for method, path, body in OWN:
        answer = ada.client.open(path, method=method, json=body)
        assert (answer.status_code, answer.get_json()["error"]["code"]) == (401, "auth_no_token")


def test_other_routes_keep_their_own_word(ada: Provider, wire: Wire) -> None:
    wire.cut()
    answer = ada.call("GET", "/v1/account")
    assert answer.get_json()["error"]["code"] == "storage_unavailable"


def test_only_waiting_for_the_database_is_counted(ada: Provider) -> None:
    """A large picture takes its time between two statements."""
    with db.within(60.0):
        patience = current_patience.get()
        threading.Event().wait(0.1)
        assert patience is not None
        assert patience.left == 60.0
        with db.reading() as reader:
            assert db.value(reader, "select 1") == 1
        assert patience.left < 60.0


def test_patience_ends_with_the_block(ada: Provider) -> None:
    with db.within(0.0), pytest.raises(psycopg.OperationalError), db.reading() as reader:
        db.value(reader, "select pg_sleep(0.2)")
    with db.reading() as reader:
        assert db.value(reader, "select 1 from pg_sleep(0.2)") == 1
