"""An account's data in exports: everything, sealed."""

from typing import Final

from app.core.db.own_data import RowDeletion, Table

EXPORTS_TABLES: Final = (
    Table("account_exports", "the export itself", RowDeletion()),
    Table(
        "account_export_parts",
        "the export itself",
        RowDeletion(),
        by="export_id",
        parents="select id from account_exports where account_id = %(account_id)s",
    ),
)
