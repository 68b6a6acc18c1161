"""`citegrid-server doctor`: what works, what does not, and what to do about it."""

import platform
import sys
from collections.abc import Iterator, Sequence

import psycopg
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from app import wiring
from app.core import db
from app.core.config.settings import BadConfiguration, Settings
from app.core.db import roles
from app.core.db.migrate import MigrationChanged, pending
from app.core.redis import clients
from app.domains.account.accounts.sign_in import peppers
from app.domains.library.passages import rebuild
from app.domains.own_data.personal_data.secret_rotation import of_former_key
from app.domains.own_data.personal_data.service import vault_of
from app.domains.providers.nodes import store
from app.domains.queue.jobs import dispatch_store
from app.domains.queue.jobs.operations import worker_store, workers
from app.domains.queue.webhooks import secret_rotation
from app.domains.queue.webhooks.terms import DeliveryTerms
from app.engine.sandbox import unconfined
from app.engine.semantic.embedder import Embedder
from app.engine.semantic.embedder_choice import choose
from app.local.doctor import database, exposure, index, models, payments
from app.local.doctor.findings import Finding
from app.local.embedded.redis_program import LEAST_REDIS_VERSION
from app.local.embedded.state import DataFolder, settings
from app.web.frame import vendor

LEAST_PYTHON = (3, 11)
LEAST_POSTGRES = 150_000  # as `server_version_num` counts
SANDBOX = (
    "See docs/explanation/security.md, Reading. Set CONFINEMENT_REQUIRED=true to block reading."
)


def examine(folder: DataFolder) -> Iterator[Finding]:
    """One finding after the other; those that need what is missing are left out."""
    wiring.connect()
    yield _python()
    try:
        configuration = settings(folder)
    except BadConfiguration as error:
        yield Finding(
            "fail", str(error), "Set the variables, or start a local run with: citegrid-server up"
        )
        return
    yield Finding("ok", "Settings complete")
    yield from exposure.examine(configuration)
    yield examine_scripts()
    yield examine_sandbox(configuration)
    embeddings = choose(configuration)
    yield models.examine_embeddings(configuration, embeddings)
    yield from models.examine_reranker(configuration)
    yield from _database(configuration, embeddings.embedders)
    yield from _redis(configuration)
    yield from payments.examine(configuration)


def _python() -> Finding:
    version = platform.python_version()
    if sys.version_info >= LEAST_PYTHON:
        return Finding("ok", f"Python {version}")
    return Finding("fail", f"Python {version}", "Install Python 3.11 or newer.")


def examine_scripts() -> Finding:
    """Pages work without them, less comfortably."""
    if vendor.addresses():
        return Finding("ok", "Scripts for the dashboard are installed")
    return Finding("warn", "The dashboard has no scripts, so pages do not refresh", "make assets")


def examine_sandbox(settings: Settings) -> Finding:
    """As a worker of this machine would start it."""
    missing = unconfined.missing()
    if not missing:
        return Finding("ok", "Sandbox: all isolation layers are active")
    verdict = "fail" if settings.confinement_required else "warn"
    what = f"Sandbox: untrusted documents are read without {', '.join(missing)}"
    return Finding(verdict, what, SANDBOX)


def _database(settings: Settings, embedders: Sequence[Embedder]) -> Iterator[Finding]:
    try:
        with db.connect(settings.session_url, role=None) as connection:
            version = connection.info.server_version
        missing = pending(settings.session_url)
    except MigrationChanged as error:
        yield Finding("fail", str(error), "Use the release that migrated this database.")
        return
    except psycopg.Error as error:
        yield Finding(
            "fail", f"Postgres is unavailable: {db.summary(error)}", "Check DATABASE_URL."
        )
        return
    name = f"Postgres {version // 10_000}.{version % 10_000}"
    if version < LEAST_POSTGRES:
        yield Finding("fail", name, "Install Postgres 15 or newer.")
        return
    yield Finding("ok", name)
    if missing:
        yield Finding("fail", f"Pending migrations: {len(missing)}", "citegrid-server migrate")
        return
    yield Finding("ok", "Database migrations are up to date")
    try:
        yield _role(settings)
    except BadConfiguration as error:
        yield Finding("fail", str(error), "docs/how-to/run-on-real-servers.md, Postgres.")
        return
    db.open(settings.session_url, role=roles.operators(settings.database_role), size=2)
    try:
        with db.reading() as reader:
            yield database.examine_rights(reader, settings)
            yield _dispatchers(reader)
            yield _workers(reader)
            yield from _secrets(reader, settings)
            yield database.examine_connections(reader, settings)
            yield _index(reader)
            yield from _nodes(reader)
            yield from models.examine_vectors(reader, embedders)
            yield from database.examine_ledger(reader)
        yield from index.examine(settings)
    finally:
        db.close()


