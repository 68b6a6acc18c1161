"""Server-sent events, however their bytes are cut."""

import pytest

from citegrid import UnusableAnswer
from citegrid.transport.event_stream import MOST_CHARACTERS, EventParser, ServerEvent

STREAM = (
    ': a comment\n\nevent: progress\r\nid: 1\r\ndata: {"ä":\r\ndata: 1}\r\n\r\n'
    "data:bare\r\n\r\nevent: nothing\n\nid: 2\rdata: last\r\r"
).encode()
EVENTS = [
    ServerEvent("progress", "1", '{"ä":\n1}'),
    ServerEvent("message", "1", "bare"),
    ServerEvent("message", "2", "last"),
]


def parsed(size: int) -> list[ServerEvent]:
    """The events of the stream in pieces of so many bytes."""
    parser = EventParser()
    pieces = [STREAM[at : at + size] for at in range(0, len(STREAM), size)]
    found = [event for piece in pieces for event in parser.feed(piece)]
    return found + parser.feed(b"\n")


def test_events_are_the_same_wherever_the_pieces_are_cut() -> None:
    assert [size for size in range(1, len(STREAM) + 1) if parsed(size) != EVENTS] == []


def test_an_event_that_was_not_finished_is_not_told() -> None:
    assert EventParser().feed(b"data: half\n") == []


def test_an_event_without_end_is_refused() -> None:
    parser = EventParser()
    parser.feed(b"data: " + b"x" * (MOST_CHARACTERS - 10))
    with pytest.raises(UnusableAnswer):
        parser.feed(b"x" * 20)
