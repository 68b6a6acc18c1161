"""The process of a node: what it is made of, and how it is told to leave."""

import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

import anyio
import httpx
from anyio.from_thread import BlockingPortal

from citegrid.errors import CitegridError
from citegrid.node.chats.backend import Backend
from citegrid.node.chats.relay import ChatRelay
from citegrid.node.identity import Identity
from citegrid.node.journal import Journal
from citegrid.node.node_client import NodeClient
from citegrid.node.pace import Pace
from citegrid.node.runner import NodeProcess, Perform
from citegrid.node.setup import Setup
from citegrid.node.tasks import kinds
from citegrid.transport.exchange import Policy

POLLING: Final = Policy(deadline_seconds=20.0, retries=0)
"""Heartbeats and claims: their loops try again by a pace of their own."""
STEADY: Final = Policy(deadline_seconds=120.0, retries=20, most_pause_seconds=15.0)
"""Results: worth trying for as long as two leases."""
CHATTING: Final = Policy(deadline_seconds=10.0, retries=10, most_pause_seconds=1.0)


Works = Callable[[Sequence[str], Backend | None], Mapping[str, Perform]]


def run(
    identity: Identity, setup: Setup, journal: Journal, works: Works = kinds
) -> CitegridError | None:
    """Work until the process is told to leave; why the server refused the node, if it did."""
    return anyio.run(_run, identity, setup, journal, works)


async def _run(
    identity: Identity, setup: Setup, journal: Journal, works: Works
) -> CitegridError | None:
    leave = anyio.Event()
    async with anyio.create_task_group() as group:
        group.start_soon(_signals, leave)
        async with BlockingPortal() as portal, node_of(identity, setup, journal, works) as node:
            _leave_with_parent(portal, leave)
            await node.run(leave)
        group.cancel_scope.cancel()
    return node.refused


@asynccontextmanager
async def node_of(
    identity: Identity,
    setup: Setup,
    journal: Journal,
    works: Works = kinds,
    transport: httpx.AsyncBaseTransport | None = None,
    pace: Pace | None = None,
) -> AsyncIterator[NodeProcess]:
    """The node with its connections, which are closed at the end."""
    backend = None
    if setup.backend_url is not None:
        backend = Backend(setup.backend_url, setup.models, setup.backend_key)
    async with (
        NodeClient(identity, POLLING, transport) as polling,
        NodeClient(identity, STEADY, transport) as steady,
        NodeClient(identity, CHATTING, transport) as chatting,
        _closing(backend),
    ):
        yield NodeProcess(
            identity.node_id,
            polling,
            steady,
            works(setup.work, backend),
            ChatRelay(backend, chatting) if backend and "chat" in setup.work else None,
            capacity=setup.capacity,
            journal=journal,
            pace=pace or Pace(),
        )


@asynccontextmanager
async def _closing(backend: Backend | None) -> AsyncIterator[None]:
    try:
        yield
    finally:
        if backend is not None:
            await backend.close()


async def _signals(leave: anyio.Event) -> None:
    """The first asks to leave; the second ends the process, as it would end any other."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            break
    leave.set()


def _leave_with_parent(portal: BlockingPortal, leave: anyio.Event) -> None:
    """The supervisor holds the other end of stdin: it ends when the supervisor does."""

    stdin = sys.stdin.fileno()

    def wait() -> None:
        while os.read(stdin, 1024):  # `sys.stdin` has a lock, and would hold it at the end
            pass
        with suppress(RuntimeError):  # the node has ended before
            portal.start_task_soon(leave.set)

    threading.Thread(target=wait, daemon=True).start()
