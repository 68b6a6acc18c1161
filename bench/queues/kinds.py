"""Two kinds of the product that do nothing; done is when the finishing transaction committed."""

from app.core.db import Tx
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs import service as jobs
from bench.queues import board
from workers.queue.attempt import Attempt, handles

QUEUE = "bench"
ORDINARY = kinds.register("bench.ordinary", queue=QUEUE, deadline_seconds=600)
SHORT = kinds.register("bench.short", queue=QUEUE, deadline_seconds=600, ids_per_message=16)


def work(attempt: Attempt) -> jobs.Finish:
    slot = attempt.payload["slot"]
    return lambda tx: finish(tx, slot)


def finish(tx: Tx, slot: int) -> None:
    tx.after_commit.append(lambda: board.mark(slot))


for kind in (ORDINARY, SHORT):
    handles(kind)(work)
