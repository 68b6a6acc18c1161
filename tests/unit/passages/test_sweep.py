"""The order in which passages get their vectors: what came last is first."""

from app.domains.library.passages.vectors import Sweep


def test_a_sweep_begins_with_the_newest() -> None:
    assert Sweep().extended(9) == Sweep(9, ((0, 9),))


def test_it_goes_on_below_what_is_done() -> None:
    assert Sweep(9, ((0, 9),)).past(6) == Sweep(9, ((0, 5),))


def test_what_is_added_meanwhile_comes_first() -> None:
    assert Sweep(9, ((0, 5),)).extended(12) == Sweep(12, ((9, 12), (0, 5)))


def test_without_anything_newer_it_stays() -> None:
    assert Sweep(9, ()).extended(9) == Sweep(9, ())


def test_a_finished_span_gives_way_to_the_one_before() -> None:
    assert Sweep(12, ((9, 12), (0, 5))).past(None) == Sweep(12, ((0, 5),))


def test_it_is_kept_in_a_job() -> None:
    sweep = Sweep(12, ((9, 12), (0, 5)))
    assert Sweep.of(sweep.as_json()) == sweep


def test_a_job_without_one_begins_anew() -> None:
    assert Sweep.of({"after": 3}) == Sweep()
