"""`citegrid-server up`: the whole service on this machine, from nothing, until Ctrl-C.

1. Postgres and Redis: those of DATABASE_URL and REDIS_URL, or embedded ones.
2. Secrets, a free port, migrations.
3. The processes of deploy/one-machine.Procfile, until they answer.
4. Watch, start again what dies, and in the end stop everything in order.
"""

import os
import socket
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg
from honcho.environ import parse_procfile
from psycopg import sql

from app.core.config import settings
from app.core.config.settings import Settings
from app.core.db.migrate import migrate
from app.local.embedded import first_run, probe, welcome
from app.local.embedded.children import StartPatience
from app.local.embedded.logs import Logs
from app.local.embedded.postgres import Postgres
from app.local.embedded.prepared import PreparedProgram, prepared
from app.local.embedded.redis import Redis
from app.local.embedded.state import CannotStart, DataFolder, LocalRun
from app.local.embedded.supervisor import Program, Server, Supervisor
from app.local.terminal import Terminal

ROOT = Path(__file__).parents[3]
PROCFILE = ROOT / "deploy" / "one-machine.Procfile"
DATABASE = "citegrid"
FIRST_MIGRATION = "0001_role"
NEWS_SECONDS = 30.0  # between two lines about what is awaited
LAST_STEP_SECONDS = 3.0  # how long the first search may still take when it is to stop
PORTS_TRIED = 50
# What other commands need to work on the same data (app.local.embedded.state.settings).
SHARED_VARIABLES = (
    "DATABASE_URL",
    "DATABASE_OWNER_URL",
    "DATABASE_ROLE",
    "REDIS_URL",
    "SECRET_KEY",
    "DEMO_API_KEY",
    "SERVICE_BASE_URL",
    "GUNICORN_CMD_ARGS",
    "TRUSTED_PROXIES",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    host: str
    port: int
    verbose: bool


def up(folder: DataFolder, options: Options, terminal: Terminal) -> None:
    """Run until a signal asks to stop. Raises CannotStart, ServerFailed."""
    if not PROCFILE.exists():
        raise CannotStart(f"{PROCFILE} is missing. Run this from a checkout of the repository.")
    terminal.doing("Loading the programs")
    with prepared(_commands(), ROOT) as waiting, ExitStack() as ends:
        terminal.done("Programs loaded")
        logs = Logs(folder.logs)
        servers = _start_servers(folder, logs, terminal, ends)
        url = _complete_environment(folder, options, terminal)
        settings = Settings.from_env()
        terminal.doing("Migrating the database")
        owner = settings.owner_url
        applied = migrate(owner, role=settings.database_role)
        terminal.done(f"Database migrated, {len(applied)} new migrations")
        entrance = first_run.entrance(settings)
        documentation = first_run.promise(
            settings, ROOT / "docs", new_database=FIRST_MIGRATION in applied
        )
        supervisor = Supervisor(
            _programs(logs, waiting),
            servers,
            report=terminal.problem,
            # A worker that has given its jobs back still has to end.
            grace_seconds=settings.worker_grace_seconds + 10,
        )
        with supervisor.listening():
            ends.pop_all()  # from here on the supervisor stops the servers
            try:
                watch = _Watch(
                    folder,
                    supervisor,
                    logs,
                    terminal,
                    entrance,
                    verbose=options.verbose,
                    start_seconds=settings.start_seconds,
                )
                watch.run(url, show_search=documentation)
            finally:
                terminal.settled()
                terminal.line(
                    "Finishing or requeuing running jobs. Press Ctrl-C again to stop now."
                )
                supervisor.stop()
                terminal.line("Stopped.")


def _start_servers(
    folder: DataFolder, logs: Logs, terminal: Terminal, ends: ExitStack
) -> dict[str, Server]:
    servers: dict[str, Server] = {}
    given = settings.environment()
    if not given.get("DATABASE_URL"):
        postgres = Postgres(folder.path / "postgres", log=logs.path("postgres"))
        ends.callback(postgres.stop)
        terminal.doing("Starting Postgres")
        postgres.start()
        _create_database(postgres)
        servers["Postgres"] = postgres
        settings.provide({"DATABASE_URL": postgres.url(DATABASE)})
        terminal.done(f"Postgres ready, data in {postgres.data}")
    if not given.get("REDIS_URL"):
        redis = Redis(log=logs.path("redis"))
        ends.callback(redis.stop)
        terminal.doing("Starting Redis")
        redis.start()
        servers["Redis"] = redis
        settings.provide({"REDIS_URL": redis.url()})
        terminal.done("Redis ready")
    return servers


def _create_database(postgres: Postgres) -> None:
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        known = "select from pg_database where datname = %s"
        if connection.execute(known, [DATABASE]).fetchone() is None:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(DATABASE)))


