"""Server-sent events from pieces of bytes (HTML standard, 9.2.6)."""

import codecs
import re
from dataclasses import dataclass
from typing import Any

from citegrid.errors import UnusableAnswer
from citegrid.transport import untrusted_json

LINE_END = re.compile(r"\r\n|\n|\r")
MOST_CHARACTERS = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ServerEvent:
    name: str
    id: str
    data: str

    def json(self) -> Any:
        """Raises UnusableAnswer."""
        try:
            return untrusted_json.loads(self.data)
        except ValueError:
            message = "An event of the stream is not JSON."
        raise UnusableAnswer(message)


class EventParser:
    """Give it pieces as they come, cut anywhere; it gives back the events they complete."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._name, self._id = "", ""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> list[ServerEvent]:
        """Raises UnusableAnswer for an event without end."""
        self._rest += self._decoder.decode(piece)
        # A lone CR at the end may be half of a CRLF: it waits for what follows.
        held = "\r" if self._rest.endswith("\r") else ""
        *lines, rest = LINE_END.split(self._rest.removesuffix("\r") if held else self._rest)
        self._rest = rest + held
        events = [event for line in lines if (event := self._line(line)) is not None]
        if len(self._rest) + sum(map(len, self._data)) > MOST_CHARACTERS:
            raise UnusableAnswer("An event of the stream is too large.")
        return events

    def _line(self, line: str) -> ServerEvent | None:
        if not line:
            return self._dispatched()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        return None

    def _dispatched(self) -> ServerEvent | None:
        name, data = self._name or "message", "\n".join(self._data)
        had_data = bool(self._data)
        self._name, self._data = "", []
        return ServerEvent(name, self._id, data) if had_data else None
