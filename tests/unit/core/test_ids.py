"""Public identifiers name exactly what we issued."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import ids


@given(st.uuids())
def test_an_identifier_stands_for_its_uuid(id: UUID) -> None:
    assert ids.internal("srch", ids.public("srch", id)) == id


@given(st.text(max_size=40))
def test_foreign_text_is_no_identifier_unless_it_spells_one(text: str) -> None:
    found = ids.internal("srch", text)
    assert found is None or ids.public("srch", found) == text


@pytest.mark.parametrize("change", [str.upper, lambda t: t + "\n", lambda t: t.replace("_", "-")])
def test_only_the_canonical_spelling_is_taken(change: object) -> None:
    text = ids.public("srch", ids.new())
    assert ids.internal("srch", change(text)) is None  # type: ignore[operator]


def test_spare_bits_do_not_make_a_second_name() -> None:
    text = ids.public("srch", UUID(int=0))
    assert ids.internal("srch", text[:-1] + "b") is None


def test_another_prefix_is_another_kind_of_thing() -> None:
    assert ids.internal("job", ids.public("srch", ids.new())) is None


def test_later_identifiers_sort_after_earlier_ones() -> None:
    made = [ids.new() for _ in range(100)]
    assert made == sorted(made)
