"""The lies of the benchmark: none of them is ever shown as verified, whatever its kind."""

from collections import Counter

import pytest

from bench.lying_model import HONEST, LIES, tally


@pytest.fixture(scope="module")
def told() -> dict[str, Counter[str]]:
    return tally(LIES)


@pytest.mark.parametrize("kind", LIES)
def test_no_lie_is_verified(told: dict[str, Counter[str]], kind: str) -> None:
    assert told[kind].total() > 0
    assert told[kind]["verified"] == 0


def test_only_exchanged_names_and_roles_are_shown_at_all(told: dict[str, Counter[str]]) -> None:
    assert [kind for kind in LIES if told[kind]["lexical"]] == ["names or roles exchanged"]


def test_a_second_look_that_knows_the_truth_drops_them() -> None:
    kind = "names or roles exchanged"
    counts = tally({kind: LIES[kind]}, lambda _: False)[kind]
    assert counts["dropped"] == counts.total()


def test_a_copied_sentence_is_always_verified() -> None:
    counts = tally({"copied": HONEST["copied sentence"]})["copied"]
    assert counts["verified"] == counts.total()
