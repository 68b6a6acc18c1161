"""Names of fields in the text of a page."""

import pytest

from app.web.pages.records.forms.page_fields import names_in


def names(*lines: str, stated: str = "") -> list[str]:
    text = "\n".join(lines) + "\n"
    return names_in(text + stated, len(text))


def test_the_head_of_a_table_names_fields() -> None:
    assert names("Our lamps, all of wood.", "Name", "Weight", "Prep time", "Alder", "1.8 kg")[
        :2
    ] == [
        "weight",
        "prep_time",
    ]


def test_labels_come_before_lines_of_their_own() -> None:
    assert names("Bulb", "E27", "Größe: 40 cm")[:1] == ["größe"]


def test_statements_for_programs_name_fields() -> None:
    stated = "/script[0]#/@type Product\n/script[0]#/gtin 4006381333931"
    assert names("Alder", stated=stated) == ["gtin"]


def test_sentences_and_menus_name_none() -> None:
    assert names("Home", "About us", *["A sentence, which goes on."] * 13, "1.8 kg") == []


def test_what_has_a_common_name_is_not_named_again() -> None:
    assert names("Price: 12", "Name: Alder") == []


@pytest.mark.parametrize(
    "line", ["Label:", "a" * 100_000, "::::", "\u0130:1", "/" * 1_000 + "#/a b"]
)
def test_odd_lines_are_harmless(line: str) -> None:
    assert names(line, stated=line) == []


def test_there_is_a_limit() -> None:
    lines = [f"{'abcdefghij'[n // 10]}{'abcdefghij'[n % 10]} x: {n}" for n in range(100)]
    assert len(names(*lines)) == 30