def _complete_environment(folder: DataFolder, options: Options, terminal: Terminal) -> str:
    """Fill in what nobody set, for us and for all processes; returns the address to reach us at."""
    port = free_port(options.host, options.port)
    if port != options.port:
        terminal.problem(f"Port {options.port} is in use; using {port}.")
    address = f"[{options.host}]" if ":" in options.host else options.host
    # Who listens everywhere is here at this address too.
    here = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(options.host, address)  # noqa: S104
    url = f"http://{here}:{port}"
    settings.provide(
        folder.secrets()
        | {
            "SERVICE_BASE_URL": url,
            # One process answers as fast as two to whoever is alone here.
            "GUNICORN_CMD_ARGS": f"--bind {address}:{port} --workers 1",
        }
        | _own_pages(options.host, address, port)
    )
    return url


def _own_pages(host: str, address: str, port: int) -> dict[str, str]:
    """Lets a user alone on this machine try jobs on pages of this server."""
    if host not in ("127.0.0.1", "::1", "localhost"):
        return {}
    return {"EXTRACT_FETCH_ALLOW": f"{address}:{port},localhost:{port}"}


def free_port(host: str, wanted: int) -> int:
    """`wanted`, or the next port that nobody listens on. Raises CannotStart."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for port in range(wanted, min(wanted + PORTS_TRIED, 65536)):
        with socket.socket(family) as attempt:
            # As gunicorn will bind: a port whose last connections fade away is free.
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                attempt.bind((host, port))
            except OSError:
                continue
            return port
    raise CannotStart(f"No free port on {host} starting at {wanted}.")


# A process that has nothing to do without this setting.
_ONLY_WITH = {"rendering": "RENDER_BROWSER"}


def _commands() -> dict[str, str]:
    environment = settings.environment()
    return {
        name: line
        for name, line in parse_procfile(PROCFILE.read_text()).processes.items()
        if environment.get(_ONLY_WITH.get(name, "PATH"))
    }


def _programs(logs: Logs, waiting: Mapping[str, PreparedProgram]) -> list[Program]:
    environment = settings.environment()
    # `celery`, `gunicorn` and `python` are those of our own environment.
    ours = str(Path(sys.executable).parent)
    environment["PATH"] = os.pathsep.join(filter(None, [ours, environment.get("PATH")]))
    environment["PYTHONUNBUFFERED"] = "1"
    return [
        Program(
            name,
            line,
            log=logs.path(name),
            folder=ROOT,
            environment=environment,
            prepared=waiting.get(name),
        )
        for name, line in _commands().items()
    ]


class _Watch:
    """The time from the first process started to the wish to stop."""

    def __init__(
        self,
        folder: DataFolder,
        supervisor: Supervisor,
        logs: Logs,
        terminal: Terminal,
        entrance: str,
        *,
        verbose: bool,
        start_seconds: float,
    ) -> None:
        self._entrance = entrance
        self._start_seconds = start_seconds
        self._folder, self._supervisor, self._logs = folder, supervisor, logs
        self._terminal, self._verbose = terminal, verbose

    def run(self, url: str, *, show_search: bool) -> None:
        """Raises CannotStart when the processes do not come up."""
        self._terminal.doing("Starting the API, workers and the dispatcher")
        self._until_ready(url)
        if self._supervisor.asked_to_stop:
            return
        self._terminal.done("Service ready")
        environment = settings.environment()
        run = LocalRun(
            pid=os.getpid(),
            url=url,
            demo_key=environment["DEMO_API_KEY"],
            environment={n: environment[n] for n in SHARED_VARIABLES if n in environment},
        )
        self._folder.announce(run)
        if show_search:
            self._show_first_search()
        if not self._supervisor.asked_to_stop:
            welcome.banner(self._terminal, self._folder, run, self._entrance)
        while not self._supervisor.asked_to_stop:
            self._tick(1.0)

    def _until_ready(self, url: str) -> None:
        patience = StartPatience(self._start_seconds, lambda: self._supervisor.pids)
        news_due = time.monotonic() + NEWS_SECONDS
        while not self._supervisor.asked_to_stop and (awaited := probe.awaited(url)):
            self._terminal.doing(f"Waiting for {awaited}")
            if time.monotonic() > news_due:
                news_due += NEWS_SECONDS
                self._terminal.line(f"Still waiting for {awaited}: this machine is busy.")
            self._tick(0.1)
            if self._supervisor.failing:
                raise CannotStart(f"Not running: {', '.join(self._supervisor.failing)}.")
            if patience.is_over():
                raise CannotStart(
                    f"Waited for {awaited}, but nothing got on with starting for"
                    f" {self._start_seconds:.0f} s (START_SECONDS); logs: {self._folder.logs}"
                )

    def _show_first_search(self) -> None:
        """In a thread of its own, for the processes are still to be looked after."""
        stop = threading.Event()
        shown = (Settings.from_env(), self._terminal, stop)
        first = threading.Thread(target=first_run.show, args=shown, daemon=True)
        first.start()
        while first.is_alive() and not self._supervisor.asked_to_stop:
            self._tick(0.1)
        stop.set()
        first.join(LAST_STEP_SECONDS)

    def _tick(self, seconds: float) -> None:
        self._supervisor.tick(seconds)
        for line in self._logs.new_lines():
            if self._verbose:
                self._terminal.prefixed(line.program, line.text)
            elif line.problem:
                log = self._logs.path(line.program)
                self._terminal.problem(f"{line.program}: {line.problem} ({log})")
