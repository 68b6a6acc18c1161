"""Fields and what pages call them: descriptions, short names of durations, one word more."""

from typing import Any

import pytest

from app.engine.extraction.methods.name_match import names_of
from app.engine.extraction.schema.schema import plan
from app.engine.extraction.schema.vocabulary import words

TEXT = {"type": "string"}


def alike(key: str, **properties: Any) -> dict[str, float]:
    """By name of the field how much a key is like it."""
    names = names_of(plan({"type": "object", "properties": properties}))
    return {field.name: likeness for field, likeness in names.alike(key, "name")}


def test_a_field_is_known_by_words_that_only_its_description_has() -> None:
    film = {"code": {**TEXT, "description": "Age certificate of the film"}, "title": TEXT}
    assert alike("Certificate", **film) == {"code": 0.5}


@pytest.mark.parametrize(
    ("field", "label"),
    [
        ("packungsgroesse", "Packungsgröße"),
        ("difficulte", "Difficulté"),
        ("antiguedad", "Antigüedad"),
        ("veroeffentlicht", "Veröffentlicht"),
    ],
)
def test_a_name_without_accents_is_that_with_them(field: str, label: str) -> None:
    assert words(field) == words(label)


def test_a_word_of_two_descriptions_names_neither() -> None:
    film = {
        "code": {**TEXT, "description": "Age certificate of the film"},
        "board": {**TEXT, "description": "Board that gave the certificate"},
    }
    assert alike("Certificate", **film) == {}


def test_the_name_of_another_field_is_not_taken_from_a_description() -> None:
    film = {"code": {**TEXT, "description": "What the director chose"}, "director": TEXT}
    assert alike("Director", **film) == {"director": 1.0}


def test_one_word_more_is_another_name_but_not_an_unlike_one() -> None:
    (likeness,) = alike("Cover designer", designer=TEXT).values()
    assert 0.5 < likeness < 0.9


def test_a_name_of_instructions_is_no_duration_but_preparation_may_be_one() -> None:
    times = {"prep_time": {"type": "integer"}, "instructions": TEXT}
    assert alike("Directions", **times).keys() == {"instructions"}
    assert alike("Preparation", **times).keys() == {"prep_time", "instructions"}


@pytest.mark.parametrize(
    ("field", "label"),
    [
        ("hoehe_m", "Höhe"),
        ("hoehe_m", "Höhe (m)"),
        ("height", "Height (in cm)"),
        ("floor_area_m2", "Floor area"),
        ("fee_eur", "Fee"),
    ],
)
def test_a_unit_is_no_part_of_what_a_number_is_called(field: str, label: str) -> None:
    assert alike(label, **{field: {"type": "number"}, "title": TEXT}) == {field: 1.0}


@pytest.mark.parametrize(
    ("field", "label", "kind"),
    [
        ("built_in", "Built", "number"),
        ("voltage_min", "Voltage", "number"),
        ("team_m", "Team", "string"),
    ],
)
def test_a_last_word_that_is_no_unit_is_a_part_of_the_name(
    field: str, label: str, kind: str
) -> None:
    assert alike(label, **{field: {"type": kind}}).get(field, 0.0) < 1.0
