"""Ask several engines at once, each at its pace, and wait for none longer than there is time."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Protocol

from app.core import tracing
from app.engine.origin import OriginFailed, Reason
from app.engine.web.hits import WebHit
from app.engine.web.interface import EngineAnswer, HitLimits, Notice, Outcome, WebEngine

POLL_SECONDS = 0.25
_PATIENCE = 0.5  # the share of the time that may go by before an engine may be asked
_OUTCOMES: dict[Reason, Outcome] = {
    "unreachable": "failed",
    "slow": "slow",
    "blocked": "blocked",
    "refused": "failed",
    "broken": "failed",
}


class Circuits(Protocol):
    """Pace and health of engines, shared between processes; `app.core.redis.circuits` has one."""

    def enter(self, name: str, gap_seconds: float, patience_seconds: float) -> float | None:
        """Seconds until the call may be made; None when it must not be made now."""

    def succeeded(self, name: str) -> None: ...

    def failed(self, name: str, pause_seconds: float | None = None) -> None:
        """`pause_seconds` is what the engine itself asked for."""

    def timed_out(self, name: str, seconds: float) -> None:
        """It did not answer within `seconds`, which may have been too few to tell anything."""

    def undecided(self, name: str) -> None:
        """It was not asked after all."""


@dataclass(frozen=True, slots=True)
class Report:
    """The result of asking one engine one question. `seconds` is how long that took."""

    engine: str
    outcome: Outcome
    hits: tuple[WebHit, ...] = ()
    notices: tuple[Notice, ...] = ()
    seconds: float = 0.0


@dataclass(slots=True)
class _Call:
    """One question to one engine; its thread writes what the caller reads, done or not.

    `budget` is how many seconds the engine had once it was asked, None before.
    """

    engine: WebEngine
    query: str
    budget: float | None = None


@dataclass(frozen=True, slots=True)
class _Ended:
    outcome: Outcome
    answer: EngineAnswer
    seconds: float
    pause: float | None = None


def ask(
    engines: Sequence[WebEngine],
    queries: Sequence[str],
    limits: HitLimits,
    circuits: Circuits,
    *,
    seconds: float,
    check: Callable[[], None],
) -> list[Report]:
    """One report for each engine and query, in that order, after `seconds` at the latest.

    `check` is called while waiting; what it raises ends the waiting. Never raises for an engine.
    """
    began = time.monotonic()
    calls = [_Call(engine, query) for engine in engines for query in queries]
    pool = ThreadPoolExecutor(max(1, len(calls)), thread_name_prefix="engine")
    try:
        futures = [
            pool.submit(tracing.inherited(_make), call, limits, circuits, began + seconds)
            for call in calls
        ]
        _await(futures, began + seconds, check)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return [
        _report(call, future, circuits, seconds)
        for call, future in zip(calls, futures, strict=True)
    ]


def _make(call: _Call, limits: HitLimits, circuits: Circuits, deadline: float) -> _Ended:
    engine, began = call.engine, time.monotonic()
    pause = circuits.enter(engine.name, engine.gap_seconds, _PATIENCE * (deadline - began))
    if pause is None:
        return _Ended("skipped", EngineAnswer(()), 0.0)
    time.sleep(pause)
    call.budget = deadline - time.monotonic()
    try:
        answer = engine.search(call.query, limits, deadline)
    except OriginFailed as failure:
        outcome = _OUTCOMES[failure.reason]
        return _Ended(outcome, EngineAnswer(()), time.monotonic() - began, failure.retry_after)
    return _Ended("ok" if answer.hits else "empty", answer, time.monotonic() - began)


def _await(futures: list[Future[_Ended]], deadline: float, check: Callable[[], None]) -> None:
    waiting = set(futures)
    while waiting and (left := deadline - time.monotonic()) > 0:
        _, waiting = wait(waiting, timeout=min(left, POLL_SECONDS))
        check()


def _report(call: _Call, future: Future[_Ended], circuits: Circuits, seconds: float) -> Report:
    """Also tells the circuits, here and not in the thread, which may never come back."""
    name = call.engine.name
    if not future.done() or future.cancelled():
        _blame(call, circuits)
        return Report(name, "slow", seconds=round(seconds, 4))
    ended = future.result()
    if ended.outcome in ("ok", "empty"):
        circuits.succeeded(name)
    elif ended.outcome == "slow":
        _blame(call, circuits)
    elif ended.outcome != "skipped":
        circuits.failed(name, ended.pause)
    return Report(
        name, ended.outcome, ended.answer.hits, ended.answer.notices, round(ended.seconds, 4)
    )


def _blame(call: _Call, circuits: Circuits) -> None:
    """An engine is slow by the time that it had itself: waiting for its turn is not its fault."""
    if call.budget is None:
        circuits.undecided(call.engine.name)
    else:
        circuits.timed_out(call.engine.name, call.budget)
