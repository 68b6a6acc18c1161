"""How many passages a search looks at."""

import pytest

from workers.searches.candidates import sizes


def test_with_meaning_at_least_a_hundred_and_twenty_passages_are_compared() -> None:
    assert [sizes(depth, with_meaning=True) for depth in ("quick", "standard", "deep")] == [
        (40, 120),
        (100, 200),
        (200, 400),
    ]


@pytest.mark.parametrize("depth", ["quick", "standard", "deep"])
def test_by_words_alone_none_is_retrieved_that_is_not_ranked(depth: str) -> None:
    ranked, retrieved = sizes(depth, with_meaning=False)
    assert ranked == retrieved