def _role(settings: Settings) -> Finding:
    """Raises UnsafeRole."""
    base = settings.database_role
    db.require_role(settings.session_url, roles.operators(base))
    parts = (roles.api(base), roles.workers(base))
    taken = [db.require_role(settings.session_url, part) for part in parts]
    if base in taken:
        missing = ", ".join(names[0] for names in parts)
        return Finding(
            "warn",
            f"The API and the workers work as {base}, which has the rights of both",
            f"Create the roles {missing}. See docs/how-to/run-on-real-servers.md, Postgres.",
        )
    return Finding(
        "ok", f"The service uses the roles {' and '.join(map(str, taken))}, which own no tables"
    )


def _secrets(reader: db.Reader, settings: Settings) -> Iterator[Finding]:
    if not settings.secret_key_previous:
        return
    hooks = secret_rotation.of_former_key(reader, DeliveryTerms.of(settings).vault)
    exports = of_former_key(reader, vault_of(settings))
    if hooks or exports or not peppers.have_moved(reader, settings):
        yield Finding(
            "warn",
            "SECRET_KEY_PREVIOUS is needed: keys, tokens, memory,"
            f" {hooks} webhooks, {exports} exports depend on it",
            "citegrid-server rotate-keys; docs/how-to/rotate-keys.md",
        )
        return
    hint = "Remove it a day after rotate-keys; docs/how-to/rotate-keys.md"
    yield Finding("ok", f"No stored secret needs SECRET_KEY_PREVIOUS ({hint})")


def _dispatchers(reader: db.Reader) -> Finding:
    alive = dispatch_store.alive(reader)
    if alive:
        return Finding("ok", f"Active dispatchers: {len(alive)}")
    return Finding("fail", "No active dispatcher", "Start one: python -m workers.queue.dispatcher")


def _workers(reader: db.Reader) -> Finding:
    """Counts no drained ones: they take no jobs."""
    statuses = [workers.status_of(worker) for worker in worker_store.every(reader)]
    active = statuses.count("running") + statuses.count("idle")
    if active:
        return Finding("ok", f"Active workers: {active}")
    return Finding("fail", "No active workers", "Start one as in the Procfile, or check its log.")


def _index(reader: db.Reader) -> Finding:
    if rebuild.due(reader):
        return Finding(
            "warn",
            "The index was built by a version with different text analysis",
            "Rebuild it (searches keep working): citegrid-server index rebuild",
        )
    return Finding("ok", "The index is up to date")


def _nodes(reader: db.Reader) -> Iterator[Finding]:
    if waiting := store.awaiting_approval(reader):
        yield Finding(
            "warn",
            f"Nodes waiting for approval: {waiting}",
            "citegrid-server nodes list --waiting, then nodes approve",
        )


def _redis(settings: Settings) -> Iterator[Finding]:
    try:
        once = Retry(NoBackoff(), 0)
        with clients.client(settings.redis_url, socket_timeout=3, retry=once) as client:
            version = str(client.info("server")["redis_version"])
            policy = client.info("memory").get("maxmemory_policy", "noeviction")
            refused = list(database.examine_refused(client))
    except redis.RedisError as error:
        yield Finding("fail", f"Redis is unavailable: {type(error).__name__}", "Check REDIS_URL.")
        return
    if tuple(int(part) for part in version.split(".")[:2]) < LEAST_REDIS_VERSION:
        yield Finding("fail", f"Redis {version}", "Install Redis 6.2 or newer, or Valkey.")
        return
    yield Finding("ok", f"Redis {version}")
    if policy != "noeviction":
        yield Finding(
            "warn", f"Redis may drop keys ({policy})", "Set maxmemory-policy to noeviction."
        )
    yield from refused
