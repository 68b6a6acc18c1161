"""Two accounts with keys for corpora and searches, and short ways to upload and ask."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core import db
from app.core.config.settings import Settings
from app.domains.queue.webhooks import service as webhooks
from app.domains.queue.webhooks.terms import DeliveryTerms
from tests import builders
from tests.caller import Caller
from tests.internet import Internet, running

CORPORA, SEARCH = "/v1/corpora", "/external/v1/search"
SCOPES = ("search", "corpora")
OWLS = (
    "# Barn owls\n\nThe clutch of a barn owl holds four to seven eggs, which hatch after 30 days.\n"
)


@dataclass(frozen=True)
class Uploader(Caller):
    """An account at the API."""

    settings: Settings

    def corpus(self, name: str = "handbook") -> str:
        """Its address."""
        answer = self.ask("POST", CORPORA, json={"name": name})
        assert answer.status_code == 201, answer.get_json()
        return f"{CORPORA}/{answer.get_json()['id']}"

    def put(self, corpus: str, key: str, text: str | bytes, **options: Any) -> TestResponse:
        return self.ask("PUT", f"{corpus}/documents/{key}", data=text, **options)

    def upload(self, corpus: str, key: str, text: str | bytes, **options: Any) -> dict[str, Any]:
        """Stored and read, as far as it can be."""
        assert self.put(corpus, key, text, **options).status_code in (200, 202)
        read_all(self.settings)
        document: dict[str, Any] = self.ask("GET", f"{corpus}/documents/{key}").get_json()
        return document

    def search(self, question: str, **given: Any) -> dict[str, Any]:
        """The finished search."""
        return self.searched(self.begin(question, **given))

    def begin(self, question: str, **given: Any) -> str:
        """The id of the search, which waits for a worker."""
        answer = self.ask("POST", SEARCH, json={"query": question, **given})
        assert answer.status_code == 202, answer.get_json()
        id: str = answer.get_json()["id"]
        return id

    def searched(self, id: str) -> dict[str, Any]:
        """The search, which a worker finishes."""
        builders.work(self.settings, id)
        search: dict[str, Any] = self.ask("GET", f"{SEARCH}/{id}").get_json()
        assert search["status"] == "completed"
        return search

    def sources(self, question: str, **given: Any) -> list[str]:
        """The addresses of the sources that a search finds."""
        return [x["url"] for x in self.search(question, **given)["result"]["sources"]]

    def subscribe(self, *types: str) -> None:
        """To these events of its account."""
        with db.transaction() as tx:
            account = db.value(tx, "select account_id from own_corpora")
            terms = DeliveryTerms.of(self.settings)
            webhooks.create(tx, account, "https://example.org/hook", list(types), terms)


def told() -> list[dict[str, Any]]:
    """The events that webhooks are told, oldest first."""
    with db.reading() as reader:
        bodies = db.values(reader, "select body from webhook_events order by id")
    return [json.loads(bytes(body)) for body in bodies]


def read_all(settings: Settings) -> None:
    """Do all jobs about documents that wait, and those that they promise."""
    waiting = "select id from jobs where kind like 'documents.%%' and state = 'queued' order by id"
    while True:
        with db.reading() as reader:
            ids = list(db.values(reader, waiting))
        if not ids:
            return
        builders.run(settings, ids)


@pytest.fixture
def sign_up(client: FlaskClient, settings: Settings) -> Callable[[str], Uploader]:
    def sign_up(name: str) -> Uploader:
        with db.transaction() as tx:
            account = builders.account(tx, f"{name}@example.org")
            key = builders.api_key(tx, settings, account, SCOPES)
        return Uploader(client, {"X-API-Key": key}, settings)

    return sign_up


@pytest.fixture
def ada(sign_up: Callable[[str], Uploader]) -> Uploader:
    return sign_up("ada")


@pytest.fixture
def bob(sign_up: Callable[[str], Uploader]) -> Uploader:
    return sign_up("bob")


@pytest.fixture
def internet() -> Iterator[Internet]:
    with running() as internet:
        yield internet
