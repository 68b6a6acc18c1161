"""Calls as nouns describe them, and what becomes of their answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, Generic, TypeVar

from citegrid.errors import UnusableAnswer
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import decode
from citegrid.transport.event_stream import ServerEvent
from citegrid.transport.exchange import Reply

T = TypeVar("T")


class Unset(Enum):
    """Says that an argument was not given, where None means something."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET


@dataclass(frozen=True, slots=True)
class Route:
    """The route of an operation, as the OpenAPI document writes it.

    `makes`: it creates or spends, so each call gets an Idempotency-Key. `repeatable`: a POST that
    does no more when it is sent twice.
    """

    method: str
    template: str
    access: Access
    makes: bool = False
    repeatable: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Content:
    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True, repr=False)
class Call(Generic[T]):
    """One call: what becomes of the answer, and what is sent.

    None in `query` and UNSET in `body` are left out.
    """

    into: Callable[[Reply], T]
    path: Mapping[str, object] = field(default_factory=dict)
    query: Mapping[str, object] = field(default_factory=dict)
    body: Mapping[str, object] | Content | None = None
    idempotency_key: str | None = None
    held_seconds: float = 0.0
    slow_seconds: float = 0.0
    """How much longer than others it may take, unless the caller gives it a timeout."""


@dataclass(frozen=True, slots=True, repr=False)
class Watch(Generic[T]):
    """One stream: each event through `into`, until one named `last`. `id` is what is watched."""

    into: Callable[[ServerEvent], T]
    last: str
    id: str = ""
    path: Mapping[str, object] = field(default_factory=dict)
    last_event_id: str | None = None
    timeout: float | None = None


def json_of(shape: type[T], inside: str | None = None) -> Callable[[Reply], T]:
    """Reads a JSON answer, or its member `inside`, as `shape`."""

    def read(reply: Reply) -> T:
        found = reply.json()
        if inside is None:
            return decode(shape, found)
        return decode(shape, member(found, inside), f"/{inside}")

    return read


def member(body: Any, name: str) -> Any:
    """Raises UnusableAnswer."""
    if not isinstance(body, dict) or name not in body:
        raise UnusableAnswer(f"The answer lacks /{name}.")
    return body[name]


def nothing(reply: Reply) -> None:
    """For answers without a body. Raises UnusableAnswer."""
    if reply.content:
        raise _foreign(reply, "not empty")


def expect(media_type: str, reply: Reply) -> None:
    """Raises UnusableAnswer for an answer of another form."""
    if reply.headers.get("content-type", "").partition(";")[0].strip().lower() != media_type:
        raise _foreign(reply, f"not {media_type}")


def _foreign(reply: Reply, how: str) -> UnusableAnswer:
    """The answer of something on the way, such as a page for signing in to a network."""
    asked = "Is this the address of a Citegrid server?"
    return UnusableAnswer(f"The answer of {reply.origin} is {how}. {asked}")


def without_none(**members: object) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}
