"""Numbers with their nouns."""

import pytest

from app.core.amounts import counted


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "1 day"), (0, "0 days"), (12_345, "12,345 days"), (30.0, "30 days"), (0.5, "0.5 days")],
)
def test_a_noun_is_in_the_number_of_its_things(number: float, text: str) -> None:
    assert counted(number, "day") == text
