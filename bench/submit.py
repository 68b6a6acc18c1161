"""POST /external/v1/search against a bare Flask handler with one INSERT, on the same servers.

Both under gunicorn with two workers of eight threads and a psycopg pool, in turns, with the same
16 connections. The product authenticates a key, limits, validates, checks the queues, and commits a
job and a search durably. Its rate limits are set out of reach.
"""

import json
import socket
import time
from collections import defaultdict
from http.client import HTTPConnection
from statistics import median
from typing import Any

import psycopg

from app.core import db
from app.core.config.settings import Settings
from app.domains.account.accounts.service import create_account, create_key
from app.domains.account.accounts.sign_in.credentials import Pepper
from bench import figures
from bench.load import Load, post
from bench.machine import BIN, Machine, machine

BODY = {
    "query": "How does a durable queue survive a restart?",
    "max_sources": 8,
    "include_domains": ["a.example", "b.example"],
    "freshness": "7d",
}
CONNECTIONS = 16
SECRET = "x" * 32
BARE, OURS = "bare Flask + one INSERT", "POST /external/v1/search"


def main() -> None:
    asked = figures.arguments(__doc__, rounds=7)
    rounds, seconds = (1, 1.0) if asked.quick else (asked.rounds, 4.0)
    with machine(asked.folder) as servers:
        measured = measure(servers, rounds, seconds)
        disk = figures.fdatasync_us(servers.home)
    report(measured, disk, {"rounds": rounds, "seconds": seconds, "connections": CONNECTIONS})


def measure(servers: Machine, rounds: int, seconds: float) -> dict[str, list[Load]]:
    bare_url, our_url = servers.database("bare", migrated=False), servers.database("product")
    with psycopg.connect(bare_url, autocommit=True) as connection:
        connection.execute("create table asked (id uuid primary key, body jsonb not null)")
    bare = serve(servers, "bench.bare_submit:serve()", DATABASE_URL=bare_url)
    ours = serve(servers, "app.wsgi:serve()", **settings(servers, our_url))
    headers = {"Content-Type": "application/json", "X-API-Key": key(our_url)}
    routes = {
        BARE: (bare, "/search", bare_url, "truncate asked"),
        OURS: (ours, "/external/v1/search", our_url, "truncate jobs, searches cascade"),
    }
    body = json.dumps(BODY).encode()
    found: dict[str, list[Load]] = defaultdict(list)
    for turn in range(-1, rounds):
        for name, (port, path, url, empty) in routes.items():
            length = seconds if turn >= 0 else 1.0
            try:
                load = post(port, path, body, headers, connections=CONNECTIONS, seconds=length)
            except RuntimeError as refused:
                raise servers.complain(f"{name} {refused}") from refused
            if turn >= 0:  # the one before was to warm up
                found[name].append(load)
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(empty)
    return found


def serve(servers: Machine, application: str, **environment: str) -> int:
    """Start gunicorn and return its port once it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    servers.start(
        BIN / "gunicorn", "--bind", f"127.0.0.1:{port}", "--workers", "2", "--threads", "8",
        "--worker-class", "gthread", "--keep-alive", "30", "--log-level", "warning",
        "--no-control-socket", application,
        **environment,
    )  # fmt: skip
    until = time.monotonic() + 60
    while True:
        try:  # whatever it answers, its workers have started
            asking = HTTPConnection("127.0.0.1", port, timeout=60)
            asking.request("GET", "/")
            asking.getresponse().read()
        except OSError:
            if time.monotonic() > until:
                raise servers.complain(f"{application} does not answer") from None
            time.sleep(0.05)
        else:
            return port


def key(url: str) -> str:
    """The secret of an API key of a new account."""
    with db.connect(url) as connection, connection.transaction():
        tx: Any = connection
        account = create_account(tx, "bench@example.org", "a long pass phrase")
        pepper = Pepper.of(Settings(database_url=url, redis_url="", secret_key=SECRET))
        made = create_key(tx, account.id, "bench", ["search"], pepper=pepper)
    return made.secret


def settings(servers: Machine, url: str) -> dict[str, str]:
    metrics = servers.home / "metrics"
    metrics.mkdir()
    return {
        "DATABASE_URL": url,
        "REDIS_URL": servers.redis.url(),
        "SECRET_KEY": SECRET,
        "PROMETHEUS_MULTIPROC_DIR": str(metrics),
        "RATE_LIMIT_WRITE": "900000/second",
        "QUEUE_LIMIT": "1000000",
        "ACCOUNT_QUEUE_LIMIT": "1000000",
        "SEARCH_DEADLINE_SECONDS": "1000000",  # nobody works here
    }


def report(measured: dict[str, list[Load]], disk: float, facts: dict[str, float]) -> None:
    speeds = {name: [load.per_second for load in loads] for name, loads in measured.items()}
    print(f"{facts}, one fdatasync takes {disk:.0f} us here\n")
    figures.table(
        ("handler", "req/s", "x bare", "p50 ms", "p99 ms"),
        [
            (
                name,
                median(speeds[name]),
                figures.paired(speeds[name], speeds[BARE]),
                *(
                    median(figures.percentile(load.seconds, share) * 1e3 for load in loads)
                    for share in (0.5, 0.99)
                ),
            )
            for name, loads in measured.items()
        ],
    )
    figures.conclude(
        "submit",
        [figures.compared(OURS, speeds[OURS], BARE, speeds[BARE], "requests/s", ">=", 0.65)],
        fdatasync_us=disk,
        per_second=speeds,
        **facts,
    )


if __name__ == "__main__":
    main()
