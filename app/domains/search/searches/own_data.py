"""An account's data in searches."""

from typing import Final

from app.core.db.own_data import Export, RowDeletion, Table
from app.core.ids import Noun

SEARCHES_TABLES: Final = (
    Table(
        "searches",
        Export("id, query, options, created_at, expires_at, warnings, result", {"id": Noun.SEARCH}),
        RowDeletion(),
    ),
    Table(
        "search_sources",
        "which stored pages an answer cites; the answer holds its sources and quotes",
        RowDeletion(snapshot="snapshot_id"),
        by="search_id",
        parents="select id from searches where account_id = %(account_id)s",
    ),
)
