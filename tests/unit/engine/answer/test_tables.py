"""Rows as a reader wants them: "column: value"."""

import pytest

from app.engine.answer.blocks.tables import as_pairs

TABLE = (
    "code | status | meaning\nnot_found | 404 | It is not here.\ntoo_much | | It is too much. Stop."
)


def pairs(text: str, part: str) -> str | None:
    start = text.index(part)
    return as_pairs(text, start, start + len(part))


def test_a_row_has_the_columns_of_its_header() -> None:
    expected = "code: not_found; status: 404; meaning: It is not here."
    assert pairs(TABLE, "not_found | 404 | It is not here.") == expected


def test_a_header_quoted_with_its_row_is_not_repeated() -> None:
    expected = "code: not_found; status: 404; meaning: It is not here."
    assert pairs(TABLE, TABLE.rpartition("\n")[0]) == expected


def test_an_empty_cell_is_left_out() -> None:
    assert pairs(TABLE, TABLE.splitlines()[2]) == "code: too_much; meaning: It is too much. Stop."


def test_a_row_quoted_to_the_end_of_a_sentence_is_a_row() -> None:
    expected = "code: too_much; meaning: It is too much."
    assert pairs(TABLE, "too_much | | It is too much.") == expected


def test_a_lead_in_stays_before_its_rows() -> None:
    text = "These exist:\n" + TABLE
    shown = pairs(text, text)
    assert shown is not None
    assert shown.splitlines()[:2] == [
        "These exist:",
        "code: not_found; status: 404; meaning: It is not here.",
    ]


def test_a_column_without_a_name_is_its_value() -> None:
    text = " | is\ncore | carries"
    assert pairs(text, "core | carries") == "core; is: carries"


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("3 | 4\n5 | 6", "5 | 6"),
        ("name | size\na | b | c", "a | b | c"),
        ("a | a\nb | c", "b | c"),
        ("It is full. | It is empty.\nb | c", "b | c"),
        ("name | size", "name | size"),
        ("name | size\na | b", "size\na | b"),
        ("No table.\n\nHere neither.", "Here neither."),
    ],
)
def test_what_has_no_header_stays_as_it_is(text: str, row: str) -> None:
    assert pairs(text, row) is None


def test_a_header_without_rows_is_not_left_out() -> None:
    text = "code | status\nnot_found | 404\nThe others are these:\ntoo_much | 429"
    assert as_pairs(text, 0, len(text)) is None
