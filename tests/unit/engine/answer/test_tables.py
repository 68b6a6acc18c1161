"""Rows as a reader wants them: "column: value"."""

import pytest

from app.engine.answer.blocks.tables import as_pairs

TABLE = (
    "code | status | meaning\nnot_found | 404 | It is not here.\ntoo_much | | It is too much. Stop."
)


def pairs(text: str, part: str) -> str | None:
    start = text.index(part)
    return as_pairs(text, start, start + len(part))


FIRST = "code: not_found; status: 404; meaning: It is not here."
SECOND = "code: too_much; meaning: It is too much. Stop."


@pytest.mark.parametrize(
    ("text", "part", "shown"),
    [
        pytest.param(TABLE, TABLE.splitlines()[1], FIRST, id="a row has its columns"),
        pytest.param(TABLE, TABLE.rpartition("\n")[0], FIRST, id="a quoted header is none"),
        pytest.param(TABLE, TABLE.splitlines()[2], SECOND, id="an empty cell is left out"),
        pytest.param(TABLE, TABLE.splitlines()[2][:-6], SECOND[:-6], id="a row may be cut"),
        pytest.param(" | is\ncore | carries", "core | carries", "core; is: carries", id="no name"),
    ],
)
def test_a_row_is_shown_as(text: str, part: str, shown: str) -> None:
    assert pairs(text, part) == shown


def test_a_lead_in_stays_before_its_rows() -> None:
    text = "These exist:\n" + TABLE
    shown = pairs(text, text)
    assert shown is not None
    assert shown.splitlines()[:2] == [
        "These exist:",
        "code: not_found; status: 404; meaning: It is not here.",
    ]


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
