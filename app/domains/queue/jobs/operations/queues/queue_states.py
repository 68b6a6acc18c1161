"""The state of a queue: one rule, for the page, the interface, the command line and alerts."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

State = Literal["idle", "flowing", "growing", "stuck", "paused"]
STATES: Final[tuple[State, ...]] = get_args(State)

GROWTH_SECONDS: Final = 300
QUIET_SECONDS: Final = 60.0
WORST_FIRST: Final[tuple[State, ...]] = ("stuck", "growing", "paused", "flowing", "idle")


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts that the rule looks at.

    `waiting` could begin now, the oldest since `oldest_seconds`; `waiting_before` is how many that
    were five minutes ago, `quiet_seconds` how long nothing of the queue has run or ended. None: not
    known.
    """

    paused: bool
    waiting: int
    running: int
    oldest_seconds: float
    workers: int
    waiting_before: int | None
    quiet_seconds: float | None


def state_of(facts: Facts, target_seconds: float) -> State:
    """The state of a queue, when work should begin within `target_seconds`.

    - paused: an operator said so.
    - idle: nothing waits, nothing runs.
    - stuck: work waits and there is no worker, or nothing has run for a minute.
    - growing: more waits than five minutes ago, and the oldest has waited longer than it should.
    - flowing: everything else.
    """
    if facts.paused:
        return "paused"
    if not facts.waiting:
        return "flowing" if facts.running else "idle"
    if not facts.workers or _is_quiet(facts):
        return "stuck"
    return "growing" if _grows(facts, target_seconds) else "flowing"


def _is_quiet(facts: Facts) -> bool:
    """True if work has waited for a minute in which none was done."""
    quiet = facts.oldest_seconds
    if facts.quiet_seconds is not None:
        quiet = min(quiet, facts.quiet_seconds)
    return not facts.running and quiet >= QUIET_SECONDS


def _grows(facts: Facts, target_seconds: float) -> bool:
    before = facts.waiting_before
    return before is not None and facts.waiting > before and facts.oldest_seconds > target_seconds


def drain_seconds(state: State, waiting: int, per_second: float) -> float | None:
    """The time until what waits has begun, at this rate; None: never."""
    if not waiting:
        return 0.0
    if state in ("paused", "stuck", "growing") or per_second <= 0:
        return None
    return waiting / per_second
