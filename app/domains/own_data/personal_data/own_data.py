"""An account's data in exports: everything, sealed."""

from typing import Final

from app.core.db.own_data import Deleted, Table

TABLES: Final = (
    Table("account_exports", "the export itself", Deleted()),
    Table(
        "account_export_parts",
        "the export itself",
        Deleted(),
        by="export_id",
        parents="select id from account_exports where account_id = %(account_id)s",
    ),
)
