"""Cells of tables: safe in spreadsheets."""

import csv
import io
from typing import Any

import pytest

from app.core.http.exports import cells


@pytest.mark.parametrize(
    "text",
    [
        *("=1+1", "-2+3", "+49 30", "@SUM(A1)", "|cmd", "%x", "-5.00 EUR"),
        *("  =1", "\u200b=1", "\u00a0@x", "＝1", "＋1", "－x", "＠x", "\t1", "\r1", "\n=1"),
    ],
)
def test_what_a_spreadsheet_would_compute_gets_an_apostrophe(text: str) -> None:
    assert cells.cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-5.00", "+5", "-1,299.50", "ordinary", "a=b", "1-2", "", "5%"])
def test_numbers_and_plain_text_stay_as_they_are(text: str) -> None:
    assert cells.cell(text) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-5, "-5"),
        (-1e-07, "-1e-07"),
        (True, "true"),
        (None, ""),
        (["a", "b"], "a; b"),
        (["a;b", "c"], '["a;b", "c"]'),
        ([{"price": 9.5}], '[{"price": 9.5}]'),
        (["=1", "b"], "'=1; b"),
    ],
)
def test_each_kind_of_value_has_its_cell(value: Any, text: str) -> None:
    assert cells.cell(value) == text


def test_a_line_is_read_back_as_it_was_written() -> None:
    row = ['a "quoted"', "two\r\nlines", "a,b", ""]
    line = cells.line(row).decode()
    assert line.endswith("\r\n")
    assert next(csv.reader(io.StringIO(line, newline=""))) == row
