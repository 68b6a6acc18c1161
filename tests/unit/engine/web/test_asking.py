"""Engines asked together: everyone's outcome, nobody waited for too long."""

import threading
from collections.abc import Iterator

import pytest

from app.engine.origin import OriginFailed, Reason
from app.engine.web.engines import Report, ask
from app.engine.web.hits import WebHit
from app.engine.web.interface import EngineAnswer, HitLimits, Outcome
from app.engine.web.results import WebResult, fused, indexes
from tests import pace
from tests.patience import PATIENCE_SECONDS

HIT = WebHit("https://a.example.org/", "", "", None, ("a",))
LIMITS = HitLimits(10, None, None)


class Engine:
    gap_seconds = 0.0

    def __init__(self, name: str, *urls: str, reason: Reason | None = None) -> None:
        self.name, self._urls, self._reason = name, urls, reason
        self.asked: list[str] = []

    def search(self, query: str, limits: HitLimits, deadline: float) -> EngineAnswer:
        self.asked.append(query)
        if self._reason:
            raise OriginFailed("host", self._reason, 7)
        return EngineAnswer(tuple(WebHit(x, "", "", None, (self.name,)) for x in self._urls))


class Hanging(Engine):
    def __init__(self, over: threading.Event) -> None:
        super().__init__("hanging")
        self._over = over

    def search(self, query: str, limits: HitLimits, deadline: float) -> EngineAnswer:
        self._over.wait(PATIENCE_SECONDS)
        return EngineAnswer((HIT,))


class Circuits:
    def __init__(self, *closed: str, wait: float = 0.0) -> None:
        self.closed, self.wait = closed, wait
        self.told: list[tuple[str, str, float | None]] = []

    def enter(self, name: str, gap_seconds: float, patience_seconds: float) -> float | None:
        return None if name in self.closed else self.wait

    def succeeded(self, name: str) -> None:
        self.told.append((name, "well", None))

    def failed(self, name: str, pause_seconds: float | None = None) -> None:
        self.told.append((name, "failed", pause_seconds))

    def timed_out(self, name: str, seconds: float) -> None:
        self.told.append((name, "timed out", float(round(seconds))))

    def undecided(self, name: str) -> None:
        self.told.append((name, "undecided", None))


@pytest.fixture
def over() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def outcomes(reports: list[Report]) -> list[tuple[str, Outcome]]:
    return [(report.engine, report.outcome) for report in reports]


def asked(*engines: Engine, circuits: Circuits | None = None, seconds: float = 20) -> list[Report]:
    circuits = circuits or Circuits()
    return ask(engines, ["owls"], LIMITS, circuits, seconds=seconds, check=lambda: None)


def test_each_engine_has_its_outcome() -> None:
    engines = [Engine("a", "https://a.example.org/"), Engine("b"), Engine("c", reason="blocked")]
    assert outcomes(asked(*engines)) == [("a", "ok"), ("b", "empty"), ("c", "blocked")]


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [("unreachable", "failed"), ("slow", "slow"), ("refused", "failed"), ("broken", "failed")],
)
def test_every_failure_is_an_outcome(reason: Reason, outcome: Outcome) -> None:
    assert outcomes(asked(Engine("a", reason=reason))) == [("a", outcome)]


def test_a_hanging_engine_is_slow_and_the_others_are_heard(over: threading.Event) -> None:
    began = pace.seconds()
    reports = asked(Hanging(over), Engine("a", "https://a.example.org/"), seconds=3)
    assert outcomes(reports) == [("hanging", "slow"), ("a", "ok")]
    assert pace.seconds() - began < 10


def test_an_engine_with_an_open_circuit_is_not_asked() -> None:
    engine = Engine("a", "https://a.example.org/")
    circuits = Circuits("a")
    assert outcomes(asked(engine, circuits=circuits)) == [("a", "skipped")]
    assert engine.asked == []
    assert circuits.told == []


def test_circuits_learn_what_happened_and_what_pause_is_wanted() -> None:
    circuits = Circuits()
    engines = [Engine("a", "https://a.example.org/"), Engine("b", reason="blocked")]
    asked(*engines, circuits=circuits)
    assert circuits.told == [("a", "well", None), ("b", "failed", 7)]


def test_a_slow_engine_is_judged_by_the_time_it_had_itself(over: threading.Event) -> None:
    circuits = Circuits()
    asked(Hanging(over), circuits=circuits, seconds=1.0)
    assert circuits.told == [("hanging", "timed out", 1.0)]


def test_an_engine_that_waited_for_its_turn_until_the_end_is_not_blamed() -> None:
    circuits = Circuits(wait=20.0)
    asked(Engine("a"), circuits=circuits, seconds=0.2)
    assert circuits.told == [("a", "undecided", None)]


def test_waiting_ends_when_the_check_raises(over: threading.Event) -> None:
    def cancelled() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        ask([Hanging(over)], ["owls"], LIMITS, Circuits(), seconds=25, check=cancelled)


def test_every_query_goes_to_every_engine() -> None:
    engines = [Engine("a"), Engine("b")]
    ask(engines, ["one", "two"], LIMITS, Circuits(), seconds=20, check=lambda: None)
    assert [sorted(engine.asked) for engine in engines] == [["one", "two"]] * 2


def test_what_two_engines_return_comes_first_and_knows_both() -> None:
    first = asked(
        Engine("a", "https://one.org/", "https://two.org/"), Engine("b", "https://two.org/")
    )
    assert fused(first) == [
        WebResult("https://two.org/", frozenset({"a", "b"}), None),
        WebResult("https://one.org/", frozenset({"a"}), None),
    ]


def test_the_indexes_heard_are_those_of_hits_and_the_empty() -> None:
    reports = asked(Engine("a", "https://one.org/"), Engine("b"), Engine("c", reason="slow"))
    assert indexes(reports) == {"a", "b"}
