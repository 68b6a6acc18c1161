"""Whether another page states the values of a record."""

import pytest

from app.engine.extraction.schema.schema import plan
from app.engine.judging import second_source

PLAN = plan({"properties": {"name": {"type": "string"}, "price": {"type": "number"}}})
LAMP = {"name": "Lamp", "price": 5}


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("A lamp: 5 euros.", True),
        ("Lampshades for 5 euros.", False),
        ("A lamp for 15 euros.", False),
        ("A lamp.", False),
    ],
)
def test_a_page_states_a_value_in_whole_words(text: str, states: bool) -> None:
    assert second_source.states(PLAN, LAMP, text) is states
