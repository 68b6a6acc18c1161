"""A Redis server of our own, for machines that have none; it keeps nothing on disk.

It listens on a free loopback port and asks for a random password. A Unix socket would be simpler,
but Celery, redis-py and limits each spell its URL differently, and Celery cannot spell every path.
"""

import secrets
import signal
import socket
import subprocess
from pathlib import Path
from typing import Self

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from app.local.embedded import redis_program, system_user
from app.local.embedded.children import ServerFailed, spawn, wait_until_ready

_ATTEMPTS = 3


class Redis:
    """One server; start and stop it from the main thread."""

    def __init__(self, *, log: Path) -> None:
        self._account = system_user.unprivileged()
        self._log = log
        self._password = secrets.token_urlsafe(24)
        self._port = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Process id of the server, 0 when it does not run."""
        return self._process.pid if self._process else 0

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def url(self, database: int = 0) -> str:
        """Connection URL, password included. Raises RuntimeError before `start()`."""
        if not self._port:
            raise RuntimeError("the server is not started")
        return f"redis://:{self._password}@127.0.0.1:{self._port}/{database}"

    def start(self, seconds: float = 15.0) -> Self:
        """Return when the server answers. Raises ServerFailed.

        A second start uses the same port if it can, so that clients find their server again.
        """
        for attempt in range(_ATTEMPTS):
            self._port = self._port or _free_port()
            try:
                self._launch(seconds)
            except ServerFailed as failure:
                self.stop()
                # Somebody may have taken the port between our look and Redis's.
                if "in use" not in str(failure) or attempt == _ATTEMPTS - 1:
                    raise
                self._port, self._password = 0, secrets.token_urlsafe(24)
            else:
                break
        return self

    def stop(self, grace_seconds: float = 5.0) -> None:
        """End the server and forget what it held."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(grace_seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _launch(self, seconds: float) -> None:
        settings = (
            f"bind 127.0.0.1\nport {self._port}\nrequirepass {self._password}\n"
            'save ""\nappendonly no\nmaxmemory-policy noeviction\ndaemonize no\n'
        )
        self._process = spawn(
            [redis_program.program(self._account), "-"],
            log=self._log,
            account=self._account,
            environment={"LC_ALL": "C"},
            stdin=settings.encode(),  # the password is not for the process list
        )
        wait_until_ready(self._process, self._answers, log=self._log, seconds=seconds)

    def _answers(self) -> bool:
        once = Retry(NoBackoff(), 0)
        with redis.Redis.from_url(self.url(), socket_timeout=0.5, retry=once) as client:
            try:
                return bool(client.ping())
            except (redis.ConnectionError, redis.TimeoutError):
                return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
