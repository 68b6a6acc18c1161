"""An account that asks the web, and what it reads of the answer."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from flask.testing import FlaskClient

from app.core.config.settings import Settings
from tests import builders
from tests.internet import Internet
from tests.patience import PATIENCE_SECONDS

PATH = "/external/v1/search"
QUESTION = "How many eggs does a barn owl lay in a clutch?"
OWLS = (
    "Barn owls. The barn owl hunts at night and weighs between 250 and 480 grams.\n\n"
    "A clutch of the barn owl holds four to seven eggs, which hatch after 30 days."
)
TRAINS = (
    "Night trains. Sleeping cars leave the central station at nine in the evening.\n\n"
    "Passengers reach the coast at six, when the first ferry is about to leave."
)


class Asking:
    """An account that asks, and the worker that answers."""

    def __init__(self, client: FlaskClient, settings: Settings, key: dict[str, str]) -> None:
        self.client, self.settings, self.key = client, settings, key

    def configured(self, **changes: Any) -> "Asking":
        """The same account, and a worker with these settings."""
        return Asking(self.client, replace(self.settings, **changes), self.key)

    def through(self, internet: Internet, *engines: str, **changes: Any) -> "Asking":
        """The same account, and a worker that asks these engines."""
        settings = internet.configured(self.settings, *engines, **changes)
        return Asking(self.client, settings, self.key)

    def get(self, below: str = "") -> Any:
        """An answer about searches: of all of them, or of one."""
        return self.client.get(PATH + below, headers=self.key)

    def post(self, body: dict[str, Any] | None = None, below: str = "", **headers: str) -> Any:
        return self.client.post(PATH + below, json=body, headers={**self.key, **headers})

    def submit(self, query: str = QUESTION, **options: Any) -> str:
        """The id of a search that nobody has worked on."""
        id: str = self.post({"query": query, **options}).json["id"]
        return id

    def ask(self, query: str = QUESTION, **options: Any) -> dict[str, Any]:
        """The completed search."""
        id = self.submit(query, **options)
        builders.work(self.settings, id)
        found: dict[str, Any] = self.get(f"/{id}").json
        assert found["status"] == "completed"
        return found

    @contextmanager
    def underway(self, query: str = QUESTION, **options: Any) -> Iterator[str]:
        """A search some worker is at; when the block ends the worker must be done with it."""
        id = self.submit(query, **options)
        worker = threading.Thread(target=builders.work, args=(self.settings, id))
        worker.start()
        yield id
        worker.join(PATIENCE_SECONDS)
        assert not worker.is_alive()

    def progress(self, id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.get(f"/{id}").json["progress"]
        return found

    def snapshot(self, id: str, n: int) -> Any:
        return self.get(f"/{id}/sources/{n}/snapshot").json


def sources(search: dict[str, Any]) -> list[str]:
    return [source["url"] for source in search["result"]["sources"]]


def engines(search: dict[str, Any]) -> dict[str, str]:
    rows = search["result"]["stats"]["engines"]
    return {row["engine"]: row["outcome"] for row in rows}


def warned(search: dict[str, Any]) -> list[str]:
    return [warning.partition(":")[0] for warning in search["warnings"]]


def outcomes(search: dict[str, Any]) -> dict[str, int]:
    found: dict[str, int] = search["result"]["stats"]["pages"]
    return found
