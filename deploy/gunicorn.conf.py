"""The API server. Where it listens is the deployment's choice: `--bind` or GUNICORN_CMD_ARGS."""

from pathlib import Path

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker
from prometheus_client import multiprocess, values

from app.core.config import Settings

workers = 2
worker_class = "app.serving.worker.Patient"  # clients that are slow wait for it, not it for them
threads = Settings.from_env().web_threads
worker_connections = 4000  # fewer where the limit of open files is low; beyond, the longest idle go
timeout = 60
graceful_timeout = 35  # the longest `wait` is 30 s
keepalive = 5
limit_request_fields = 64
limit_request_field_size = 8190
# Heartbeats are file changes: on a slow disk they may stall and look like a dead worker.
if Path("/dev/shm").is_dir():  # noqa: S108 - gunicorn makes a file of its own in it
    worker_tmp_dir = "/dev/shm"  # noqa: S108
accesslog = None  # the application writes one line per request, without query strings
errorlog = "-"
loglevel = "warning"
# It would lie in the user's home folder, where a second local run would take it from the first.
control_socket_disable = True


def child_exit(_server: Arbiter, worker: Worker) -> None:
    """Gauges of a process that is gone must not be counted any more."""
    if values.ValueClass.__name__ == "MmapedValue":
        multiprocess.mark_process_dead(worker.pid)
