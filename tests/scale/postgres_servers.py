"""Postgres servers that listen on TCP and follow one another: a primary, and replicas of it."""

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import psycopg

from app.local.embedded import system_user
from app.local.embedded.children import spawn, wait_until_ready
from app.local.embedded.postgres import programs
from tests import servers
from tests.ports import free_port

_SETTINGS = {
    "max_connections": "150",
    "shared_buffers": "64MB",
    "wal_level": "replica",
    "max_wal_senders": "5",
    "hot_standby": "on",
    "wal_receiver_timeout": "5s",
    "timezone": "UTC",
    "fsync": "off",  # these tests kill servers, not the machine: what was written stays written
}


class Server:
    """A Postgres on an address and a port of its own."""

    def __init__(self, home: Path, name: str, address: str = "127.0.0.1") -> None:
        self._account = system_user.unprivileged()
        self.data = system_user.server_home((home / name).absolute(), self._account)
        self._log, self.name, self.address = home / f"{name}.log", name, address
        self._programs = programs(self._account)
        self.port = free_port(address)
        self._process: subprocess.Popen[bytes] | None = None
        self.settings = dict(_SETTINGS)

    @property
    def host(self) -> str:
        return f"{self.address}:{self.port}"

    def url(self, name: str = "postgres") -> str:
        return f"postgresql://{name}@{self.host}/postgres"

    def create(self) -> None:
        system_user.owned_folder(self.data, self._account)
        self._run(
            "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync",
            "--locale=C",
        )  # fmt: skip
        with (self.data / "pg_hba.conf").open("a") as file:
            file.write("host all all 10.213.0.0/16 trust\nhost replication all samenet trust\n")

    def copy(self, primary: "Server") -> None:
        """Become a streaming replica of a running primary, by the name of this server."""
        system_user.owned_folder(self.data, self._account)
        source = f"host={primary.address} port={primary.port} user=postgres"
        self._run("pg_basebackup", "-D", self.data, "-d", source, "-X", "stream", "-c", "fast",
                  "--no-sync")  # fmt: skip
        (self.data / "standby.signal").touch()
        with (self.data / "postgresql.auto.conf").open("a") as file:  # where it can be altered
            file.write(f"primary_conninfo = '{source} application_name={self.name}'\n")

    def rejoin(self, primary: "Server") -> None:
        """Come back as a replica of the server that took its place."""
        shutil.rmtree(self.data)
        self.copy(primary)
        self.start()

    def start(self) -> None:
        settings = {**self.settings, "listen_addresses": self.address, "port": str(self.port)}
        self._process = self._spawn(
            "postgres", "-D", self.data, "-k", "",
            *(part for name, value in settings.items() for part in ("-c", f"{name}={value}")),
        )  # fmt: skip
        wait_until_ready(self._process, self._answers, log=self._log, seconds=60)

    def promote(self) -> None:
        """Become the primary; returns when it can be written to."""
        self.execute("select pg_promote(true, 60)")

    def kill(self, number: signal.Signals = signal.SIGQUIT) -> None:
        """It is gone at once, and writes down nothing more."""
        if self._process is not None:
            os.kill(self._process.pid, number)
            self._process.wait(30)
        self._process = None

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        """As the owner of everything."""
        with psycopg.connect(self.url(), autocommit=True, connect_timeout=5) as connection:
            cursor = connection.execute(statement)  # type: ignore[call-overload]
            return list(cursor.fetchall()) if cursor.description else []

    def _answers(self) -> bool:
        try:
            self.execute("select 1")
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, *command: str | Path) -> None:
        code = self._spawn(*command).wait(120)
        assert code == 0, self._log.read_text()[-2_000:]

    def _spawn(self, program: str | Path, *arguments: str | Path) -> subprocess.Popen[bytes]:
        return spawn(
            [self._programs / program, *arguments],
            log=self._log,
            account=self._account,
            environment={"LC_ALL": "C", "TZ": "UTC", "PATH": "/usr/bin:/bin"},
            last_signal=signal.SIGQUIT,
        )


def follow(replica: Server, primary: Server, *, synchronous: bool) -> None:
    """Make `replica` a replica that streams; a commit waits for it if `synchronous`."""
    replica.copy(primary)
    replica.start()
    streaming = "select count(*) from pg_stat_replication where state = 'streaming'"
    servers.until(lambda: primary.execute(streaming)[0][0] == 1)
    if synchronous:
        primary.execute(f"alter system set synchronous_standby_names = '{replica.name}'")
        primary.execute("select pg_reload_conf()")
        waited_for = "select count(*) from pg_stat_replication where sync_state = 'sync'"
        servers.until(lambda: primary.execute(waited_for)[0][0] == 1)
