"""Faults of the network between all processes and Postgres and Redis."""

import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from typing import ClassVar
from urllib.parse import urlsplit

from psycopg.conninfo import conninfo_to_dict

from tests.fault.full.fault import Fault
from tests.mixed.installation import ROOT, Installation
from tests.ports import free_port


class _Proxied(Fault):
    group = "network"
    mode = ""
    broken_seconds = 15.0
    _proxy: ClassVar["subprocess.Popen[str]"]
    """Of all faults of the group."""

    def settings(self, running: Installation, ends: ExitStack) -> Mapping[str, str]:
        ports = free_port(), free_port()
        redis = urlsplit(running.redis.url())
        routes = (
            f"{ports[0]}={_socket_of(running)}",
            f"{ports[1]}={redis.hostname}:{redis.port}",
        )
        proxy = ends.enter_context(
            subprocess.Popen(
                [sys.executable, "-m", "tests.fault.full.proxy", *routes],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        ends.callback(proxy.kill)
        assert proxy.stdout is not None
        assert proxy.stdout.readline() == "ready\n"
        _Proxied._proxy = proxy
        return {
            "DATABASE_URL": f"postgresql://postgres@127.0.0.1:{ports[0]}/postgres",
            "REDIS_URL": redis._replace(netloc=f":{redis.password}@127.0.0.1:{ports[1]}").geturl(),
        }

    def strike(self, running: Installation, n: int) -> None:
        self.effects["connections broken"] += self._change(self.mode)
        try:
            running.rest(self.broken_seconds)
        finally:
            self.effects["tried meanwhile"] += self._change("pass")
        self.effects["times"] += 1

    def _change(self, mode: str) -> int:
        """How many connections there were, or were tried since the last change and not let in."""
        assert self._proxy.stdin is not None
        assert self._proxy.stdout is not None
        self._proxy.stdin.write(f"{mode}\n")
        self._proxy.stdin.flush()
        return int(self._proxy.stdout.readline())


class NetworkCut(_Proxied):
    name = "network cut: all connections reset"
    mode = "cut"
    seconds = 130


class NetworkStalled(_Proxied):
    name = "network stalled: nothing gets through, then goes on"
    mode = "stall"
    times = 6
    seconds = 190
    broken_seconds = 30.0


class NetworkHalfOpen(_Proxied):
    name = "half-open connections: only the servers see the end"
    mode = "half"
    times = 6
    seconds = 190
    broken_seconds = 30.0


def _socket_of(running: Installation) -> str:
    """The path of Postgres's Unix socket."""
    parts = conninfo_to_dict(running.postgres.url())
    return f"{parts['host']}/.s.PGSQL.{parts['port']}"
