"""Fixtures only. Servers start when the first test asks for them: unit tests start none."""

import gc
import io
import logging
import signal
import sys
from collections.abc import Iterator

import hypothesis
import psycopg
import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from pytest_socket import socket_allow_hosts

from app.core import db, log
from app.core.config.settings import Settings, provide
from app.core.db import Tx
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from tests import (
    parts,
    quick_applications,
    quick_tls,
    secrets_in_logs,
    servers,
    shared_applications,
)
from tests.databases import Databases
from tests.secrets_in_logs import no_credential_is_logged as no_credential_is_logged

_RECURSION_LIMIT = sys.getrecursionlimit()

gc.disable()  # what is collected now stays until the end: looking for garbage in it is in vain

# How long an example takes, or making one, says nothing on a busy machine.
hypothesis.settings.register_profile(
    "suite",
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    max_examples=40,
)
hypothesis.settings.load_profile("suite")
# The same examples each time: `make test` without it looks further with every run.
hypothesis.settings.register_profile(
    "ci", parent=hypothesis.settings.get_profile("ci"), max_examples=40
)

quick_applications.use()
quick_tls.use()
parts.use()
secrets_in_logs.watch()

# A model that happens to be installed changes no test, and no process that a test starts.
provide({"EMBEDDINGS_PACKAGED": "false"})


def pytest_collection_finish() -> None:
    """As processes have it, whoever started the tests: a shell's background ignores Ctrl-C, and
    what the tests of payments import raises the limit."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.setrecursionlimit(_RECURSION_LIMIT)
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def loopback_only() -> None:
    """No test connects beyond this machine; pytest-socket lifts the ban after each test."""
    socket_allow_hosts(["127.0.0.0/8", "::1", "localhost"], allow_unix_socket=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One real server for the session."""
    with servers.postgres() as server:
        yield server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Redis]:
    """One real server for the session."""
    with servers.redis() as server:
        yield server


@pytest.fixture
def log_lines() -> Iterator[io.StringIO]:
    """What is logged from INFO up, as it would be written."""
    stream, root = io.StringIO(), logging.getLogger()
    before, level = root.handlers[:], root.level
    log.configure("INFO", stream)
    yield stream
    root.handlers[:] = before
    root.setLevel(level)


@pytest.fixture
def empty_database(postgres: Postgres) -> Iterator[str]:
    """URL of a database without any table, thrown away afterwards."""
    with servers.database(postgres, migrated=False) as url:
        yield url


@pytest.fixture(scope="session")
def databases(postgres: Postgres) -> Iterator[Databases]:
    """Where migrated databases come from, one at a time."""
    lent = Databases(postgres)
    yield lent
    lent.close()


@pytest.fixture
def database(databases: Databases) -> Iterator[str]:
    """URL of this test's own migrated database, which `db.transaction()` uses as well."""
    with databases.lend() as url:
        yield url


@pytest.fixture
def tx(database: str) -> Iterator[Tx]:
    """A transaction that never commits."""
    with db.transaction() as tx:
        yield tx
        raise psycopg.Rollback


@pytest.fixture(scope="session")
def redis_client(redis_server: Redis) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_server.url()) as client:
        yield client


@pytest.fixture
def redis_url(redis_server: Redis, redis_client: redis.Redis) -> str:
    """URL of an empty Redis."""
    redis_client.flushall()
    return redis_server.url()


@pytest.fixture
def patient_redis_url(redis_url: str) -> str:
    """The same, which is waited for however long it takes."""
    return servers.patient_url(redis_url)


@pytest.fixture
def settings(database: str, redis_url: str) -> Settings:
    """Settings over this test's own database and an empty Redis."""
    return Settings(
        database_url=database,
        redis_url=redis_url,
        secret_key="x" * 32,
        embeddings_packaged=False,
        requests_kept_days=0,  # no thread writes beside a test that is about something else
    )


@pytest.fixture
def app(settings: Settings) -> Flask:
    return quick_applications.made(settings)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture(scope="module")
def site(databases: Databases, redis_server: Redis) -> Iterator[Flask]:
    """One application and database for all tests of a module, which have accounts of their own."""
    with shared_applications.made(databases, redis_server) as app:
        yield app
