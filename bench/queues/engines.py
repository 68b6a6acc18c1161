"""What is compared: how each engine is started and given jobs. All stay warm for the whole run."""

from typing import Protocol

import procrastinate
import redis

from app.core import db, ids
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.kinds import Kind
from bench.machine import BIN, Machine
from bench.queues import bare_celery, board
from bench.queues.kinds import QUEUE

LEAN = ("--loglevel", "WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat")
CELERY_DATABASE = 1


class Engine(Protocol):
    name: str

    def submit(self, slot: int) -> None:
        """One job, as an API would."""

    def submit_all(self, slots: range) -> None:
        """Many jobs that workers see in one moment, so that submitting does not slow them."""


class BareCelery:
    name = "Celery acks_late, no row"

    def __init__(self, machine: Machine) -> None:
        url = machine.redis.url(CELERY_DATABASE)
        bare_celery.app.conf.broker_url = url
        self._redis = redis.Redis.from_url(url)
        machine.start(
            BIN / "celery", "-A", "bench.queues.bare_celery", "worker", "-c", "2", *LEAN,
            BENCH_REDIS_URL=url, **_common(machine),
        )  # fmt: skip

    def submit(self, slot: int) -> None:
        bare_celery.noop.apply_async((slot,))

    def submit_all(self, slots: range) -> None:
        app = bare_celery.app
        with app.producer_pool.acquire(block=True) as producer, producer.batch(max_size=500):
            for slot in slots:
                bare_celery.noop.apply_async((slot,), queue="aside", producer=producer)
        self._redis.rename("aside", bare_celery.QUEUE)


class Procrastinate:
    name = "Procrastinate, durable"

    def __init__(self, machine: Machine) -> None:
        url = machine.database("procrastinate", migrated=False)
        connector = procrastinate.SyncPsycopgConnector(conninfo=url)
        app = procrastinate.App(connector=connector)
        app.open()
        app.schema_manager.apply_schema()
        self._task = app.configure_task("noop")
        machine.start(
            BIN / "python", "-m", "procrastinate", "--app", "bench.queues.bare_procrastinate.app",
            "worker", "--concurrency", "2",
            BENCH_PROCRASTINATE_URL=url, **_common(machine),
        )  # fmt: skip

    def submit(self, slot: int) -> None:
        self._task.defer(slot=slot)

    def submit_all(self, slots: range) -> None:
        self._task.batch_defer(*({"slot": slot} for slot in slots))


class Product:
    def __init__(self, name: str, kind: Kind) -> None:
        self.name, self._kind, self._account = name, kind, ids.new()

    def submit(self, slot: int) -> None:
        with db.single() as tx:
            jobs.enqueue(tx, self._kind, self._account, {"slot": slot})

    def submit_all(self, slots: range) -> None:
        with db.transaction(pipeline=True) as tx:
            for slot in slots:
                jobs.enqueue(tx, self._kind, self._account, {"slot": slot})


def start_product(machine: Machine, module: str = "bench.queues.product") -> None:
    """One worker of two processes and one dispatcher, for both kinds; opens the database here."""
    url, metrics = machine.database("product"), machine.home / "metrics"
    metrics.mkdir()
    db.open(url)
    environment = {
        "DATABASE_URL": url,
        "REDIS_URL": machine.redis.url(),
        "SECRET_KEY": "x" * 32,
        "PROMETHEUS_MULTIPROC_DIR": str(metrics),
        **_common(machine),
    }
    machine.start(
        BIN / "celery", "-A", module, "worker", "-Q", QUEUE, "-c", "2", *LEAN,
        **environment,
    )  # fmt: skip
    machine.start(BIN / "python", "-m", module, **environment)


def _common(machine: Machine) -> dict[str, str]:
    return {board.VARIABLE: str(machine.home / "board"), "C_FORCE_ROOT": "1"}
