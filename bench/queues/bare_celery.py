"""Bare Celery: acknowledges late, no row, nothing it can go without."""

import os

from celery import Celery

from bench.queues import board

QUEUE = "bare"

app = Celery("bare", broker=os.environ.get("BENCH_REDIS_URL"))
app.conf.update(
    task_ignore_result=True,
    task_acks_late=True,
    task_default_queue=QUEUE,
    worker_prefetch_multiplier=1,
    worker_send_task_events=False,
    broker_connection_retry_on_startup=True,
)


@app.task(name="noop")
def noop(slot: int) -> None:
    board.mark(slot)
