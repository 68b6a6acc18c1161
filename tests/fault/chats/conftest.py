"""The servers of chats, started once: each test but the last leaves them whole."""

from collections.abc import Iterator

import pytest

from tests import servers
from tests.fault import chatting
from tests.fault.chatting import Stage


@pytest.fixture(scope="package")
def chats() -> Iterator[Stage]:
    with chatting.stage() as started:
        started.node.start()
        yield started


@pytest.fixture
def stage(chats: Stage) -> Iterator[Stage]:
    chats.node.script = lambda work: work.say("Hello", " world", usage=(9, 2))
    yield chats
    try:
        servers.until(chats.nothing_is_held)
    except AssertionError as error:
        error.add_note(chats.describe())
        raise
