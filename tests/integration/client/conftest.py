"""The client over the application in this process, and one real deployment for all else.

The client that is awaited takes the same steps; client/tests show them on both.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import httpx
import pytest
from citegrid import Client
from flask import Flask
from werkzeug.serving import make_server

from app.core import db
from app.core.config.settings import Settings
from app.local.embedded.postgres import Postgres
from tests import builders, servers
from tests.deployed import ROOT, deployed

EMAIL, PASSWORD = "ada@example.org", "correct horse battery"
OWLS = """# Barn owls

The barn owl hunts at night. It weighs between 250 and 480 grams.

## Breeding

A clutch holds four to seven eggs, which hatch after 30 days. Both parents feed the young.
"""
QUESTION = "How many eggs does a barn owl lay in a clutch?"
JOB_LIFE = ROOT / "docs" / "explanation" / "job-life.md"  # the documents' examples ask about it
IN_PROCESS = "http://127.0.0.1:1"


class Recorder(httpx.BaseTransport):
    """Passes requests to the application and keeps the JSON of its answers."""

    def __init__(self, app: Flask) -> None:
        self._wsgi = httpx.WSGITransport(app)
        self.answers: list[Any] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._wsgi.handle_request(request)
        if response.headers.get("Content-Type") == "application/json" and response.read():
            self.answers.append(response.json())
        return response


class InThread(httpx.AsyncBaseTransport):
    """The same for a client that is awaited."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await anyio.to_thread.run_sync(self.recorder.handle_request, request)
        content = await anyio.to_thread.run_sync(response.read)
        headers = [pair for pair in response.headers.raw if pair[0].lower() != b"content-length"]
        return httpx.Response(response.status_code, headers=headers, content=content)


@dataclass
class Asking:
    """`ask(lambda client: ...)`; `key` is its API key."""

    recorder: Recorder
    key: str | None = None

    def __call__(self, use: Callable[[Any], Any], **options: Any) -> Any:
        given = {"api_key": self.key, **options}
        with Client(IN_PROCESS, transport=self.recorder, **given) as client:
            used = use(client)
            return list(used) if isinstance(used, Iterator) else used


@pytest.fixture
def ask(app: Flask, owner: dict[str, str]) -> Asking:
    """For an account with an API key."""
    return Asking(Recorder(app), owner["X-API-Key"])


@pytest.fixture
def owls(database: str) -> None:
    builders.indexed_page("https://birds.example.org/owls", OWLS)


@dataclass(frozen=True)
class Server:
    """Where a server listens, and a key for it."""

    url: str
    api_key: str


@pytest.fixture
def idle_server(app: Flask, owner: dict[str, str]) -> Iterator[Server]:
    """Nobody works on its searches."""
    with listening(app) as url:
        yield Server(url, owner["X-API-Key"])


@contextmanager
def listening(app: Flask) -> Iterator[str]:
    """The address of an application that listens in a thread of this process."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="package")
def server(postgres: Postgres) -> Iterator[Server]:
    """A deployment with two pages in its index, which computes while it has nothing to do."""
    # A Redis of its own: its worker would answer to tests that miss one.
    with servers.redis() as redis, servers.database(postgres) as url:
        settings = Settings(database_url=url, redis_url=redis.url(), secret_key="x" * 32)
        db.open(url)
        builders.indexed_page("https://birds.example.org/owls", OWLS)
        builders.indexed_page("https://docs.example.org/job-life", JOB_LIFE.read_text("utf-8"))
        db.close()
        with deployed(settings, "web", "worker", "dispatcher") as running:
            base_url = f"http://{running.address}"
            with Client(base_url) as client:
                client.accounts.create(EMAIL, PASSWORD)
                client.sign_in(EMAIL, PASSWORD)
                made = client.api_keys.create("tests", ["search"])
                servers.until(lambda: client.health.get().dispatchers == "ok")
            yield Server(base_url, made.secret)
