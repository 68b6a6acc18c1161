"""The verdicts of readers, counted by version."""

from bench.verdicts import VerdictCount

KEY = {str(n): {"A": "new", "B": "old"} for n in range(1, 6)}


def reader(first: str, absent: str) -> dict[str, dict[str, str]]:
    """One question that the manual answers, four that it does not."""
    verdicts = {str(n): {"A": absent, "B": "refused", "better": "equal"} for n in range(2, 6)}
    return {"1": {"A": first, "B": "wrong", "better": "A"}, **verdicts}


def tally(*readers: dict[str, dict[str, str]]) -> VerdictCount:
    counted = VerdictCount()
    counted.add(KEY, list(readers))
    return counted


def test_a_verdict_is_counted_for_the_version_behind_the_letter() -> None:
    counted = tally(reader("right", "refused"))
    assert counted.answerable == {"new": {"right": 1}, "old": {"wrong": 1}}


def test_where_readers_differ_the_stricter_verdict_counts() -> None:
    counted = tally(reader("right", "refused"), reader("partly", "refused"))
    assert counted.answerable["new"] == {"partly": 1}


def test_the_last_four_questions_count_apart() -> None:
    counted = tally(reader("right", "wrong"))
    assert counted.absent == {"new": {"wrong": 4}, "old": {"refused": 4}}


def test_a_preference_is_of_a_version_and_not_of_a_letter() -> None:
    assert tally(reader("right", "refused")).preferred == {"new": 1, "equal": 4}
