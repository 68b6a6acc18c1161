"""The whole service in a folder of its own, and what its operator does."""

import math
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, TypeVar

from app.core.config import settings
from app.core.config.settings import Settings
from app.core.db.migrate import migrate
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from app.local.embedded.state import DataFolder, LocalRun

BIN: Final = Path(sys.executable).parent
ROOT: Final = Path(__file__).parents[2]
SHORTENED: Final = {
    "NODES_ADMISSION": "open",  # else the operator approves each
    "GOLD_AFTER_SECONDS": "0",  # else as long as a dispute may be opened
    "REVIEW_OPEN_SECONDS": "60",
    "REVIEW_ALONE_SECONDS": "2",  # how long our own checks leave a record to nodes
    "FETCH_GAP_SECONDS": "0",
    "EMBEDDINGS_PACKAGED": "false",
    "RATE_LIMIT_WRITE": "6000/minute",
    "LOG_LEVEL": "WARNING",
}
"""Settings that shorten waiting."""


T = TypeVar("T")


class Service:
    """A running service."""

    def __init__(self, folder: DataFolder, run: LocalRun) -> None:
        self._folder, self.url = folder, run.url
        settings.provide(run.environment)
        self.settings = Settings.from_env()

    def operator(self, *arguments: str) -> str:
        """Run one of the operator's commands; returns what it prints."""
        command = [str(BIN / "citegrid-server"), *arguments, "--data", str(self._folder.path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.strip()[-2000:]}")
        return done.stdout


@contextmanager
def started(port: int, site: str) -> Iterator[Service]:
    """The service, from nothing; everything of it is gone at the end. It may read from `site`, a
    host of this machine."""
    home = Path(tempfile.mkdtemp(prefix="citegrid-demo-"))
    with ExitStack() as ends:
        ends.callback(shutil.rmtree, home, ignore_errors=True)
        environment = {
            **settings.environment(),
            **SHORTENED,
            **_servers(home, ends),
            "FETCH_ALLOW": site,
            "EXTRACT_FETCH_ALLOW": site,
        }
        yield _up(home, port, environment, ends)


def _servers(home: Path, ends: ExitStack) -> dict[str, str]:
    """A Postgres that is migrated, so that `up` has no first run to show, and a Redis."""
    postgres = Postgres(home / "postgres", log=home / "postgres.log")
    ends.callback(postgres.stop)
    postgres.start()
    redis = Redis(log=home / "redis.log")
    ends.callback(redis.stop)
    redis.start()
    url = postgres.url("postgres")
    migrate(url, role="citegrid_app")
    return {"DATABASE_URL": url, "REDIS_URL": redis.url()}


def _up(home: Path, port: int, environment: dict[str, str], ends: ExitStack) -> Service:
    folder, log = DataFolder(home / "data"), home / "up.log"
    command = [str(BIN / "citegrid-server"), "up", "--port", str(port), "--data", str(folder.path)]
    with log.open("w") as said:
        up = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
    ends.callback(up.wait, 60)
    ends.callback(up.terminate)
    try:  # it gives up by itself when nothing goes on, however slow the machine is
        return Service(folder, until(folder.run, math.inf, lambda: up.poll() is None))
    except TimeoutError:
        raise RuntimeError(log.read_text()[-3000:]) from None


def until(
    look: Callable[[], T | None],
    seconds: float,
    going: Callable[[], bool],
    every_seconds: float = 0.3,
) -> T:
    """What `look` returns once it returns something. Raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while going() and time.monotonic() < deadline:
        if (seen := look()) is not None:
            return seen
        time.sleep(every_seconds)
    raise TimeoutError("it takes too long")
