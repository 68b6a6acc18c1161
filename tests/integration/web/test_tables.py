"""Tables of pages as files: exact, in UTC, and nothing that a spreadsheet computes."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from flask import Flask, Response

from app.core.errors import Overloaded
from app.core.http.exports.slots import Slots
from app.web.frame import tables

AT = datetime(2026, 11, 22, 16, 4, tzinfo=timezone(timedelta(hours=1)))
ROWS = [("=SUM(A1)", AT, Decimal("0.3100"), None), ("owls, barn", AT, 2, ["a", "b"])]
COLUMNS = ("name", "at", "cost", "tags")


@pytest.fixture
def bare() -> Flask:
    """An application with slots for exports, and nothing else."""
    app = Flask("bare")
    app.extensions["exports"] = Slots(1)
    return app


def sent(app: Flask, form: str, rows: Any = ROWS) -> Response:
    with app.test_request_context("/searches.csv"):
        response = tables.export("searches", COLUMNS, rows, form)
        response.get_data()
        response.close()
        return response


def test_csv_has_a_header_and_each_row(bare: Flask) -> None:
    text = sent(bare, "csv").get_data(as_text=True)
    assert list(csv.reader(io.StringIO(text, newline=""))) == [
        list(COLUMNS),
        ["'=SUM(A1)", "2026-11-22T15:04:00Z", "0.31", ""],
        ["owls, barn", "2026-11-22T15:04:00Z", "2", "a; b"],
    ]


def test_json_is_a_list_of_objects_with_text_as_it_is(bare: Flask) -> None:
    assert json.loads(sent(bare, "json").get_data()) == [
        {"name": "=SUM(A1)", "at": "2026-11-22T15:04:00Z", "cost": "0.31", "tags": None},
        {"name": "owls, barn", "at": "2026-11-22T15:04:00Z", "cost": 2, "tags": ["a", "b"]},
    ]


@pytest.mark.parametrize(("form", "text"), [("csv", "name,at,cost,tags\r\n"), ("json", "[]\n")])
def test_nothing_is_a_table_as_well(bare: Flask, form: str, text: str) -> None:
    assert sent(bare, form, []).get_data(as_text=True) == text


def test_the_file_has_a_name_with_the_date(bare: Flask) -> None:
    before = datetime.now(UTC).date()
    disposition = sent(bare, "csv").headers["Content-Disposition"]
    days = {before, datetime.now(UTC).date()}
    assert disposition in {f'attachment; filename="citegrid-searches-{day}.csv"' for day in days}


def test_rows_are_read_as_they_are_sent(bare: Flask) -> None:
    read = []

    def rows() -> Iterator[tuple[str, int, int, int]]:
        for number in range(100_000):
            read.append(number)
            yield "owl" * 100, number, 0, 0

    with bare.test_request_context("/"):
        response = tables.export("owls", COLUMNS, rows(), "csv")
        next(iter(response.response))
        assert 0 < len(read) < 1_000
        response.close()


def test_more_exports_than_there_are_slots_are_refused(bare: Flask) -> None:
    with bare.test_request_context("/"):
        first = tables.export("owls", COLUMNS, [], "csv")
        with pytest.raises(Overloaded):
            tables.export("owls", COLUMNS, [], "csv")
        first.close()
        tables.export("owls", COLUMNS, [], "csv").close()
