"""A served application, a provider whose node follows a script, an account with credit."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

import openai
import pytest
import redis
from flask import Flask

from app.core import db
from app.core.config.settings import Settings
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger import store
from app.domains.money.ledger.store import LedgerAccount
from app.local.embedded.redis import Redis
from tests import chatting, shared_applications
from tests.chatting import MODEL, Node
from tests.databases import Databases

HELLO = [{"role": "user", "content": "hi"}]


@dataclass
class Stage:
    settings: Settings
    app: Flask
    base: str
    node: Node
    account_id: UUID
    key: str

    @property
    def client(self) -> openai.OpenAI:
        return openai.OpenAI(base_url=f"{self.base}/v1", api_key=self.key, max_retries=0)

    def ask(self, **changes: Any) -> Any:
        """A chat that selects the node's offer, by the official client."""
        selected = {"provider_selection": changes.pop("selection", self.node.selection)}
        body = {"model": MODEL, "messages": HELLO, "extra_body": selected, **changes}
        return self.client.chat.completions.create(**body)

    def balances(self) -> dict[str, Decimal]:
        """Of who pays, by kind."""
        with db.reading() as reader:
            return {each.kind: each.amount for each in store.balances(reader, self.account_id)}

    def earned(self) -> Decimal:
        """By the provider of the node's offer."""
        with db.reading() as reader:
            sql = "select account_id from provider_offers where id = %(id)s"
            owner = db.value(reader, sql, id=self.node.offer_id)
            return ledger.balance(reader, LedgerAccount(owner, "available"), "USD")

    def set_capacity(self, most: int) -> None:
        """How many chats the node's computer takes at once."""
        with db.transaction() as tx:
            tx.execute("update provider_devices set capacity = %s", [most])

    def chats(self) -> list[Any]:
        with db.reading() as reader:
            return reader.execute(
                "select ended, prompt_tokens, completion_tokens, cost from chats"
                " where account_id = %s order by id",
                [self.account_id],
            ).fetchall()


@dataclass
class Served:
    """An application at work, for all tests of a file: making one takes longer than a test."""

    settings: Settings
    app: Flask
    base: str


@pytest.fixture(scope="module")
def served(databases: Databases, redis_server: Redis) -> Iterator[Served]:
    with (
        shared_applications.made(databases, redis_server) as app,
        chatting.serving(app) as base,
    ):
        yield Served(app.extensions["settings"], app, base)


@pytest.fixture
def stage(served: Served) -> Iterator[Stage]:
    with redis.Redis.from_url(served.settings.redis_url) as client:
        client.flushall()
    served.app.extensions["chats"].limits = chatting.PATIENT
    node = chatting.provider(served.settings, served.base)
    account_id, key = chatting.consumer(served.settings)
    yield Stage(served.settings, served.app, served.base, node, account_id, key)
    node.stop()
    with db.transaction() as tx:
        tx.execute("update provider_offers set published = false, listed = false")


@pytest.fixture
def answering(stage: Stage) -> Stage:
    """With a node that takes chats."""
    stage.node.start()
    return stage
