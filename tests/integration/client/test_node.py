"""The reference node at work for the application itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import anyio
import pytest
from citegrid.node import runner
from citegrid.node.identity import Identity
from citegrid.node.journal import Journal
from citegrid.node.runner import NodeProcess, WorkOutcome
from citegrid.node.setup import Setup
from citegrid.node.startup import node_of
from citegrid.nouns.providers.work import WorkItem

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from tests import builders, node_work
from tests.integration.client.conftest import Server
from tests.patience import PATIENCE_SECONDS


async def repeat(item: WorkItem) -> WorkOutcome:
    """Hands back what it is given."""
    return WorkOutcome({"given": dict(item.input)}, "repeated")


@asynccontextmanager
async def started(identity: Identity) -> AsyncIterator[tuple[NodeProcess, anyio.Event]]:
    """A node and what makes it leave."""
    works = {node_work.EXTRACTION.name: repeat}
    with anyio.fail_after(PATIENCE_SECONDS):
        async with node_of(identity, Setup(), Journal(), lambda *_: works) as node:
            yield node, anyio.Event()


@pytest.fixture
def identity(idle_server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Identity:
    """Of an admitted node; its claims wait no longer than the test."""
    monkeypatch.setattr(runner, "WAIT_SECONDS", 0.2)
    with db.transaction() as tx:
        id, token = node_work.node(tx, settings, builders.account(tx, "worker@example.org"))
    return Identity(idle_server.url, ids.public(Noun.NODE, id), token)


def test_a_node_does_what_the_application_offers(identity: Identity) -> None:
    with db.transaction() as tx:
        payer = builders.account(tx, "payer@example.org")
        items = {node_work.offered(tx, payer) for _ in range(3)}

    async def work() -> None:
        async with started(identity) as (node, leave), anyio.create_task_group() as group:
            group.start_soon(node.run, leave)
            while not items <= _accepted():
                await anyio.sleep(0.02)
            leave.set()

    anyio.run(work)
    outputs = {id: output for id, output in node_work.accepted if id in items}
    assert all(output["given"]["subject"] for output in outputs.values())


def _accepted() -> set[UUID]:
    return {id for id, _ in node_work.accepted}


def test_a_node_that_was_deleted_ends_and_says_so(identity: Identity) -> None:
    with db.transaction() as tx:
        tx.execute("update nodes set token_digest = '\\x00'")

    async def work() -> str:
        async with started(identity) as (node, leave):
            await node.run(leave)
            return str(getattr(node.refused, "code", ""))

    assert anyio.run(work) == "auth_invalid_token"
