"""The findings of `doctor` on Postgres: the rights of the roles, connections, and the books."""

from collections.abc import Iterator

import redis

from app.core.amounts import counted
from app.core.config.settings import Settings
from app.core.db import Reader, rights
from app.core.db.migrate import FOLDER
from app.core.redis import refused_rights
from app.domains.money.ledger import audit, audit_store
from app.domains.queue.jobs.operations.queues import connections
from app.local.doctor.findings import Finding

MOST_NAMED = 5
MIGRATE = "citegrid-server migrate"
WEB_PROCESSES = 2  # as deploy/gunicorn.conf.py starts them
CONNECTIONS = (
    "Raise max_connections in Postgres, or lower DATABASE_POOL_SIZE or -c of the workers."
    " See docs/explanation/capacity.md, Connections."
)
BOOKS = "See docs/explanation/money.md."


def examine_rights(reader: Reader, settings: Settings) -> Finding:
    """Compares what the roles may do with what `rights.toml` states."""
    lacking = rights.lacking(reader, FOLDER, settings.database_role)
    if not lacking:
        return Finding("ok", "The roles have all rights that the service needs")
    more = f" and {len(lacking) - MOST_NAMED} more" if len(lacking) > MOST_NAMED else ""
    return Finding(
        "fail",
        f"Rights are missing: {', '.join(lacking[:MOST_NAMED])}{more}",
        MIGRATE,
    )


def examine_refused(client: "redis.Redis") -> Iterator[Finding]:
    """One finding for each right that the database refused a process. Raises RedisError."""
    for refusal, times in refused_rights.counted(client).items():
        yield Finding(
            "fail",
            f"Refused {counted(times, 'time')} in the last days: {refusal}",
            f"{MIGRATE}; where no right is missing, report a fault of this version.",
        )


def examine_connections(reader: Reader, settings: Settings) -> Finding:
    """Checks that two web processes find connections beside workers and dispatchers."""
    budget, pool = connections.budget(reader), settings.database_pool_size
    if (shortage := budget.shortage(WEB_PROCESSES * pool)) is not None:
        return Finding("warn", shortage, CONNECTIONS)
    return Finding(
        "ok",
        f"Postgres allows {budget.allowed} connections: {budget.later} for workers and dispatchers,"
        f" {budget.left} left for {budget.left // pool} web processes",
    )


def examine_ledger(reader: Reader) -> Iterator[Finding]:
    """One finding, or one for each rule that does not hold."""
    violated = audit.broken(reader)
    if not violated:
        yield Finding("ok", f"The ledger balances (transfers: {audit_store.transfers(reader)})")
    for rule, rows in violated.items():
        yield Finding("fail", f"Ledger: {rows} {rule}", BOOKS)
