"""Public identifiers name exactly what we issued."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import ids
from app.core.ids import Noun


@given(st.uuids())
def test_an_identifier_stands_for_its_uuid(id: UUID) -> None:
    assert ids.internal(Noun.SEARCH, ids.public(Noun.SEARCH, id)) == id


@given(st.text(max_size=40))
def test_foreign_text_is_no_identifier_unless_it_spells_one(text: str) -> None:
    found = ids.internal(Noun.SEARCH, text)
    assert found is None or ids.public(Noun.SEARCH, found) == text


@pytest.mark.parametrize("change", [str.upper, lambda t: t + "\n", lambda t: t.replace("_", "-")])
def test_only_the_canonical_spelling_is_taken(change: object) -> None:
    text = ids.public(Noun.SEARCH, ids.new())
    assert ids.internal(Noun.SEARCH, change(text)) is None  # type: ignore[operator]


def test_spare_bits_do_not_make_a_second_name() -> None:
    text = ids.public(Noun.SEARCH, UUID(int=0))
    assert ids.internal(Noun.SEARCH, text[:-1] + "b") is None


def test_another_prefix_is_another_kind_of_thing() -> None:
    assert ids.internal(Noun.JOB, ids.public(Noun.SEARCH, ids.new())) is None


def test_an_identifier_names_its_noun() -> None:
    id = ids.new()
    assert ids.read(ids.public(Noun.SEARCH, id)) == (Noun.SEARCH, id)


def test_an_identifier_of_no_noun_names_nothing() -> None:
    assert ids.read("thing_" + ids.public(Noun.SEARCH, ids.new()).rpartition("_")[2]) is None


def test_later_identifiers_sort_after_earlier_ones() -> None:
    made = [ids.new() for _ in range(100)]
    assert made == sorted(made)
