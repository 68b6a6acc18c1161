"""An account's data in searches."""

from typing import Final

from app.core.db.own_data import Deleted, Export, Table
from app.core.ids import Noun

TABLES: Final = (
    Table(
        "searches",
        Export("id, query, options, created_at, expires_at, warnings, result", {"id": Noun.SEARCH}),
        Deleted(),
    ),
    Table(
        "search_sources",
        "which stored pages an answer cites; the answer holds its sources and quotes",
        Deleted(snapshot="snapshot_id"),
        by="search_id",
        parents="select id from searches where account_id = %(account_id)s",
    ),
)
