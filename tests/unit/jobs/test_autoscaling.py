"""How many places a queue needs: the rule, and what an autoscaler that follows it comes to."""

from dataclasses import replace

import pytest

from app.domains.queue.jobs.operations.queues.autoscaling import Demand, places_wanted

TARGET = 60.0
# Four places were at work all the time, and ended two jobs a second: each held one for 2 s.
STEADY = Demand(
    paused=False,
    waiting=0,
    running=4,
    places=5,
    running_lately=4.0,
    ended_per_second=2.0,
    growth_per_second=0.0,
)


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({"waiting": 120}, 10),  # 2 s x (2 + 120 / 60) / 0.8
        ({"waiting": 240}, 15),
        ({"waiting": 120, "growth_per_second": 2.0}, 15),
        ({"waiting": 120, "growth_per_second": -2.0}, 5),
        ({}, 5),  # a fifth to spare
        ({"running": 0}, 5),  # as lately: it is between two jobs
        ({"waiting": 2, "growth_per_second": 9.0}, 7),  # a place for each job, and no more
        ({"waiting": 0, "running": 0, "running_lately": 0.0, "ended_per_second": 0.0}, 0),
        ({"waiting": 900, "paused": True}, 4),  # for what runs
    ],
)
def test_the_rule(changed: dict[str, object], wanted: int) -> None:
    assert places_wanted(replace(STEADY, **changed), TARGET) == wanted  # type: ignore[arg-type]


def test_while_nothing_has_ended_places_are_doubled() -> None:
    unknown = replace(STEADY, waiting=100, ended_per_second=0.0)
    assert places_wanted(unknown, TARGET) == 10


def test_the_first_job_of_an_idle_queue_wants_one_place() -> None:
    idle = Demand(False, 1, 0, 0, 0.0, 0.0, 0.0)
    assert places_wanted(idle, TARGET) == 1


def test_an_autoscaler_that_follows_it_ends_a_backlog_and_settles_at_a_fifth_to_spare() -> None:
    """10 jobs a second of 2 s each need 20 places; it begins with 2 and 3,000 that wait."""
    waiting, places, arriving, held, look_seconds = 3_000.0, 2, 10.0, 2.0, 30.0
    seen = []
    for _ in range(40):
        running = min(places, waiting + arriving * held)
        ended = running / held
        before, waiting = waiting, max(0.0, waiting + (arriving - ended) * look_seconds)
        growth = (waiting - before) / look_seconds
        demand = Demand(False, round(waiting), round(running), places, running, ended, growth)
        places = max(1, places_wanted(demand, TARGET))
        seen.append((waiting, places))
    assert seen[-1] == (0.0, 25)
    assert next(turn for turn, (left, _) in enumerate(seen) if left == 0) * look_seconds <= 300
    assert max(places for _, places in seen) <= 200
