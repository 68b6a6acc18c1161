"""Where the processor time of one POST /external/v1/search goes, step by step.

In one process and one thread, without a web server: the application is called as a server calls
it, beside the bare handler of bench.submit. Processor time of this process only; what Postgres and
Redis spend comes on top. Steps are shares of a profile, scaled to the time taken without one.
"""

import cProfile
import io
import json
import os
import pstats
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from statistics import median
from typing import Any

import psycopg

from app.core import db, log
from app.core.config.settings import Settings
from app.wsgi import create_app
from bench import figures
from bench.bare_submit import serve as serve_bare
from bench.submit import BODY, SECRET, key
from tests import servers

PATH = "/external/v1/search"
# Function and file of each step; a step inside another is taken off it.
STEPS: Mapping[str, tuple[str, str]] = {
    "count against the rate limit (Redis)": ("check", "app/core/redis/limits.py"),
    "find the caller, check the host": ("check", "app/core/http/access.py"),
    "read and validate the body": ("parse", "webargs/core.py"),
    "transaction: job and search (Postgres)": ("once", "app/core/http/idempotency.py"),
    "headers, metrics, the log's line": ("end", "app/wsgi.py"),
    "shape and write the answer": ("dump", "marshmallow/schema.py"),
}


def main() -> None:
    asked = figures.arguments(__doc__, rounds=7)
    calls, rounds = (200, 3) if asked.quick else (1_000, asked.rounds)
    with (
        servers.postgres() as postgres,
        servers.redis() as redis,
        servers.database(postgres) as url,
        servers.database(postgres, migrated=False) as bare_url,
    ):
        report(*measure(url, bare_url, redis.url(), calls, rounds))


def measure(
    url: str, bare_url: str, redis_url: str, calls: int, rounds: int
) -> tuple[float, float, dict[str, float]]:
    """Microseconds of a bare call and of ours, and of each of our steps."""
    with psycopg.connect(bare_url, autocommit=True) as connection:
        connection.execute("create table asked (id uuid primary key, body jsonb not null)")
    os.environ["DATABASE_URL"] = bare_url
    bare = serve_bare()
    secret = {"HTTP_X_API_KEY": key(url)}
    log.configure(stream=open(os.devnull, "w"))  # noqa: SIM115 (until the end)
    db.open(url)
    ours = create_app(settings(url, redis_url))
    spent: dict[str, list[float]] = {"bare": [], "ours": []}
    for _ in range(rounds):
        spent["bare"].append(timed(lambda: call(bare, "/search", {}), calls))
        spent["ours"].append(timed(lambda: call(ours, PATH, secret), calls))
    total = median(spent["ours"])
    return median(spent["bare"]), total, steps(lambda: call(ours, PATH, secret), calls, total)


def settings(url: str, redis_url: str) -> Settings:
    """Limits out of reach."""
    plain = Settings(database_url=url, redis_url=redis_url, secret_key=SECRET)
    return replace(
        plain,
        rate_limit_write="900000/second",
        queue_limit=1_000_000,
        account_queue_limit=1_000_000,
        search_deadline_seconds=1e6,
    )


def timed(act: Callable[[], None], calls: int) -> float:
    """Microseconds of this process's processor time for one call."""
    began = time.process_time()
    for _ in range(calls):
        act()
    return (time.process_time() - began) / calls * 1e6


def call(app: Any, path: str, headers: Mapping[str, str]) -> None:
    body, status = json.dumps(BODY).encode(), []
    environ = {
        "REQUEST_METHOD": "POST", "PATH_INFO": path, "SCRIPT_NAME": "", "QUERY_STRING": "",
        "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "80", "HTTP_HOST": "127.0.0.1",
        "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(body), "wsgi.errors": sys.stderr,
        "wsgi.multithread": True, "wsgi.multiprocess": True, "wsgi.run_once": False,
        "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body)), **headers,
    }  # fmt: skip
    answer = app(environ, lambda line, _headers, _error=None: status.append(line))
    for _ in answer:
        pass
    answer.close()
    if not status[0].startswith("202"):
        raise RuntimeError(status[0])


def steps(act: Callable[[], None], calls: int, total: float) -> dict[str, float]:
    profile = cProfile.Profile(time.process_time)
    profile.enable()
    timed(act, calls)
    profile.disable()
    stats: Any = pstats.Stats(profile)
    of = {
        step: total * cumulative / stats.total_tt
        for step, (name, file) in STEPS.items()
        for (path, _, function), (_, _, _, cumulative, _) in stats.stats.items()
        if function == name and path.endswith(file)
    }
    return {**of, "Flask, Werkzeug, flask-smorest, the rest": total - sum(of.values())}


def report(bare: float, ours: float, of: dict[str, float]) -> None:
    rows = [(step, us, us / ours) for step, us in of.items()]
    figures.table(("step of a submit", "us", "share"), [*rows, ("in all", ours, 1.0)])
    aim = figures.compared("CPU of a submit", [ours], "a bare handler", [bare], "us", "<=", 5.0)
    figures.conclude("submit_steps", [aim], steps_us=of)


if __name__ == "__main__":
    main()
