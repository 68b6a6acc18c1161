"""A chat as the process follows it that holds the client's request."""

import uuid
from typing import Any

import pytest

from app.domains.providers.chats.relay.inboxes import (
    MOST_QUEUED_BYTES,
    ChunkBatch,
    ClaimNotice,
    Inbox,
    LossNotice,
)
from app.domains.providers.chats.relay.relay import Relay, RelayFailed, RelayTimeouts
from app.domains.providers.chats.relay.tally import ChunkTally
from tests.chatting import text

CLAIMED = ClaimNotice(uuid.uuid4(), 1)
SOON = RelayTimeouts(claim=0.0, first_token=0.0, silence=0.0)


def batch(*data: Any, done: bool = False, error: str | None = None, size: int = 10) -> ChunkBatch:
    return ChunkBatch(list(data), done, None, error, size)


def relay(*letters: Any, limits: RelayTimeouts = SOON, alive: bool = True) -> Relay:
    inbox = Inbox()
    for letter in letters:
        inbox.put(letter)
    return Relay(inbox, ChunkTally(100, 100), limits, lambda: alive)


def why(relay: Relay) -> str:
    with pytest.raises(RelayFailed) as broken:
        list(relay.chunks())
    return broken.value.why


def test_chunks_come_in_order_until_the_last_batch() -> None:
    following = relay(CLAIMED, batch(text("a"), text("b")), batch(text("c"), done=True))
    assert [chunk.delta["content"] for chunk in following.chunks() if chunk] == ["a", "b", "c"]
    assert following.holder == CLAIMED


FAILED = batch(text("a"), done=True, error="backend_unavailable")


@pytest.mark.parametrize(
    ("letters", "reason"),
    [
        pytest.param([], "unclaimed", id="no node has it in time"),
        pytest.param([CLAIMED, batch(text("a"))], "silent", id="a node says nothing more"),
        pytest.param([CLAIMED, FAILED], "backend_unavailable", id="a node says that it failed"),
        pytest.param([CLAIMED, batch({"choices": 7})], "garbage", id="what came is no chunk"),
        pytest.param([CLAIMED, batch(text("a")), LossNotice("gap")], "gap", id="a batch is lost"),
    ],
)
def test_a_chat_ends_where(letters: list[Any], reason: str) -> None:
    assert why(relay(*letters)) == reason


def test_a_chat_that_cannot_go_on_is_not_waited_for() -> None:
    assert why(relay(CLAIMED, limits=RelayTimeouts(silence=1.5), alive=False)) == "gone"


def test_an_answer_has_a_greatest_size() -> None:
    assert why(relay(CLAIMED, batch(text("a"), size=5 << 20))) in ("too_large", "client_too_slow")


def test_a_chunk_counts_when_the_next_one_is_wanted() -> None:
    following = relay(CLAIMED, batch(text("abcd"), text("efgh")))
    chunks = following.chunks()
    next(chunks)
    assert following.tally.delivered_bytes == 0
    next(chunks)
    assert following.tally.delivered_bytes == 4


def test_who_does_not_read_is_marked() -> None:
    inbox = Inbox()
    inbox.put(batch(text("a"), size=MOST_QUEUED_BYTES))
    assert not inbox.overflowed
    inbox.put(batch(text("a"), size=1))
    assert inbox.overflowed


def test_whoever_reads_is_not_marked() -> None:
    inbox = Inbox()
    for _ in range(10):
        inbox.put(batch(text("a"), size=MOST_QUEUED_BYTES))
        inbox.get(0)
    assert not inbox.overflowed
