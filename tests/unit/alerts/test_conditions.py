"""Which thresholds fit which conditions, and when they are crossed."""

import pytest

from app.domains.queue.alerts import conditions
from app.domains.queue.alerts.conditions import About, Condition
from app.domains.records.monitors.alert_values import exceeds


@pytest.mark.parametrize(
    ("about", "condition", "threshold"),
    [
        ("monitor", "changed", None),
        ("monitor", "changed", 2.5),
        ("monitor", "failing", 3),
        ("campaign", "ended", None),
        ("campaign", "budget_spent", 80),
        ("queue", "waiting", 1_000),
        ("queue", "oldest", 0.5e3),
    ],
)
def test_these_fit(about: About, condition: Condition, threshold: float | None) -> None:
    assert conditions.problem(about, condition, threshold) is None


@pytest.mark.parametrize(
    ("about", "condition", "threshold", "field"),
    [
        ("monitor", "waiting", 3, "condition"),
        ("queue", "changed", None, "condition"),
        ("monitor", "failing", None, "threshold"),
        ("monitor", "failing", 2.5, "threshold"),
        ("monitor", "failing", 0, "threshold"),
        ("campaign", "ended", 5, "threshold"),
        ("campaign", "budget_spent", 101, "threshold"),
        ("monitor", "changed", -1, "threshold"),
    ],
)
def test_these_do_not(
    about: About, condition: Condition, threshold: float | None, field: str
) -> None:
    found = conditions.problem(about, condition, threshold)
    assert found is not None
    assert found[0] == field


def test_a_queue_has_fallen_at_four_fifths_of_its_threshold() -> None:
    assert not conditions.has_fallen("waiting", 100, 81)
    assert conditions.has_fallen("waiting", 100, 80)


@pytest.mark.parametrize(
    ("before", "now", "percent", "more"),
    [(100, 106, 5, True), (100, 95, 5, False), (0, 1, 50, True), ("100", 200, 5, False)],
)
def test_a_number_changes_by_a_share_of_what_it_was(
    before: object, now: object, percent: float, more: bool
) -> None:
    assert exceeds(before, now, percent) is more
