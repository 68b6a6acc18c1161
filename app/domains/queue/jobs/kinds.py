"""Kinds of work. A domain registers its kinds; the life of a job is the same for all of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, ParamSpec
from uuid import UUID

from app.core.db import Tx

Particulars = ParamSpec("Particulars")


def begun_rows(payload: Mapping[str, Any]) -> Sequence[str]:
    """The rows of a slice that were begun one by one and not ended (`attempt_store.begin_row`)."""
    begun: Sequence[str] = payload.get("begun", ())
    return begun


@dataclass(frozen=True, slots=True)
class EndedJob:
    """A job that reached `failed` or `cancelled`, as its kind's `on_end` sees it."""

    id: UUID
    account_id: UUID
    kind: str
    state: str
    payload: dict[str, Any]
    error: dict[str, Any] | None
    parent_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class EndedPart:
    """A part that has ended in any way, as the `on_part` of its parent's kind sees it."""

    parent_id: UUID
    account_id: UUID
    part_id: UUID
    kind: str
    state: str
    payload: dict[str, Any]
    error: dict[str, Any] | None
    parts_open: int
    """Of the parent, without this one."""

    @property
    def begun(self) -> Sequence[str]:
        """Rows in its hands that its workers may have died of; empty if none can be named."""
        return begun_rows(self.payload)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """The particulars of one kind of work.

    `every_seconds` makes it work of the service itself: it has one schedule, and at most one job at
    a time (see `schedules.establish`).
    `ids_per_message` is how many jobs a worker claims at once and ends in one transaction. None
    leaves it to the dispatcher, which bundles what has lately taken a few milliseconds. `on_end`
    runs in the transaction in which a job fails or is cancelled, whoever ends it: worker,
    sweeper or API. It may only touch the database.
    `on_part` runs in the transaction in which a part of a job of this kind ends, however it ends,
    with the job's row locked: of two parts that end at once, one comes second. It may only touch
    the database, and may enqueue further parts.
    `pauses` are the seconds before attempt 2, 3, ..., give or take a fifth, instead of the
    exponential backoff; there is one attempt more than there are pauses.
    A `remote` kind is done by nodes: its queue is served by no process of ours, nobody here handles
    it, and who works on it asks for it over HTTP. `on_lost` runs in the transaction in which the
    sweeper takes a job from a silent holder, before `on_end` if that was its last attempt.
    Operators may retry failed jobs of a kind without `on_end`; `retriable` allows it where that
    hook did nothing that doing the job again would contradict. They may cancel jobs of any kind
    that is `cancellable`: not what alone can tell whether somebody has paid, or credits it.
    """

    name: str = field(kw_only=False)
    queue: str
    deadline_seconds: float
    max_attempts: int = 4
    priority: int = 50
    backoff_seconds: float = 1.0
    backoff_limit_seconds: float = 300.0
    ids_per_message: int | None = None
    every_seconds: int | None = None
    on_end: Callable[[Tx, EndedJob], None] | None = None
    on_part: Callable[[Tx, EndedPart], None] | None = None
    pauses: tuple[float, ...] | None = None
    remote: bool = False
    on_lost: Callable[[Tx, EndedJob], None] | None = None
    retriable: bool = False
    cancellable: bool = True

    def __post_init__(self) -> None:
        if self.pauses is not None:
            object.__setattr__(self, "max_attempts", len(self.pauses) + 1)

    @property
    def can_be_retried(self) -> bool:
        """True if operators may have a failed job done again."""
        return not self.remote and (self.retriable or self.on_end is None)


_kinds: dict[str, Kind] = {}


def _registered(make: Callable[Particulars, Kind]) -> Callable[Particulars, Kind]:
    """Takes the same arguments, so that each call is checked by their types."""

    def register(*name: Particulars.args, **particulars: Particulars.kwargs) -> Kind:
        kind = make(*name, **particulars)
        if kind.name in _kinds:
            raise ValueError(f"two kinds are named {kind.name}")
        _kinds[kind.name] = kind
        return kind

    return register


register: Final = _registered(Kind)
"""Makes a kind known to this process; called once, where the domain's service is defined."""


def of(name: str) -> Kind:
    """The kind of this name. LookupError: this process is older than the job."""
    return _kinds[name]


def every() -> Iterator[Kind]:
    return iter(list(_kinds.values()))


def names() -> list[str]:
    """The kinds that this process may dispatch, take and sweep; newer ones are for others."""
    return list(_kinds)


def remote_names() -> list[str]:
    return [kind.name for kind in _kinds.values() if kind.remote]


def queues() -> list[str]:
    """The queues that processes of ours serve, in alphabetical order."""
    return sorted({kind.queue for kind in _kinds.values() if not kind.remote})
