"""Tables of pages as files: everything that a filter matches, streamed as it is read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

import orjson
from flask import Response, stream_with_context

from app.core import amounts
from app.core.http.exports import cells, forms
from app.core.http.fields import rfc3339

FORMS: Final = {"csv": forms.CSV, "json": forms.JSON, "ndjson": forms.NDJSON}


def export(name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], form: str) -> Response:
    """A download of `rows`, which may be a generator that reads as it goes. Raises Overloaded.

    Times are in UTC, amounts exact; no cell of CSV is one that a spreadsheet computes.
    """
    lines = _csv(columns, rows) if form == "csv" else _json(columns, rows)
    return download(name, stream_with_context(forms.in_blocks(lines)), form)


def export_items(
    name: str, columns: Sequence[str], items: Iterable[Mapping[str, Any]], form: str
) -> Response:
    """The same of mappings that have a value for each column."""
    return export(name, columns, ([item[each] for each in columns] for item in items), form)


def download(name: str, chunks: Iterator[bytes], form: str) -> Response:
    """A file that is written already, as it is sent. Raises Overloaded."""
    response = forms.streamed(chunks, FORMS[form])
    file = f"citegrid-{name}-{datetime.now(UTC):%Y-%m-%d}.{form}"
    response.headers["Content-Disposition"] = f'attachment; filename="{file}"'
    return response


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    yield cells.line([cells.safe(column) for column in columns])
    for row in rows:
        yield cells.line([cells.cell(_plain(value)) for value in row])


def _json(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    between = b"[\n"
    for row in rows:
        values = dict(zip(columns, map(_plain, row), strict=True))
        yield between + orjson.dumps(values)
        between = b",\n"
    yield b"[]\n" if between == b"[\n" else b"\n]\n"


def listed(ndjson: Iterable[bytes]) -> Iterator[bytes]:
    """Blocks of JSON values, one on a line, as one list of JSON."""
    between = b"[\n"
    for block in ndjson:
        yield between + block.rstrip(b"\n").replace(b"}\n{", b"},\n{")
        between = b",\n"
    yield b"[]\n" if between == b"[\n" else b"\n]\n"


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return rfc3339(value)
    return amounts.text(value) if isinstance(value, Decimal) else value
