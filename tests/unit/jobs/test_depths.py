"""A queue in Redis is as deep as its workers are fast."""

import pytest

from workers.queue import depths
from workers.queue.depths import Depths


def fill(known: Depths, left: int) -> int:
    """Fill the queue, of which so many jobs were left; its depth from now on."""
    known.learn("q", left, max(0, known.of("q") - left), full=True)
    return known.of("q")


def test_a_queue_is_shallow_until_workers_have_taken_something() -> None:
    known = Depths(64)
    assert [fill(known, 0), fill(known, 2), fill(known, 2)] == [2, 2, 2]


def test_a_queue_gets_deeper_while_workers_take_half_of_it() -> None:
    known = Depths(64)
    fill(known, 0)
    assert [fill(known, 1), fill(known, 1), fill(known, 5), fill(known, 0)] == [4, 8, 8, 16]


def test_a_queue_is_never_deeper_than_the_setting() -> None:
    known = Depths(5)
    fill(known, 0)
    assert [fill(known, 0) for _ in range(3)] == [4, 5, 5]


def test_a_setting_of_one_is_obeyed() -> None:
    known = Depths(1)
    assert [fill(known, 0), fill(known, 0)] == [1, 1]


def test_a_queue_gets_shallower_when_nobody_takes_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Depths(64)
    fill(known, 0)
    deep = [fill(known, 0) for _ in range(3)][-1]
    monkeypatch.setattr(depths, "PATIENCE_SECONDS", -1.0)
    assert (deep, [fill(known, 16) for _ in range(4)]) == (16, [8, 4, 2, 2])


def test_a_queue_that_was_idle_begins_shallow_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Depths(64)
    fill(known, 0)
    fill(known, 0)
    known.learn("q", 0, 0, full=False)
    monkeypatch.setattr(depths, "PATIENCE_SECONDS", -1.0)
    known.learn("q", 0, 0, full=False)
    assert known.of("q") == 2


def test_a_queue_with_nothing_to_send_keeps_its_depth_for_a_moment() -> None:
    known = Depths(64)
    fill(known, 0)
    fill(known, 0)
    known.learn("q", 0, 0, full=False)
    assert known.of("q") == 4


def test_a_queue_rests_when_nothing_is_out_and_it_is_shallow_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = Depths(64)
    seen = [known.rests("q")]
    fill(known, 0)
    seen.append(known.rests("q"))
    fill(known, 0)
    known.learn("q", 0, 0, full=False)
    seen.append(known.rests("q"))
    monkeypatch.setattr(depths, "PATIENCE_SECONDS", -1.0)
    known.learn("q", 0, 0, full=False)
    assert [*seen, known.rests("q")] == [True, False, False, True]
