"""The processes of one machine on a free port, for what one process cannot show."""

import http.client
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from app.core.config.settings import Settings, environment
from app.local.embedded.supervisor import Program
from tests import servers
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port

ROOT = Path(__file__).parents[1]


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Deployed:
    """Running processes: where the web one listens, their metrics folder and their logs."""

    address: str
    home: Path
    programs: dict[str, Program]

    @property
    def metrics(self) -> Path:
        return self.home / "metrics"

    def log(self, program: str) -> str:
        return self.programs[program].log.read_text(encoding="utf-8")

    def ask(
        self, method: str, path: str, headers: dict[str, str] | None = None, body: Any = None
    ) -> Answer:
        """One request over a connection of its own; a `body` that is not bytes is sent as JSON."""
        headers = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            headers["Content-Type"], body = "application/json", json.dumps(body).encode()
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE_SECONDS)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()


@contextmanager
def deployed(settings: Settings, *names: str, **variables: object) -> Iterator[Deployed]:
    """Start these lines of one-machine.Procfile ("web" is one); `variables` are more settings."""
    with servers.folder() as home:
        address = f"127.0.0.1:{free_port()}"
        (home / "metrics").mkdir()
        given = {
            **environment(),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environment()['PATH']}",
            "DATABASE_URL": settings.database_url,
            "REDIS_URL": settings.redis_url,
            "SECRET_KEY": settings.secret_key,
            "SERVICE_BASE_URL": f"http://{address}",
            "GUNICORN_CMD_ARGS": f"--bind {address}",
            "PROMETHEUS_MULTIPROC_DIR": str(home / "metrics"),
            "C_FORCE_ROOT": "1",
            "PYTHONWARNINGS": "ignore",
            "EMBEDDINGS_PACKAGED": "false",
            "SEARCH_DEADLINE_SECONDS": str(PATIENCE_SECONDS),
            **{name.upper(): str(value) for name, value in variables.items()},
        }
        commands = _procfile()
        programs = {
            name: Program(
                name, commands[name], log=home / f"{name}.log", folder=ROOT, environment=given
            )
            for name in names
        }
        running = Deployed(address, home, programs)
        try:
            for program in programs.values():
                program.start()
            servers.until(lambda: _answers(running) or not _all_run(running))
            assert _all_run(running), "".join(map(running.log, names))
            yield running
        finally:
            for program in programs.values():
                program.kill()


def _procfile() -> dict[str, str]:
    lines = (ROOT / "deploy" / "one-machine.Procfile").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(":", 1) for line in lines if line and not line.startswith("#"))
    return {name: command.strip() for name, command in pairs}


def _all_run(running: Deployed) -> bool:
    return all(program.running for program in running.programs.values())


def _answers(running: Deployed) -> bool:
    try:
        return running.ask("GET", "/healthz").status == 200
    except OSError:
        return False
