"""Real servers and worker processes for a benchmark: durable Postgres, Redis, loopback only."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg import sql

from app.core.db.migrate import migrate
from app.local.embedded.children import spawn, tail
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent


@dataclass
class Machine:
    """A folder, a Postgres as in production, a Redis, and the processes started on them."""

    home: Path
    postgres: Postgres
    redis: Redis
    _children: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def database(self, name: str, *, migrated: bool = True) -> str:
        """URL of a new database, with the product's tables."""
        with psycopg.connect(self.postgres.url(), autocommit=True) as connection:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        url = self.postgres.url(name)
        if migrated:
            migrate(url)
        return url

    def start(self, *command: str | Path, **environment: str) -> subprocess.Popen[bytes]:
        """A child process in the repository's folder; what it says goes to `children.log`."""
        child = spawn(command, log=self.log, environment={**os.environ, **environment}, folder=ROOT)
        self._children.append(child)
        return child

    @property
    def log(self) -> Path:
        return self.home / "children.log"

    def complain(self, what: str) -> RuntimeError:
        return RuntimeError(f"{what}\n{tail(self.log, 40)}")

    def stop_children(self) -> None:
        for child in reversed(self._children):
            child.terminate()
        for child in self._children:
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        self._children.clear()


@contextmanager
def machine(folder: Path | None = None) -> Iterator[Machine]:
    """Everything is gone afterwards. `folder` chooses the disk, which every commit waits for."""
    with ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory(prefix="citegrid-", dir=folder))
        home = Path(name)
        home.chmod(0o711)  # as root, Postgres runs under another account
        postgres = stack.enter_context(Postgres(home / "pg", log=home / "pg.log"))
        redis = stack.enter_context(Redis(log=home / "redis.log"))
        started = Machine(home, postgres, redis)
        stack.callback(started.stop_children)
        yield started
