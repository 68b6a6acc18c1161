"""The API server. Where it listens is the deployment's choice: `--bind` or GUNICORN_CMD_ARGS.

GUNICORN_CMD_ARGS overrides what stands here, as in "--bind 0.0.0.0:8000 --workers 4".
"""

from pathlib import Path

from gunicorn.arbiter import Arbiter

from app.core.config.settings import Settings
from app.core.metrics import server as metrics
from app.serving import liveness

_settings = Settings.from_env()

# Requests

workers = 2  # one per core that the API may use; each holds DATABASE_POOL_SIZE connections
# Clients that are slow wait for ours, not it for them. gunicorn's own needs a proxy for that.
worker_class = {"patient": "app.serving.worker.Patient"}.get(_settings.web_worker, "gthread")
threads = _settings.web_threads  # checked with the slots for what waits, so they come from there
worker_connections = 4000  # fewer where the limit of open files is low; beyond, the longest idle go
backlog = 2048  # connections that the kernel keeps until they are accepted (or net.core.somaxconn)
keepalive = 5  # longer than a proxy's own idle time, so that the proxy closes first
limit_request_line = 4094
limit_request_fields = 64
limit_request_field_size = 8190  # a proxy in front should allow no more: 431 is said here
# Whom a proxy calls for is read by the application, as TRUSTED_PROXIES counts them. gunicorn would
# believe any caller from this machine, also where it passes on what strangers send: most proxies
# hand on SCRIPT_NAME, with which a caller decides how much of the path counts.
forwarded_allow_ips = ""
forwarder_headers = ""

# Starting and stopping

timeout = 60  # without a heartbeat; a request may take longer, since threads do not stop it
graceful_timeout = 35  # the longest `wait` is 30 s
preload_app = False  # connections and threads do not survive the fork; memory saved is 30 MB
max_requests = 0  # no leak is known that recycling would hide, and it would drop who waits
reuse_port = False  # with it the kernel gives connections to a process whose threads are all busy
# Heartbeats are file changes: on a slow disk they may stall and look like a dead worker.
if Path("/dev/shm").is_dir():  # noqa: S108 - gunicorn makes a file of its own in it
    worker_tmp_dir = "/dev/shm"  # noqa: S108
# It would lie in the user's home folder, where a second local run would take it from the first.
control_socket_disable = True

# Logs and metrics

proc_name = "web"  # as metrics call it
accesslog = None  # the application writes one line per request, without query strings
errorlog = "-"
loglevel = "warning"


def when_ready(server: Arbiter) -> None:
    """METRICS_PORT: for whoever may not call /metrics, which is for this machine alone."""
    name = server.cfg.proc_name
    metrics.serve(_settings, name, lambda: liveness.metrics(name, server.LISTENERS))
