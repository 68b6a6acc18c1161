"""Lists with filters that callers may leave out."""

from collections.abc import Mapping
from typing import Any, Final, LiteralString, TypeVar
from uuid import UUID

from app.core.db import Reader, many

Row = TypeVar("Row")

Filters = Mapping[str, LiteralString]
NONE: Final[Filters] = {}


def newest(
    reader: Reader,
    row: type[Row],
    sql: LiteralString,
    before: UUID | None,
    most: int,
    filters: Filters = NONE,
    *,
    id: LiteralString = "id",
    **given: Any,
) -> list[Row]:
    """As `page`, newest first, behind the row `before`; `id` is the column of identifiers."""
    filters = {**filters, "before": f"{id} < %(before)s"}
    return page(reader, row, sql, filters, order=f"{id} desc", most=most, before=before, **given)


def page(
    reader: Reader,
    row: type[Row],
    sql: LiteralString,
    filters: Filters,
    *,
    order: LiteralString,
    most: int,
    **given: Any,
) -> list[Row]:
    """The first `most` rows of `sql`, which ends in conditions, and of those `filters` given.

    Without conditions on what is not given, and with a number as the limit, Postgres plans it once
    for each connection. It would plan it on each call otherwise, which takes longer than reading.
    """
    found = "".join(f" and {text}" for name, text in filters.items() if given[name] is not None)
    return many(reader, row, f"{sql}{found} order by {order} limit {most:d}", **given)
