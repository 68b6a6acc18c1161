"""An account's data in the sites it has read."""

from typing import Final

from app.core.db.own_data import Export, Follows, RowDeletion, Table
from app.core.ids import Noun

SITES_TABLES: Final = (
    Table(
        "own_sites",
        Export(
            "id, corpus_id, url, kind, include_paths, exclude_paths, max_pages, refresh, reason,"
            " created_at, read_at",
            {"id": Noun.SITE, "corpus_id": Noun.CORPUS},
            file="sites",
        ),
        RowDeletion(),
    ),
    Table(
        "site_pages",
        "addresses found on sites, of which those that were read are documents",
        Follows("with its site"),
        by="site_id",
        parents="select id from own_sites where account_id = %(account_id)s",
    ),
)
