"""The actor of a request or a command, for whoever keeps record of what was done."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

Kind = Literal["session", "key", "node", "operator", "cli", "system", "anonymous"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """`account_id` acts with `credential_id`; `name` is who types a command."""

    kind: Kind
    account_id: UUID | None = None
    credential_id: UUID | None = None
    name: str | None = None
    address: str | None = None
    request_id: UUID | None = None


SYSTEM: Final = Actor(kind="system")

_actor: ContextVar[Actor] = ContextVar("actor", default=SYSTEM)


def actor() -> Actor:
    """The actor of the request or command at work; the service itself where nobody asked for it."""
    return _actor.get()


def become(actor: Actor) -> None:
    _actor.set(actor)


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    before = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(before)
