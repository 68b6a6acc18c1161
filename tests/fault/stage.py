"""What the fault tests break: a durable Postgres, a Redis, two Celery workers, dispatchers."""

import contextlib
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString, TypeVar

import psycopg
import redis

from app.core import db
from app.core.config.settings import environment
from app.core.db import Tx
from app.core.db.migrate import migrate
from app.local.embedded.children import alive
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from app.local.embedded.supervisor import Program
from tests import servers
from tests.databases import become_owner
from tests.fault import long_work, work
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).parents[2]
LEASE_SECONDS = 3.0
LOST_SECONDS = 4.0
GRACE_SECONDS = 1.0
WORKERS = 2
CHILDREN = 2

Result = TypeVar("Result")

_GRANT: LiteralString = """
    grant select, insert, update, delete on effects, items, records, joins, deaths
    to citegrid_api, citegrid_worker
    """


class Stage:
    """All processes of a run. Only what is started here is ever signalled."""

    redis_away_seconds = 10.0

    def __init__(self, home: Path, postgres: Postgres, redis: Redis) -> None:
        self.home, self.postgres, self.redis = home, postgres, redis
        self.url = postgres.url("postgres")
        self.environment = {
            **environment(),
            "DATABASE_URL": self.url,
            "REDIS_URL": redis.url(),
            "SECRET_KEY": "x" * 32,
            "JOB_LEASE_SECONDS": str(LEASE_SECONDS),
            "DISPATCH_LOST_SECONDS": str(LOST_SECONDS),
            "WORKER_GRACE_SECONDS": str(GRACE_SECONDS),
            "LOG_LEVEL": "WARNING",
            "C_FORCE_ROOT": "1",
            "PYTHONWARNINGS": "ignore",
        }
        self.workers = [self.worker(number) for number in range(WORKERS)]
        self.dispatchers = [self.dispatcher()]

    def worker(self, number: int, *, children: int = CHILDREN, **settings: str) -> Program:
        queues = f"{work.QUEUE},{work.ASIDE_QUEUE}"
        name = f"worker{number}"
        return self._celery(name, "tests.fault.processes", queues, settings, children)

    def dispatcher(self) -> Program:
        return self._program("dispatcher", "-m tests.fault.processes", {})

    def product(self, queues: str, **settings: str) -> list[Program]:
        """A worker and a dispatcher over the kinds of work of the product itself."""
        return [
            self._celery("product", "workers.main", queues, settings),
            self._program("product-dispatcher", "-m workers.queue.dispatcher", settings),
        ]

    def extraction_worker(self, number: int, **settings: str) -> Program:
        name = f"extraction{number}"
        return self._celery(name, "tests.fault.mortal_reading", "extraction", settings)

    def documents_worker(self, number: int, **settings: str) -> Program:
        name = f"documents{number}"
        return self._celery(name, "tests.fault.mortal_documents", "corpora", settings)

    def open_database(self) -> None:
        """For this process; tests between may have had databases of their own."""
        db.close()
        db.open(self.postgres.url(), wait_seconds=PATIENCE_SECONDS)

    def complete(self) -> None:
        """Start whatever a fault has left dead, and nothing more than at the beginning."""
        self.start_servers()
        for extra in self.dispatchers[1:]:
            extra.kill()
        del self.dispatchers[1:]
        for program in [*self.workers, *self.dispatchers]:
            if not program.running:
                program.start()

    def start_servers(self) -> None:
        for server in (self.postgres, self.redis):
            if not server.running:
                server.start()

    def stop(self) -> None:
        for program in [*self.workers, *self.dispatchers]:
            program.kill()

    def restart_postgres(self, number: signal.Signals) -> None:
        """SIGQUIT ends it at once; SIGKILL, for all its processes, is a power cut."""
        processes = [self.postgres.pid]
        if number == signal.SIGKILL:
            processes += children(self.postgres)
        for pid in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        servers.until(lambda: not (self.postgres.running or any(map(alive, processes))))
        self.postgres.start()

    def kill_redis(self) -> None:
        os.kill(self.redis.pid, signal.SIGKILL)
        servers.until(lambda: not self.redis.running)

    def flush_redis(self) -> None:
        with redis.Redis.from_url(self.redis.url()) as client:
            client.flushall()

    def messages(self, queue: str) -> list[bytes]:
        with redis.Redis.from_url(self.redis.url()) as client:
            return list(client.lrange(queue, 0, -1))

    def held_by(self, worker: Program, seconds: float = 0.0) -> int:
        """How many jobs a worker's children are at that take so many seconds or longer."""
        return len(self._holders(worker, seconds))

    def process_at_work(self, worker: Program) -> int:
        """Process id of a child that is, or has just been, at a job."""
        found: list[int] = []

        def look() -> bool:
            found[:] = self._holders(worker, 0.0)
            return bool(found)

        servers.until(look)
        return found[0]

    def _holders(self, worker: Program, seconds: float) -> list[int]:
        names = read(
            lambda tx: db.values(
                tx,
                """
                select worker from jobs
                where state = 'running' and worker like %(name)s
                  and coalesce((payload ->> 'seconds')::float, 0) >= %(seconds)s
                """,
                name=f"%:{worker.pid}:%",
                seconds=seconds,
            )
        )
        return [int(name.rpartition(":")[2]) for name in names]

    def _celery(
        self,
        name: str,
        module: str,
        queues: str,
        settings: dict[str, str],
        children: int = CHILDREN,
    ) -> Program:
        arguments = (
            f"-m celery -A {module} worker -Q {queues} -c {children} -n {name}@%h -l WARNING"
            " --without-gossip --without-mingle --without-heartbeat"
        )
        return self._program(name, arguments, settings)

    def _program(self, name: str, arguments: str, settings: dict[str, str]) -> Program:
        return Program(
            name,
            f"{shlex.quote(sys.executable)} {arguments}",
            log=self.home / f"{name}.log",
            folder=ROOT,
            environment=self.environment | settings,
        )


def children(parent: Program | Postgres) -> list[int]:
    """Process ids of a worker's pool or of a server (proc_pid_task_children, Linux)."""
    listed = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    try:
        return [int(pid) for pid in listed.read_text().split()]
    except FileNotFoundError:
        return []


@contextmanager
def stage() -> Iterator[Stage]:
    """Everything started once; tests share it and leave it whole."""
    with (
        servers.folder() as home,
        Postgres(home / "pg", log=home / "pg.log") as postgres,
        servers.redis() as broker,
    ):
        migrate(postgres.url())
        with db.connect(postgres.url(), role=None) as connection:
            connection.execute(work.TABLE)
            connection.execute(long_work.TABLES)
            connection.execute(_GRANT)
        whole = Stage(home, postgres, broker)
        try:
            yield whole
        finally:
            whole.stop()
            db.close()


def run_as_owner(statement: LiteralString) -> None:
    """Execute what only the owner of the tables may."""

    def run(tx: Tx) -> None:
        become_owner(tx)
        tx.execute(statement)

    read(run)


def read(query: Callable[[Tx], Result]) -> Result:
    """Ask the database, also while it restarts."""
    answers: list[Result] = []

    def ask() -> bool:
        try:
            with db.transaction() as tx:
                answers.append(query(tx))
        except psycopg.OperationalError:
            return False
        return True

    servers.until(ask)
    return answers[0]
