"""The queues: how each does, pausing and resuming."""

from dataclasses import dataclass
from datetime import UTC, datetime

from app.core.db import Reader, Tx
from app.core.errors import NotFound, required
from app.domains.account.audit.service import record_event
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.admission import load_store
from app.domains.queue.jobs.admission.load_store import Load
from app.domains.queue.jobs.operations import workers
from app.domains.queue.jobs.operations.queues import (
    autoscaling,
    queue_states,
    queue_store,
    sample_store,
)
from app.domains.queue.jobs.operations.queues.queue_states import State
from app.domains.queue.jobs.operations.queues.queue_store import Switch
from app.domains.queue.jobs.operations.queues.sample_store import Recent
from app.domains.queue.jobs.operations.workers import Crew

MINUTE_ENOUGH = 5  # jobs that ended in a minute make a rate; of fewer, five minutes do


class QueueNotFound(NotFound):
    """No queue has this name."""

    code = "queue_not_found"


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue and how it does. `drains_in_seconds` is None when it never would.

    Of its `places` so many are `busy`, with jobs of whichever queue, and so many are `wanted`.
    """

    name: str
    state: State
    waiting: int
    running: int
    delayed: int
    oldest_seconds: float
    workers: int
    places: int
    places_busy: int
    places_wanted: int
    per_second: float
    growth_per_minute: float | None
    drains_in_seconds: float | None
    paused_at: datetime | None
    paused_by: str | None


def establish(tx: Tx) -> None:
    """See that each queue of the kinds known here can be paused and sampled."""
    queue_store.establish(tx, kinds.queues())


def overview(reader: Reader, target_seconds: float) -> list[Queue]:
    """All queues that processes of ours serve, by name."""
    loads = {load.queue: load for load in load_store.loads(reader)}
    later = load_store.later(reader)
    recent = {row.queue: row for row in sample_store.recent(reader, queue_states.GROWTH_SECONDS)}
    crews = workers.crews(reader)
    return [
        _queue(
            switch,
            loads[switch.name],
            later.get(switch.name, 0),
            recent.get(switch.name) or Recent(switch.name),
            crews[switch.name],
            target_seconds,
        )
        for switch in queue_store.every(reader)
    ]


def _queue(
    switch: Switch, load: Load, later: int, recent: Recent, crew: Crew, target_seconds: float
) -> Queue:
    before = recent.waiting_before
    grown = None if before is None else load.waiting - before
    facts = queue_states.Facts(
        paused=switch.paused_at is not None,
        waiting=load.waiting,
        running=load.running,
        oldest_seconds=load.oldest_seconds,
        workers=crew.workers,
        waiting_before=before,
        quiet_seconds=_quiet_seconds(recent),
    )
    demand = autoscaling.Demand(
        paused=facts.paused,
        waiting=load.waiting,
        running=load.running,
        places=crew.places,
        running_lately=recent.running,
        ended_per_second=recent.ended / recent.covered_seconds,
        growth_per_second=(grown or 0) / queue_states.GROWTH_SECONDS,
    )
    state = queue_states.state_of(facts, target_seconds)
    per_second = _per_second(recent)
    return Queue(
        name=switch.name,
        state=state,
        waiting=load.waiting,
        running=load.running,
        delayed=later,
        oldest_seconds=load.oldest_seconds,
        workers=crew.workers,
        places=crew.places,
        places_busy=crew.busy,
        places_wanted=autoscaling.places_wanted(demand, target_seconds),
        per_second=per_second,
        growth_per_minute=None if grown is None else grown * 60 / queue_states.GROWTH_SECONDS,
        drains_in_seconds=queue_states.drain_seconds(state, load.waiting, per_second),
        paused_at=switch.paused_at,
        paused_by=switch.paused_by,
    )


def _quiet_seconds(recent: Recent) -> float | None:
    if recent.active_at is None:
        return None
    return max(0.0, (datetime.now(UTC) - recent.active_at).total_seconds())


def _per_second(recent: Recent) -> float:
    if recent.ended_in_minute >= MINUTE_ENOUGH:
        return recent.ended_in_minute / min(60, recent.covered_seconds)
    return recent.ended / recent.covered_seconds


def find(reader: Reader, name: str, target_seconds: float) -> Queue:
    """Raises QueueNotFound."""
    for queue in overview(reader, target_seconds):
        if queue.name == name:
            return queue
    raise QueueNotFound


def worst(found: list[Queue]) -> Queue | None:
    """The one to look at first; of several, where the oldest has waited longest."""
    order = queue_states.WORST_FIRST.index
    return min(found, key=lambda q: (order(q.state), -q.oldest_seconds), default=None)


def headline(found: list[Queue]) -> str:
    """Says in a sentence how the queue does that needs somebody most."""
    queue = worst(found)
    if queue is None:
        return "No dispatcher has started yet"
    if queue.state == "idle":
        return "Nothing waits, nothing runs"
    facts = [f"{queue.waiting:,} waiting", f"{queue.running:,} running"]
    if queue.waiting:
        facts.append(f"oldest {brief(queue.oldest_seconds)}")
    if queue.growth_per_minute and queue.state == "growing":
        facts.append(f"{queue.growth_per_minute:+.0f} a minute")
    if not queue.workers:
        facts.append("no worker")
    return f"{queue.name} is {queue.state}: {', '.join(facts)}"


def brief(seconds: float) -> str:
    """The two largest units of a span: `94 s`, `8 min 20 s`, `3 h 5 min`, `2 d 4 h`."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    for unit, size, smaller, part in (("d", 86_400, "h", 3_600), ("h", 3_600, "min", 60)):
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // part} {smaller}"
    return f"{whole // 60} min {whole % 60} s"


def pause(tx: Tx, name: str, by: str) -> None:
    """From now on nothing of the queue is dispatched or claimed; what runs goes on.

    Twice is once: whoever was first stays named. Raises QueueNotFound.
    """
    required(queue_store.by_name(tx, name), QueueNotFound)
    if queue_store.pause(tx, name, by):
        queue_store.recall(tx, name)
        record_event(tx, "queue.paused", name)


def resume(tx: Tx, name: str) -> None:
    """Let the queue go on. Raises QueueNotFound."""
    required(queue_store.by_name(tx, name), QueueNotFound)
    if queue_store.resume(tx, name):
        queue_store.announce(tx, name)
        record_event(tx, "queue.resumed", name)
