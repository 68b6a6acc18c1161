"""The findings of `doctor` on connections to Postgres."""

from app.core.config.settings import Settings
from app.core.db import Reader
from app.domains.queue.jobs.operations.queues import connections
from app.local.doctor.findings import Finding

WEB_PROCESSES = 2  # as deploy/gunicorn.conf.py starts them
HINT = (
    "Raise max_connections in Postgres, or lower DATABASE_POOL_SIZE or -c of the workers."
    " See docs/explanation/capacity.md, Connections."
)


def examine(reader: Reader, settings: Settings) -> Finding:
    """Checks that two web processes find connections beside workers and dispatchers."""
    budget, pool = connections.budget(reader), settings.database_pool_size
    if (shortage := budget.shortage(WEB_PROCESSES * pool)) is not None:
        return Finding("warn", shortage, HINT)
    return Finding(
        "ok",
        f"Postgres allows {budget.allowed} connections: {budget.later} for workers and dispatchers,"
        f" {budget.left} left for {budget.left // pool} web processes",
    )
