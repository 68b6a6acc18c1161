"""The order in which passages get their vectors: what came last is first."""

import pytest

from app.domains.library.passages.vectors import Sweep

TWO = Sweep(12, ((9, 12), (0, 5)))


@pytest.mark.parametrize(
    ("sweep", "expected"),
    [
        pytest.param(Sweep().extended(9), Sweep(9, ((0, 9),)), id="begins with the newest"),
        pytest.param(Sweep(9, ((0, 9),)).past(6), Sweep(9, ((0, 5),)), id="goes on below"),
        pytest.param(Sweep(9, ((0, 5),)).extended(12), TWO, id="takes first what came meanwhile"),
        pytest.param(Sweep(9, ()).extended(9), Sweep(9, ()), id="stays where nothing is newer"),
        pytest.param(TWO.past(None), Sweep(12, ((0, 5),)), id="ends one span before the next"),
    ],
)
def test_a_sweep(sweep: Sweep, expected: Sweep) -> None:
    assert sweep == expected


def test_it_is_kept_in_a_job() -> None:
    assert Sweep.of(TWO.as_json()) == TWO


def test_a_job_without_one_begins_anew() -> None:
    assert Sweep.of({"after": 3}) == Sweep()
