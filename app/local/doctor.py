"""`citegrid-server doctor`: what works, what does not, and what to do about it."""

import platform
import sys
from collections.abc import Iterator

import psycopg
import redis
from celery import Celery
from redis.backoff import NoBackoff
from redis.retry import Retry

from app.core import db
from app.core.config import BadConfiguration, Settings
from app.core.migrate import MigrationChanged, pending
from app.domains.jobs import dispatching
from app.domains.passages import service as passages
from app.engine.semantic.choosing import choose
from app.engine.semantic.embedder import Embedder
from app.local import (
    embeddings_doctor,
    exposure_doctor,
    index_doctor,
    payments_doctor,
    reranker_doctor,
)
from app.local.findings import Finding as Finding
from app.local.redis_program import LEAST_VERSION as LEAST_REDIS_VERSION
from app.local.state import DataFolder, settings

LEAST_PYTHON = (3, 11)
LEAST_POSTGRES = 150_000  # as `server_version_num` counts


def examine(folder: DataFolder) -> Iterator[Finding]:
    """One finding after the other; those that need what is missing are left out."""
    yield _python()
    try:
        configuration = settings(folder)
    except BadConfiguration as error:
        yield Finding(
            "fail", str(error), "Set the variables, or start a local run: citegrid-server up"
        )
        return
    yield Finding("ok", "Settings are complete")
    yield from exposure_doctor.examine(configuration)
    embeddings = choose(configuration)
    yield embeddings_doctor.examine(configuration, embeddings)
    yield from reranker_doctor.examine(configuration)
    yield from _database(configuration, embeddings.embedder)
    yield from _redis(configuration)
    yield from payments_doctor.examine(configuration)


def _python() -> Finding:
    version = platform.python_version()
    if sys.version_info >= LEAST_PYTHON:
        return Finding("ok", f"Python {version}")
    return Finding("fail", f"Python {version}", "Python 3.11 or newer is needed.")


def _database(settings: Settings, embedder: Embedder | None) -> Iterator[Finding]:
    try:
        with db.connect(settings.database_url) as connection:
            version = connection.info.server_version
        missing = pending(settings.database_url)
    except MigrationChanged as error:
        yield Finding("fail", str(error), "Use the code that this database was migrated with.")
        return
    except psycopg.Error as error:
        yield Finding(
            "fail", f"Postgres does not answer: {db.summary(error)}", "Check DATABASE_URL."
        )
        return
    name = f"Postgres {version // 10_000}.{version % 10_000}"
    if version < LEAST_POSTGRES:
        yield Finding("fail", name, "Postgres 15 or newer is needed.")
        return
    yield Finding("ok", name)
    if missing:
        yield Finding("fail", f"{len(missing)} migrations are missing", "citegrid-server migrate")
        return
    yield Finding("ok", "The database has all migrations")
    db.open(settings.database_url, size=2)
    try:
        with db.reading() as reader:
            yield _dispatchers(reader)
            yield _index(reader)
            yield from embeddings_doctor.examine_index(reader, embedder)
        yield from index_doctor.examine(settings)
    finally:
        db.close()


def _dispatchers(reader: db.Reader) -> Finding:
    alive = dispatching.alive(reader)
    if alive:
        return Finding("ok", f"{len(alive)} dispatcher(s) at work")
    return Finding(
        "fail", "No dispatcher was heard of lately", "Start one: python -m workers.queue.dispatcher"
    )


def _index(reader: db.Reader) -> Finding:
    if passages.rebuild_due(reader):
        return Finding(
            "warn",
            "The index was made by another version's reading of words",
            "Rebuild it while searches go on: citegrid-server index rebuild",
        )
    return Finding("ok", "The index is of this version")


def _redis(settings: Settings) -> Iterator[Finding]:
    try:
        once = Retry(NoBackoff(), 0)
        with redis.Redis.from_url(settings.redis_url, socket_timeout=3, retry=once) as client:
            version = str(client.info("server")["redis_version"])
            policy = client.info("memory").get("maxmemory_policy", "noeviction")
    except redis.RedisError as error:
        yield Finding("fail", f"Redis does not answer: {type(error).__name__}", "Check REDIS_URL.")
        return
    if tuple(int(part) for part in version.split(".")[:2]) < LEAST_REDIS_VERSION:
        yield Finding("fail", f"Redis {version}", "Redis 6.2 or newer, or Valkey, is needed.")
        return
    yield Finding("ok", f"Redis {version}")
    if policy != "noeviction":
        yield Finding(
            "warn", f"Redis may drop keys ({policy})", "Set its maxmemory-policy to noeviction."
        )
    yield _workers(settings)


def _workers(settings: Settings) -> Finding:
    with Celery(broker=settings.redis_url) as celery:
        answers = celery.control.ping(timeout=1.0)
    if answers:
        return Finding("ok", f"{len(answers)} worker(s) answer")
    return Finding(
        "fail", "No worker answers", "Start one as the Procfile does, or look into its log."
    )
