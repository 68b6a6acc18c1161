"""A database, a Redis and an account, to start what is in deploy/ over."""

import http.client
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from app.core import db
from app.core.config.settings import Settings
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from tests import builders, servers
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port

SEARCH = "/external/v1/search"


@dataclass(frozen=True, slots=True)
class Ports:
    """Free ones, for those that the files name."""

    web: int
    waiting: int
    mcp: int
    metrics: int
    agents: int

    def within(self, command: str) -> str:
        """A command or a configuration with these ports."""
        named = {
            "127.0.0.1:8000": self.web,
            "127.0.0.1:8001": self.waiting,
            "127.0.0.1:8765": self.mcp,
            "127.0.0.1:8002": self.agents,
        }
        for address, port in named.items():
            command = command.replace(address, f"127.0.0.1:{port}")
        return command.replace("--transport http", f"--transport http --port {self.mcp}")


@dataclass(frozen=True, slots=True)
class Installation:
    """Servers without processes of ours. `settings` are those that the processes are to have."""

    settings: Settings
    ports: Ports

    def environment(self) -> dict[str, str]:
        """What an operator writes into the environment files."""
        return {
            "DATABASE_URL": self.settings.database_url,
            "REDIS_URL": self.settings.redis_url,
            "SECRET_KEY": self.settings.secret_key,
            "SERVICE_BASE_URL": "https://search.example.org",
            "EMBEDDINGS_PACKAGED": "false",
        }

    def key(self) -> str:
        """Of a new account."""
        url = self.settings.database_url
        with db.connect(url) as connection, connection.transaction():
            account = builders.account(connection)  # type: ignore[arg-type]
            return builders.api_key(connection, self.settings, account)  # type: ignore[arg-type]


@contextmanager
def installed(postgres: Postgres, redis: Redis) -> Iterator[Installation]:
    """With an empty database: the release step makes the tables."""
    with servers.database(postgres, migrated=False) as url:
        settings = Settings(database_url=url, redis_url=redis.url(), secret_key="x" * 32)
        yield Installation(settings, Ports(*(free_port() for _ in range(5))))


def ask(port: int, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    """Status and JSON of an answer; (0, None) while nobody listens."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, {"Content-Type": "application/json", **sent})
        answer = connection.getresponse()
        text = answer.read()
    except OSError:
        return 0, None
    finally:
        connection.close()
    return answer.status, json.loads(text) if text.startswith(b"{") else text.decode()


def search_ends(port: int, key: str, seconds: float = PATIENCE_SECONDS) -> str:
    """The status that a new search comes to."""
    status, search = ask(port, "POST", SEARCH, {"query": "owls"}, X_API_Key=key)
    assert status == 202, search
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        _, search = ask(port, "GET", f"{SEARCH}/{search['id']}?wait=10", X_API_Key=key)
        if search["status"] in ("completed", "failed"):
            break
    ended: str = search["status"]
    return ended
