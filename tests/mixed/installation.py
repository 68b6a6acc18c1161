"""The whole service with servers of its own, as `make run` starts it, for loads and faults."""

import http.client
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from unittest import mock

from honcho.environ import parse_procfile

from app.core.config.settings import Settings, environment
from app.core.db.migrate import migrate
from app.local.embedded.children import ServerFailed
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from app.local.embedded.supervisor import Program
from tests import servers
from tests.ports import free_port

ROOT: Final = Path(__file__).parents[2]
_PROCFILE: Final = ROOT / "deploy" / "one-machine.Procfile"
_NOT_HERE: Final = ("rendering",)  # it needs a browser
_UP_SECONDS: Final = 600.0  # a machine may have much else to do

_TEND_SECONDS: Final = 0.1


@dataclass
class Installation:
    """Processes by their names in the Procfile. Only what is started here is ever signalled."""

    home: Path
    postgres: Postgres
    redis: Redis
    url: str
    environment: dict[str, str]
    programs: dict[str, Program] = field(default_factory=dict)
    down: set[str] = field(default_factory=set)
    """Programs and servers that somebody has ended and will start again."""
    fallen: Counter[str] = field(default_factory=Counter)
    """What ended by itself and was started again, as a supervisor would."""

    @property
    def settings(self) -> Settings:
        """Of its processes, but for the database: this process goes to it directly."""
        with mock.patch.dict(
            os.environ, self.environment | {"DATABASE_URL": self.postgres.url()}, clear=True
        ):
            return Settings.from_env()

    def program(self, name: str, *, log: str = "", **changes: str) -> Program:
        """Another process of a line of the Procfile, not started."""
        return Program(
            log or name,
            _procfile()[name],
            log=self.home / f"{log or name}.log",
            folder=ROOT,
            environment=self.environment | changes,
        )

    def start(self, name: str, **changes: str) -> None:
        self.programs[name] = self.program(name, **changes)
        self.programs[name].start()

    def restart(self, name: str) -> None:
        """Kill the process group and start it again."""
        self.programs[name].kill()
        self.programs[name].start()

    def tend(self) -> None:
        """Start again whatever has fallen. Call it from the main thread: they die with the thread
        that started them."""
        for name, server in (("postgres", self.postgres), ("redis", self.redis)):
            if name not in self.down and not server.running:
                self.fallen[name] += 1
                with suppress(ServerFailed):  # its disk is still full: tried again
                    server.start(seconds=10.0)
        for name, program in self.programs.items():
            if name not in self.down and not program.running:
                self.fallen[name] += 1
                program.kill()
                program.start()

    def rest(self, seconds: float) -> None:
        """Let so much time pass, and tend meanwhile."""
        until = time.monotonic() + seconds
        self.tend_until(lambda: time.monotonic() >= until, seconds + 60)

    def tend_until(self, condition: Callable[[], object], seconds: float) -> None:
        """Wait for the condition, and tend meanwhile. AssertionError when it takes longer."""
        until = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < until, f"not within {seconds} s"
            self.tend()
            time.sleep(_TEND_SECONDS)

    def answers(self) -> bool:
        return answers_at(self.url)

    def stop(self) -> None:
        for program in self.programs.values():
            program.kill()


@contextmanager
def installed(
    variables: Mapping[str, str],
    *,
    home: Path | None = None,
    further: Callable[[Installation], Mapping[str, str]] = lambda _: {},
) -> Iterator[Installation]:
    """All processes, until they answer. `home` is where Postgres and the logs are; `further` sees
    the servers running and gives settings that depend on them."""
    with ExitStack() as ends:
        home = home or ends.enter_context(servers.folder())
        postgres = ends.enter_context(Postgres(home / "pg", log=home / "pg.log"))
        redis = ends.enter_context(servers.redis())
        migrate(postgres.url())
        url = f"http://127.0.0.1:{free_port()}"
        (home / "metrics").mkdir()
        running = Installation(home, postgres, redis, url, {})
        running.environment = {
            **environment(),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environment()['PATH']}",
            "DATABASE_URL": postgres.url(),
            "REDIS_URL": redis.url(),
            "SECRET_KEY": "x" * 32,
            "SERVICE_BASE_URL": url,
            "GUNICORN_CMD_ARGS": f"--bind {url.removeprefix('http://')}",
            "PROMETHEUS_MULTIPROC_DIR": str(home / "metrics"),
            "C_FORCE_ROOT": "1",
            "PYTHONWARNINGS": "ignore",
            **variables,
            **further(running),
        }
        ends.callback(running.stop)
        for name in _procfile():
            running.start(name)
        servers.until(running.answers, _UP_SECONDS)
        yield running


def _procfile() -> dict[str, str]:
    lines = parse_procfile(_PROCFILE.read_text(encoding="utf-8")).processes
    return {name: line for name, line in lines.items() if name not in _NOT_HERE}


def answers_at(url: str) -> bool:
    """Whether an API there is ready."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
