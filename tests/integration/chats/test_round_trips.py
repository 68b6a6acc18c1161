"""What a chat asks of Postgres, in the process of its client and in that of its node together."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest
import redis

from app.core import ids
from app.core.vault import Vault
from app.domains.providers.chats.completion import WORK
from app.domains.providers.chats.relay import channel
from app.domains.providers.chats.relay.channel import Channel
from app.local.embedded.redis import Redis
from tests.counting import round_trips
from tests.integration.chats.conftest import Stage

FENCE: Final = 1
SILENT_SECONDS: Final = 5.0
"""Nodes say something at least so often."""


def chat(stage: Stage) -> None:
    """One whose node waits for it, as nodes do."""

    def answer() -> None:
        for work in stage.node.claim(10):
            work.say("Hello", " world")

    with ThreadPoolExecutor(1) as node:
        answered = node.submit(answer)
        assert stage.ask().choices[0].message.content == "Hello world"
        answered.result()


def test_a_chat(stage: Stage) -> None:
    each = []
    for _ in range(4):  # the first opens connections, prepares statements, and learns who asks
        with round_trips() as trips:
            chat(stage)
        each.append(trips.postgres)
    assert min(each) <= 60, each


@pytest.fixture
def opened(redis_server: Redis) -> Iterator[Channel]:
    with redis.Redis.from_url(redis_server.url()) as client:
        yield Channel(client, Vault(["x" * 32], "chat"))


def test_the_lease_of_a_claim_is_renewed_later_and_a_repeated_claim_does_not_put_that_off(
    opened: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    id, node_id = ids.new(), ids.new()
    opened.open(id, "chunks:test", {})
    opened.hand_over(id, node_id, FENCE)
    held_since = opened._client.hget(f"chat:{id}", "renewed")
    opened.hand_over(id, node_id, FENCE)
    assert opened._client.hget(f"chat:{id}", "renewed") == held_since
    assert not opened.push(id, node_id, FENCE, 0, {}).renew
    monkeypatch.setattr(channel, "RENEW_MS", 0)
    assert opened.push(id, node_id, FENCE, 1, {}).renew


def test_a_node_whose_answer_nobody_wants_is_told_so_and_renews_nothing(
    opened: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    id, node_id = ids.new(), ids.new()
    opened.open(id, "chunks:test", {})
    opened.hand_over(id, node_id, FENCE)
    opened.close(id)
    monkeypatch.setattr(channel, "RENEW_MS", 0)
    pushed = opened.push(id, node_id, FENCE, 0, {})
    assert (pushed.stop, pushed.renew) == (True, False)


def test_a_first_lease_lasts_until_the_batch_that_renews_it() -> None:
    assert WORK.first_lease_seconds - 1 > channel.FIRST_RENEW_MS / 1000 + SILENT_SECONDS
