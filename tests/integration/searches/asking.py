"""An account that asks the web, and what it reads of the answer."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask.testing import FlaskClient

from app.core.config.settings import Settings
from tests import builders
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

    @contextmanager
    def underway(self, query: str = QUESTION, **options: Any) -> Iterator[str]:
        """A search some worker is at; when the block ends the worker must be done with it."""
        body = {"query": query, **options}
        id = self.client.post(PATH, json=body, headers=self.key).json["id"]
        worker = threading.Thread(target=builders.work, args=(self.settings, id))
        worker.start()
        yield id
        worker.join(PATIENCE_SECONDS)
        assert not worker.is_alive()

    def progress(self, id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(f"{PATH}/{id}", headers=self.key).json["progress"]
        return found

    def ask(self, query: str = QUESTION, **options: Any) -> dict[str, Any]:
        """The completed search."""
        body = {"query": query, **options}
        id = self.client.post(PATH, json=body, headers=self.key).json["id"]
        builders.work(self.settings, id)
        found: dict[str, Any] = self.client.get(f"{PATH}/{id}", headers=self.key).json
        assert found["status"] == "completed"
        return found

    def snapshot(self, id: str, n: int) -> Any:
        return self.client.get(f"{PATH}/{id}/sources/{n}/snapshot", headers=self.key).json


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
