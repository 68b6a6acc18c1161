"""The application behind sockets, a node that asks it for work, and a dispatcher that sweeps."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from http.client import HTTPConnection
from typing import Any

from flask import Flask
from werkzeug.serving import make_server

from app.core import db, ids
from app.core.config.settings import Settings, environment
from app.core.ids import Noun
from tests import builders, node_work, servers
from tests.fault.stage import ROOT
from tests.patience import PATIENCE_SECONDS

SWEEPS = 2


@contextmanager
def served(app: Flask) -> Iterator[int]:
    """The port of the application, which answers each request in a thread."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()


class Node:
    """A node of a new account."""

    def __init__(self, settings: Settings, port: int) -> None:
        self._port = port
        with db.transaction() as tx:
            account_id = builders.account(tx, f"{ids.new().hex}@example.org")
            self.id, self.token = node_work.node(tx, settings, account_id)
        self._path = f"/v1/nodes/{ids.public(Noun.NODE, self.id)}/work/claim?wait=5"
        self._headers = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
        }

    def claim(self, key: str) -> list[dict[str, Any]]:
        status, answer = self._post(self._path, **_wanted(key))
        assert status in (200, 204), answer
        return answer["work"] if status == 200 else []

    def claim_and_vanish(self, key: str) -> None:
        """The connection is gone before a byte of the answer was read."""
        self._post_and_vanish(self._path, **_wanted(key))

    def submit(self, item: dict[str, Any]) -> tuple[int, Any]:
        path, body = _result(item)
        return self._post(path, **body)

    def submit_and_vanish(self, item: dict[str, Any]) -> None:
        path, body = _result(item)
        self._post_and_vanish(path, **body)

    def _post(self, path: str, **body: Any) -> tuple[int, Any]:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_SECONDS)
        try:
            connection.request("POST", path, json.dumps(body), self._headers)
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else None
        finally:
            connection.close()

    def _post_and_vanish(self, path: str, **body: Any) -> None:
        sent = json.dumps(body).encode()
        lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(sent)}"]
        lines += [f"{name}: {text}" for name, text in self._headers.items()]
        with socket.create_connection(("127.0.0.1", self._port)) as cut:
            cut.sendall("\r\n".join([*lines, "", ""]).encode() + sent)


def _wanted(key: str) -> dict[str, Any]:
    return {"key": key, "kinds": node_work.KINDS}


def _result(item: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return f"/v1/work/{item['id']}/result", {"fence": item["fence"], "output": {}}


@contextmanager
def sweeping(settings: Settings) -> Iterator[subprocess.Popen[bytes]]:
    """A dispatcher that knows the kinds of these tests."""
    given = {
        **environment(),
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "SECRET_KEY": settings.secret_key,
    }
    program = "from workers.queue import dispatcher; dispatcher.main(('tests.node_work',))"
    child = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, env=given)
    try:
        servers.until(swept_lately)
        yield child
    finally:
        os.kill(child.pid, signal.SIGCONT)
        child.terminate()
        child.wait(PATIENCE_SECONDS)


def several_sweeps() -> Callable[[], bool]:
    """True once the dispatcher has swept a few times more."""
    seen = set[datetime]()

    def swept() -> bool:
        with db.reading() as reader:
            seen.add(db.value(reader, "select swept_at from sweeps"))
        return len(seen) > SWEEPS

    return swept


def swept_lately() -> bool:
    with db.reading() as reader:
        return bool(db.value(reader, "select swept_at > now() - interval '3 s' from sweeps"))
