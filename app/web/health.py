"""/healthz, /readyz, /metrics: what an operator's machinery asks."""

import psycopg
import redis
from flask import Blueprint, Response, current_app, request

from app.core import db, metrics
from app.core.errors import NotFound
from app.core.http import current_settings, public
from app.core.http.hosts import from_loopback
from app.domains.queue.jobs import dispatch_store
from app.web import queue_metrics

bp = Blueprint("health", __name__)
UNLIMITED = frozenset({"health.live", "health.ready", "health.scrape"})
OF_ANY_NAME = frozenset({"health.live", "health.ready"})
"""Probes ask an address of this machine, which nobody lists; what they are told is no secret."""
LOCAL = "health.scrape"
"""Answers to this machine only, so not to pages of other origins that its browser shows either."""


@bp.get("/healthz")
@public
def live() -> dict[str, str]:
    """The process answers. Touches nothing else."""
    return {"status": "ok"}


@bp.get("/readyz")
@public
def ready() -> tuple[dict[str, str], int]:
    """Readiness for requests: Postgres must answer; Redis and dispatchers are reported."""
    try:
        with db.reading() as reader:
            dispatchers = "ok" if dispatch_store.alive(reader) else "none"
            database = "ok"
    except psycopg.OperationalError:
        database, dispatchers = "away", "unknown"
    try:
        current_app.extensions["redis"].ping()
        broker = "ok"
    except redis.RedisError:
        broker = "away"
    found = {"database": database, "redis": broker, "dispatchers": dispatchers}
    is_ready = database == "ok"
    return {"status": "ready" if is_ready else "unready", **found}, 200 if is_ready else 503


@bp.get("/metrics")
@public
def scrape() -> Response:
    """Prometheus metrics, to this machine only."""
    if not from_loopback(request):
        raise NotFound
    target_seconds = current_settings().queue_target_seconds
    exposition = metrics.exposition(queue_metrics.current(target_seconds))
    return Response(exposition, content_type=metrics.CONTENT_TYPE)
