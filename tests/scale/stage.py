"""What these tests break: API processes, workers and dispatchers over servers they are told of."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString

from app.core import db
from app.core.config.settings import Settings, environment
from app.core.db.migrate import migrate
from app.local.embedded.supervisor import Program
from tests import builders, servers
from tests.fault import work
from tests.fault.stage import read, run_as_owner
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).parents[2]
LEASE_SECONDS = 6.0
LOST_SECONDS = 4.0
SECRET_KEY = "x" * 32
QUEUES = f"{work.QUEUE},searches"


class Stage:
    """Only what is started here is ever signalled."""

    def __init__(self, home: Path, database_url: str, redis_url: str) -> None:
        self.home, self._programs = home, list[Program]()
        self.environment = {
            **environment(),
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url,
            "SECRET_KEY": SECRET_KEY,
            "JOB_LEASE_SECONDS": str(LEASE_SECONDS),
            "DISPATCH_LOST_SECONDS": str(LOST_SECONDS),
            "WORKER_GRACE_SECONDS": "1",
            "RATE_LIMIT_WRITE": "1000000/minute",
            "RATE_LIMIT_READ": "1000000/minute",
            "EMBEDDINGS_PACKAGED": "false",
            "SEARCH_DEADLINE_SECONDS": str(PATIENCE_SECONDS),
            "LOG_LEVEL": "WARNING",
            "C_FORCE_ROOT": "1",
            "PYTHONWARNINGS": "ignore",
        }

    def worker(self, name: str, prefix: str = "", queues: str = QUEUES, places: int = 2) -> Program:
        return self._start(
            name,
            f"{prefix}{_PYTHON} -m celery -A tests.scale.processes worker -Q {queues}"
            f" -c {places} -n {name}@%h -l WARNING"
            " --without-gossip --without-mingle --without-heartbeat",
        )

    def dispatcher(self, name: str = "dispatcher", prefix: str = "") -> Program:
        return self._start(name, f"{prefix}{_PYTHON} -m tests.scale.processes")

    def api(self, name: str, address: str, prefix: str = "") -> Program:
        return self._start(
            name,
            f"{prefix}{_PYTHON} -m gunicorn -c deploy/gunicorn.conf.py --workers 1"
            f" --bind {address} 'app.wsgi:serve()'",
            SERVICE_BASE_URL=f"http://{address}",
        )

    def log(self, name: str) -> str:
        return (self.home / f"{name}.log").read_text()

    def stop(self) -> None:
        for program in self._programs:
            program.kill()

    def _start(self, name: str, command: str, **settings: str) -> Program:
        program = Program(
            name,
            command,
            log=self.home / f"{name}.log",
            folder=ROOT,
            environment=self.environment | settings,
        )
        self._programs.append(program)
        program.start()
        return program


_PYTHON = shlex.quote(sys.executable)


@contextmanager
def stage(home: Path, database_url: str, redis_url: str) -> Iterator[Stage]:
    """Nothing runs yet. The database is migrated, and this process connected to it."""
    migrate(database_url)
    with db.connect(database_url, role=None) as connection:
        connection.execute(work.TABLE)
        connection.execute("grant all on effects to public")  # whichever role workers take
    built = Stage(home, database_url, redis_url)
    db.close()
    db.open(database_url, wait_seconds=PATIENCE_SECONDS)
    try:
        yield built
    finally:
        built.stop()
        db.close()


def clear() -> None:
    """No job is left from before."""
    run_as_owner("truncate jobs, job_attempts, effects cascade")


def caller_key() -> str:
    """The API key of an account that may spend much."""
    settings = Settings(database_url="", redis_url="", secret_key=SECRET_KEY)
    with db.transaction() as tx:
        account = builders.account(tx)
        builders.credit(tx, account, "1000000")
        return builders.api_key(tx, settings, account)


def unfinished() -> int:
    """Jobs of the queues that have workers here; the schedules of the product fill others."""
    return _count(
        "select count(*) from jobs where finished_at is null and queue = any(%(of)s)",
        QUEUES.split(","),
    )


def _count(query: LiteralString, of: object) -> int:
    return int(read(lambda tx: db.value(tx, query, of=of)))


def await_done(seconds: float = 300.0) -> None:
    servers.until(lambda: unfinished() == 0, seconds)


def places_of(name: str) -> int:
    """How many jobs a worker can hold by what it last said, if that was lately."""
    return _count(
        "select coalesce(sum(places), 0) from workers where name like %(of)s"
        " and seen_at > now() - interval '15 s'",
        f"%:{name}",
    )


def held_by(worker: Program) -> int:
    """How many jobs are running that this worker holds by their lease."""
    return _count(
        "select count(*) from jobs where state = 'running' and worker like %(of)s",
        f"%:{worker.pid}:%",
    )


def ended_by(worker: Program) -> int:
    """How many jobs this worker has ended well."""
    return _count(
        "select count(*) from jobs where state = 'succeeded' and worker like %(of)s",
        f"%:{worker.pid}:%",
    )


def queues_of(worker: Program) -> set[str]:
    """The queues of all jobs that this worker has ever begun."""
    return set(
        read(
            lambda tx: db.values(
                tx,
                "select distinct queue from jobs where worker like %(name)s",
                name=f"%:{worker.pid}:%",
            )
        )
    )


def await_workers(*names: str) -> None:
    servers.until(lambda: all(places_of(name) for name in names))
