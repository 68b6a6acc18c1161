"""How fast retention catches up: rows past their time, deleted a second by one job after another.

A search with eight sources whose snapshots nobody else cites is eighteen rows: itself, its job, its
sources and, once they are released, the snapshots. The baseline is what one search a second makes.
"""

import time
from typing import Any

from app.core import db, log
from app.core.config.settings import Settings
from app.core.redis import events
from app.domains.own_data.personal_data import service as personal_data
from app.domains.queue.jobs import service as jobs
from bench import figures
from bench.figures import Aim
from bench.machine import machine
from tests import wired
from workers.queue.runner import Runner

SOURCES = 8
NEEDED_PER_SECOND = 1_000.0

SEARCHES = """
    create temporary table made on commit drop as
        select n, uuidv7(interval '-40 days') as id from generate_series(1, %(searches)s) as n;
    create temporary table read on commit drop as
        select n, uuidv7() as id from generate_series(0, %(searches)s::int * %(sources)s - 1) as n;
    insert into searches (id, account_id, query, options, expires_at, result)
        select id, id, 'q', '{}', now() - interval '1 hour',
               jsonb_build_object('answer', repeat('An answer. ', 200)) from made;
    insert into jobs (id, account_id, queue, kind, state, max_attempts, deadline_at)
        select id, id, 'searches', 'searches.answer', 'succeeded', 4, now() from made;
    insert into snapshots (id, url, text, content_hash, fetched_at)
        select id, id, repeat('Some text. ', 300), 'h', now() from read;
    insert into search_sources (search_id, n, snapshot_id)
        select made.id, read.n %% %(sources)s, read.id
        from read join made on made.n = read.n / %(sources)s + 1
    """
# Those who are about to cite a passage have had their hour.
LATER = (
    "update snapshots set released_at = now() - interval '2 hours' where released_at is not null"
)


def main() -> None:
    asked = figures.arguments(__doc__, rounds=3)
    log.configure("WARNING")
    wired.use()
    searches, rounds = (500, 1) if asked.quick else (10_000, asked.rounds)
    with machine(asked.folder) as servers:
        settings = Settings(
            database_url=servers.database("retention"),
            redis_url=servers.redis.url(),
            secret_key="x" * 32,
        )
        db.open(settings.database_url, forgetful=2)
        runner = Runner(settings, "bench:1:1", events.Publisher(events.connect(settings.redis_url)))
        measured = [turn(runner, searches) for _ in range(rounds)]
        db.close()
    per_second = [rows / seconds for rows, seconds, _ in measured]
    per_cpu_second = [rows / cpu for rows, _, cpu in measured]
    figures.table(
        ["round", "rows", "rows/s", "rows/s of our CPU"],
        [
            (str(n), rows, per_second[n], per_cpu_second[n])
            for n, (rows, _, _) in enumerate(measured)
        ],
    )
    slowest = min(per_second)
    aim = Aim(
        "rows deleted, slowest round",
        slowest / NEEDED_PER_SECOND,
        ">=",
        1.0,
        "what is needed",
        slowest,
        NEEDED_PER_SECOND,
        "rows/s",
    )
    figures.conclude("retention", [aim], rows_per_second=per_second, searches=searches)


def turn(runner: Runner, searches: int) -> tuple[int, float, float]:
    """Rows deleted, and the seconds and the CPU of this process that it took."""
    with db.transaction() as tx:
        for statement in SEARCHES.split(";"):
            tx.execute(statement, {"searches": searches, "sources": SOURCES})
    before, began, cpu = count(), time.perf_counter(), time.process_time()
    work(runner)
    paused = time.perf_counter()
    with db.transaction() as tx:
        tx.execute(LATER)
    began += time.perf_counter() - paused
    work(runner)
    return before - count(), time.perf_counter() - began, time.process_time() - cpu


def work(runner: Runner) -> None:
    """The jobs of one tick, up to the one that promises no other."""
    with db.transaction() as tx:
        waiting: Any = jobs.enqueue(tx, personal_data.RETENTION, jobs.OPERATOR, {})
    while waiting is not None:
        runner.run([waiting])
        with db.reading() as reader:
            waiting = db.value(reader, "select id from jobs where state = 'queued'")


def count() -> int:
    with db.reading() as reader:
        return int(
            db.value(
                reader,
                "select (select count(*) from searches) + (select count(*) from search_sources)"
                " + (select count(*) from snapshots)"
                " + (select count(*) from jobs where kind = 'searches.answer')",
            )
        )


if __name__ == "__main__":
    main()
