"""Reading what an export holds, some rows at a time."""

from collections.abc import Iterator
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg.rows import tuple_row

from app.core import db
from app.core.db import values
from app.domains.own_data.personal_data.tables import TableExport

AT_ONCE: Final = 500


def rows(listing: TableExport, account_id: UUID) -> Iterator[dict[str, Any]]:
    """All of a listing, by as many short statements as that takes."""
    parents = listing.table.parents
    if not parents:
        yield from _of_one(listing, {"account_id": account_id})
        return
    with db.reading() as reader:
        ids = values(reader, parents, account_id=account_id)
    for parent in ids:
        yield from _of_one(listing, {"account_id": account_id, "each": parent})


def _of_one(listing: TableExport, params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Rows behind the last one that was read; the columns of the key come first in each."""
    places = [f"place_{n}" for n in range(len(listing.export.key))]
    place: tuple[Any, ...] = ()
    while True:
        after = dict(zip(places, place, strict=True)) if place else {}
        sql = statement(listing, places if place else [])
        with db.reading() as reader, reader.cursor(row_factory=tuple_row) as cursor:
            found = cursor.execute(sql, {**params, **after, "most": AT_ONCE}).fetchall()
            names = [column.name for column in cursor.description or ()][len(places) :]
        for row in found:
            yield dict(zip(names, row[len(places) :], strict=True))
        if len(found) < AT_ONCE:
            return
        place = found[-1][: len(places)]


def statement(listing: TableExport, places: list[str]) -> LiteralString:
    """The next rows of a listing, behind the place whose parts are `places`."""
    table, export = listing
    key = ", ".join(export.key)
    owner = "%(each)s" if table.parents else "%(account_id)s"
    after = ", ".join(f"%({name})s" for name in places)
    behind = f" and ({key}) > ({after})" if places else ""
    return (
        f"select {key}, {export.columns} from {table.name} {export.joined}"  # noqa: S608 (constants)
        f" where {table.by} = {owner} and {export.only}{behind} order by {key} limit %(most)s"
    )
