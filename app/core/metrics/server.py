"""Serves metrics to Prometheus from any process, and writes down where (file_sd).

METRICS_PORT has the figures of the whole machine, so one process of it serves them. The others, on
any free port, say that they are there and what they alone know: adding up all targets counts
nothing twice.
"""

import atexit
import json
import os
import socket
from collections.abc import Callable, Iterable
from pathlib import Path

from prometheus_client import CollectorRegistry, Metric, start_http_server

from app.core import log
from app.core.config.settings import Settings
from app.core.metrics import Now, files

logger = log.get(__name__)


def serve(
    settings: Settings, process: str, current: Callable[[], Iterable[Metric]] = tuple
) -> None:
    """Serve METRICS_PORT, if it is set and free, or else a free port if METRICS_TARGETS is set.

    `process` says which of the Procfile this is; `current` is read at each scrape. A process that
    cannot serve goes on.
    """
    if settings.metrics_port:
        try:
            _listen(settings.metrics_port, settings.metrics_host, current, machine=True)
            _announce(settings, process, settings.metrics_port)
            return
        except OSError as error:
            why = {"host": settings.metrics_host, "port": settings.metrics_port}
            logger.warning("metrics not served", **why, error=error.strerror)
    if settings.metrics_targets:
        try:
            port = _listen(0, settings.metrics_host, current, machine=False)
            _announce(settings, process, port)
        except OSError as error:
            logger.warning("metrics not announced", error=error.strerror)


def _listen(port: int, host: str, current: Callable[[], Iterable[Metric]], *, machine: bool) -> int:
    """The port. Raises OSError."""
    registry = CollectorRegistry()
    counted = files.registry().collect if machine else tuple
    registry.register(Now(lambda: [*counted(), *current()]))
    server, _ = start_http_server(port, addr=host, registry=registry)
    return int(server.server_port)


def _announce(settings: Settings, process: str, port: int) -> None:
    """Write a file that Prometheus reads, until this process ends. Raises OSError.

    That of one that was killed stays, so that Prometheus misses it, until one of its kind starts
    in its place.
    """
    if not settings.metrics_targets:
        return
    folder = Path(settings.metrics_targets)
    mine = folder / f"{process}-{os.getpid()}.json"
    for other in sorted(folder.glob(f"{process}-*.json")):
        if other == mine or not files.alive(int(other.stem.rpartition("-")[2])):
            other.unlink(missing_ok=True)
            break
    host = settings.metrics_host
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    labels = {"process": process, "machine": socket.gethostname()}
    fresh = mine.with_suffix(".new")
    fresh.write_text(json.dumps([{"targets": [address], "labels": labels}]))
    fresh.chmod(0o644)
    fresh.rename(mine)
    atexit.register(_withdraw, mine, os.getpid())


def _withdraw(mine: Path, pid: int) -> None:
    if os.getpid() == pid:  # and no fork of it
        mine.unlink(missing_ok=True)
