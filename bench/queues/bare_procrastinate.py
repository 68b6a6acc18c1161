"""Procrastinate: jobs in Postgres, without Redis and Celery."""

import os

import procrastinate

from bench.queues import board

app = procrastinate.App(
    connector=procrastinate.PsycopgConnector(
        conninfo=os.environ.get("BENCH_PROCRASTINATE_URL", "")
    ),
    import_paths=["bench.queues.bare_procrastinate"],
)


@app.task(name="noop")
async def noop(slot: int) -> None:
    board.mark(slot)
