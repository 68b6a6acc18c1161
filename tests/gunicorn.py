"""The web processes as they are deployed, on a free port, for tests that need more than one."""

import http.client
import shlex
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.core.config import Settings, environment
from app.local.supervisor import Program
from tests import servers

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Web:
    """A running server: its address, the metrics folder of its processes, and its log."""

    url: str
    metrics: Path
    log: Path
    program: Program


@contextmanager
def gunicorn(settings: Settings, **variables: object) -> Iterator[Web]:
    """Two worker processes with deploy/gunicorn.conf.py; `variables` are further settings."""
    with servers.folder() as home:
        url = f"http://127.0.0.1:{_free_port()}"
        metrics = home / "metrics"
        metrics.mkdir()
        program = Program(
            "web",
            f"{shlex.quote(sys.executable)} -m gunicorn -c deploy/gunicorn.conf.py"
            f" --bind {url.removeprefix('http://')} app.wsgi:serve()",
            log=home / "web.log",
            folder=ROOT,
            environment={
                **environment(),
                "DATABASE_URL": settings.database_url,
                "REDIS_URL": settings.redis_url,
                "SECRET_KEY": settings.secret_key,
                "SERVICE_BASE_URL": url,
                "PROMETHEUS_MULTIPROC_DIR": str(metrics),
                **{name.upper(): str(value) for name, value in variables.items()},
            },
        )
        program.start()
        try:
            servers.until(lambda: _answers(url), 30)
            yield Web(url, metrics, home / "web.log", program)
        finally:
            program.kill()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _answers(url: str) -> bool:
    asking = http.client.HTTPConnection(url.removeprefix("http://"), timeout=2)
    try:
        asking.request("GET", "/healthz")
        return asking.getresponse().status == 200
    except OSError:
        return False
    finally:
        asking.close()
