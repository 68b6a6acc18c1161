"""A Redis primary with a replica, and three Sentinels that replace the one by the other."""

import contextlib
import os
import secrets
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from app.local.embedded import redis_program, system_user
from app.local.embedded.children import spawn, wait_until_ready
from tests import servers
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port

NAME = "queue"
SENTINELS = 3
DOWN_MS = 1_000


class Server:
    """A Redis or a Sentinel; the password is that of all of one group."""

    def __init__(self, home: Path, name: str, password: str, address: str = "127.0.0.1") -> None:
        self._account = system_user.unprivileged()
        self._folder = system_user.owned_folder(home / name, self._account)
        self._log, self.password, self.address = home / f"{name}.log", password, address
        self.port = free_port(address)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@{self.address}:{self.port}/0"

    def client(self, **options: object) -> redis.Redis:
        given = {"socket_timeout": 2, "retry": Retry(NoBackoff(), 0), **options}
        return redis.Redis(self.address, self.port, **given)  # type: ignore[call-overload, no-any-return]

    def start(self, primary: "Server | None" = None) -> None:
        """As a replica of `primary`, if there is one."""
        lines = [
            f"bind {self.address}",
            f"port {self.port}",
            f"requirepass {self.password}",
            f"masterauth {self.password}",
            'save ""',
            "repl-diskless-sync-delay 0",
            f"dir {self._folder}",
        ]
        if primary:
            lines.append(f"replicaof {primary.address} {primary.port}")
        self._start(lines, self.password, sentinel=False)

    def watch(self, primary: "Server") -> None:
        """Be a Sentinel."""
        lines = [
            f"bind {self.address}",
            f"port {self.port}",
            f"dir {self._folder}",
            f"sentinel monitor {NAME} {primary.address} {primary.port} {SENTINELS // 2 + 1}",
            f"sentinel auth-pass {NAME} {self.password}",
            f"sentinel down-after-milliseconds {NAME} {DOWN_MS}",
            f"sentinel failover-timeout {NAME} 5000",
        ]
        self._start(lines, None, sentinel=True)

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        if self._process is not None:
            os.kill(self._process.pid, number)
            if number == signal.SIGKILL:
                self._process.wait(30)
                self._process = None

    def role(self) -> str:
        """`master` or `slave`, empty while it does not answer."""
        try:
            with self.client(password=self.password) as client:
                return str(client.info("replication")["role"])
        except redis.RedisError:
            return ""

    def _start(self, lines: list[str], password: str | None, *, sentinel: bool) -> None:
        file = self._folder / "server.conf"  # Sentinels keep in it what they learn
        file.write_text("\n".join(lines) + "\n")
        if self._account:
            os.chown(file, self._account.uid, self._account.gid)
        self._process = spawn(
            [redis_program.program(self._account), file, *(["--sentinel"] if sentinel else [])],
            log=self._log,
            account=self._account,
            environment={"LC_ALL": "C"},
        )
        wait_until_ready(
            self._process,
            lambda: self._answers(password),
            log=self._log,
            seconds=PATIENCE_SECONDS,
        )

    def _answers(self, password: str | None) -> bool:
        try:
            with self.client(password=password) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


class Group:
    """A primary, its replica and their Sentinels."""

    def __init__(self, home: Path) -> None:
        self.password = secrets.token_urlsafe(12)
        self.servers = [Server(home, f"redis{n}", self.password) for n in range(2)]
        self.sentinels = [Server(home, f"sentinel{n}", self.password) for n in range(SENTINELS)]

    @property
    def url(self) -> str:
        hosts = ",".join(f"{each.address}:{each.port}" for each in self.sentinels)
        return f"sentinel://:{self.password}@{hosts}/{NAME}?db=0"

    def start(self) -> None:
        first, second = self.servers
        first.start()
        second.start(first)
        for sentinel in self.sentinels:
            sentinel.watch(first)
        servers.until(self._is_known_to_all)

    def stop(self) -> None:
        for server in [*self.sentinels, *self.servers]:
            with contextlib.suppress(ProcessLookupError):
                server.kill()

    def primary(self) -> Server:
        """Of those that run, by what it says of itself."""
        found: list[Server] = []

        def is_known() -> bool:
            found[:] = [server for server in self.servers if server.role() == "master"]
            return len(found) == 1

        servers.until(is_known)
        return found[0]

    def other(self, server: Server) -> Server:
        return self.servers[1 - self.servers.index(server)]

    def is_elected(self, server: Server) -> bool:
        """Whether it is the primary, and all Sentinels have done with replacing the former."""
        known = [sentinel.sentinel_master(NAME)["port"] for sentinel in self._connected()]
        return server.role() == "master" and known == [server.port] * SENTINELS

    def can_replace(self, server: Server) -> bool:
        """Whether it is a replica that each Sentinel would take for the next primary."""
        replicas = [
            replica
            for sentinel in self._connected()
            for replica in sentinel.sentinel_slaves(NAME)
            if replica["port"] == server.port
        ]
        return len(replicas) == SENTINELS and not any(
            replica["is_sdown"]
            or replica["is_disconnected"]
            or replica["master-link-status"] != "ok"
            for replica in replicas
        )

    def _connected(self) -> Iterator[redis.Redis]:
        for sentinel in self.sentinels:
            with sentinel.client(socket_timeout=PATIENCE_SECONDS) as client:
                yield client

    def _is_known_to_all(self) -> bool:
        states = [client.sentinel_master(NAME) for client in self._connected()]
        wanted = (SENTINELS - 1, 1)
        return all((s["num-other-sentinels"], s["num-slaves"]) == wanted for s in states)


@contextmanager
def group() -> Iterator[Group]:
    with servers.folder() as home:
        started = Group(home)
        try:
            started.start()
            yield started
        finally:
            started.stop()
