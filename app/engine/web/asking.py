"""Ask several engines at once, each at its pace, and wait for none longer than there is time."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from app.engine.origin import OriginFailed, Reason
from app.engine.web.hits import WebHit
from app.engine.web.interface import EngineAnswer, Notice, Outcome, WebEngine

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
    """Pace and health of engines, shared between processes; `app.core.circuits` has one."""

    def enter(self, name: str, gap_seconds: float, patience_seconds: float) -> float | None:
        """Seconds until the call may be made; None when it must not be made now."""

    def succeeded(self, name: str) -> None: ...

    def failed(self, name: str, pause_seconds: float | None = None) -> None:
        """`pause_seconds` is what the engine itself asked for."""


@dataclass(frozen=True, slots=True)
class Report:
    """What came of asking one engine one question. `seconds` is how long that took."""

    engine: str
    outcome: Outcome
    hits: tuple[WebHit, ...] = ()
    notices: tuple[Notice, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Questions:
    """What all engines are asked; the arguments of `WebEngine.search`."""

    queries: tuple[str, ...]
    limit: int
    freshness: timedelta | None
    language: str | None


@dataclass(frozen=True, slots=True)
class _Told:
    """How a call ended in its thread."""

    outcome: Outcome
    answer: EngineAnswer
    seconds: float
    pause: float | None = None


def ask(
    engines: Sequence[WebEngine],
    questions: Questions,
    circuits: Circuits,
    *,
    seconds: float,
    check: Callable[[], None],
) -> list[Report]:
    """One report for each engine and query, in that order, after `seconds` at the latest.

    `check` is called while waiting; what it raises ends the waiting. Never raises for an engine.
    """
    began = time.monotonic()
    calls = [(engine, query) for engine in engines for query in questions.queries]
    pool = ThreadPoolExecutor(max(1, len(calls)), thread_name_prefix="engine")
    try:
        futures = [
            pool.submit(_call, engine, query, questions, circuits, began + seconds)
            for engine, query in calls
        ]
        _await(futures, began + seconds, check)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return [
        _report(engine, future, circuits, seconds)
        for (engine, _), future in zip(calls, futures, strict=True)
    ]


def _call(
    engine: WebEngine, query: str, questions: Questions, circuits: Circuits, deadline: float
) -> _Told:
    began = time.monotonic()
    pause = circuits.enter(engine.name, engine.gap_seconds, _PATIENCE * (deadline - began))
    if pause is None:
        return _Told("skipped", EngineAnswer(()), 0.0)
    time.sleep(pause)
    try:
        answer = engine.search(
            query,
            limit=questions.limit,
            freshness=questions.freshness,
            language=questions.language,
            deadline=deadline,
        )
    except OriginFailed as failure:
        outcome = _OUTCOMES[failure.reason]
        return _Told(outcome, EngineAnswer(()), time.monotonic() - began, failure.retry_after)
    return _Told("ok" if answer.hits else "empty", answer, time.monotonic() - began)


def _await(futures: list[Future[_Told]], deadline: float, check: Callable[[], None]) -> None:
    waiting = set(futures)
    while waiting and (left := deadline - time.monotonic()) > 0:
        _, waiting = wait(waiting, timeout=min(left, POLL_SECONDS))
        check()


def _report(engine: WebEngine, future: Future[_Told], circuits: Circuits, seconds: float) -> Report:
    """Also tells the circuits, here and not in the thread, which may never come back."""
    if not future.done() or future.cancelled():
        circuits.failed(engine.name)
        return Report(engine.name, "slow", seconds=round(seconds, 4))
    told = future.result()
    if told.outcome in ("ok", "empty"):
        circuits.succeeded(engine.name)
    elif told.outcome != "skipped":
        circuits.failed(engine.name, told.pause)
    return Report(
        engine.name, told.outcome, told.answer.hits, told.answer.notices, round(told.seconds, 4)
    )
