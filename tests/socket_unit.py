"""A socket that outlives the processes behind it, handed over as systemd does."""

import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.core.config.settings import environment
from tests import servers
from tests.served import ROOT, SETTINGS

# Only the process itself knows which one the socket is for.
HANDED_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execvp(sys.argv[2], sys.argv[2:])
"""
STAND_IN = "gunicorn -c deploy/gunicorn.conf.py --workers 1 --threads 8 tests.stand_in:app"
PATIENCE_SECONDS = 600.0


class Service:
    """A process behind the socket, over the application of tests.stand_in unless told otherwise."""

    def __init__(self, listener: socket.socket, home: Path, name: str, command: str) -> None:
        self._listener, self._command = listener, command
        self._log, self._notify = home / f"{name}.log", home / f"{name}.notify"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def start(self, *, ready: bool = True) -> None:
        """With `ready`, return when it has said so, as one of `Type=notify` does."""
        given = {
            **environment(),
            **SETTINGS,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environment()['PATH']}",
            "NOTIFY_SOCKET": str(self._notify),
        }
        number = self._listener.fileno()
        command = [sys.executable, "-c", HANDED_OVER, str(number), *shlex.split(self._command)]
        self._notify.unlink(missing_ok=True)
        with (
            self._log.open("ab") as output,
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard,
        ):
            heard.bind(str(self._notify))
            heard.settimeout(PATIENCE_SECONDS)
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=given, stdout=output, stderr=output,
                pass_fds=[number], process_group=0,
            )  # fmt: skip
            while ready and b"READY=1" not in heard.recv(4096):
                pass

    def stop(self) -> int:
        """SIGTERM for the main process, and its exit code."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(PATIENCE_SECONDS)

    def restart(self) -> None:
        assert self.stop() == 0, self.log
        self.start()

    def kill(self) -> None:
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


class SocketUnit:
    """The socket. Its services are killed when it closes."""

    def __init__(self, home: Path) -> None:
        self._home, self._services = home, list[Service]()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._listener.set_inheritable(True)

    @property
    def port(self) -> int:
        port: int = self._listener.getsockname()[1]
        return port

    @property
    def logs(self) -> str:
        return "".join(service.log for service in self._services)

    def service(self, command: str = STAND_IN) -> Service:
        name = str(len(self._services))
        self._services.append(Service(self._listener, self._home, name, command))
        return self._services[-1]

    def close(self) -> None:
        for service in self._services:
            service.kill()
        self._listener.close()


@contextmanager
def socket_unit() -> Iterator[SocketUnit]:
    with servers.folder() as home:
        unit = SocketUnit(home)
        try:
            yield unit
        finally:
            unit.close()
