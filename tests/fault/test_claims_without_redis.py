"""Claims while Redis forgets everything, and while it is away: they find their work by looking."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from uuid import UUID

import pytest
import redis

from app.core import db, ids
from app.core.config.settings import Settings
from app.local.embedded.redis import Redis
from tests import builders, node_work, servers
from tests.fault import report
from tests.fault.polling import Node

NODES, EACH, ROUNDS = 6, 6, 20
UNFINISHED = "select count(*) from jobs where finished_at is null and kind = 'test.extraction'"
ATTEMPTS = "select sum(attempt) from jobs where kind = 'test.extraction'"


@pytest.fixture
def broker() -> Iterator[Redis]:
    with servers.redis() as server:
        yield server


@pytest.fixture
def redis_url(broker: Redis) -> str:
    """Of a server that this test may stop."""
    return broker.url()


class Nodes:
    """They claim and submit until told to end."""

    def __init__(self, settings: Settings, port: int) -> None:
        self._nodes = [Node(settings, port) for _ in range(NODES)]
        self._ended = threading.Event()
        self.claims = 0
        self._threads = [threading.Thread(target=self._work, args=(n,)) for n in self._nodes]
        for thread in self._threads:
            thread.start()

    def _work(self, node: Node) -> None:
        while not self._ended.is_set():
            for item in node.claim(ids.new().hex):
                assert node.submit(item)[0] == 200
            self.claims += 1

    def end(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()


def one(sql: str) -> int:
    with db.reading() as reader:
        return int(db.value(reader, sql))  # type: ignore[arg-type]


def test_claims_go_on_while_redis_is_flushed_and_away(
    settings: Settings, port: int, broker: Redis, long: bool
) -> None:
    node_work.accepted.clear()
    with db.transaction() as tx:
        payer = builders.account(tx, "payer@example.org")
    items, rounds = list[UUID](), ROUNDS if long else 1
    nodes = Nodes(settings, port)
    faults: list[Callable[[], object]] = [lambda: _flush(broker), broker.stop, broker.start]
    try:
        for strike in faults * rounds:
            items += _offered(payer)
            strike()
            items += _offered(payer)
            servers.until(lambda: one(UNFINISHED) == 0)
    finally:
        nodes.end()
    assert Counter(id for id, _ in node_work.accepted) == dict.fromkeys(items, 1)
    assert one(ATTEMPTS) == len(items)
    report.notes.append(
        f"Claims while Redis is flushed, stopped and started: {nodes.claims} with {len(items)}"
        f" items under {len(faults) * rounds} faults: 0 lost, 0 given or accepted twice"
    )


def _offered(payer: UUID) -> list[UUID]:
    with db.transaction() as tx:
        return [node_work.offered(tx, payer) for _ in range(EACH)]


def _flush(broker: Redis) -> None:
    with redis.Redis.from_url(broker.url()) as client:
        client.flushall()
