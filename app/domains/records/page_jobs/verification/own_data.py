"""An account's data in checks of quotes."""

from typing import Final

from app.core.db.own_data import Export, RowDeletion, Table
from app.core.ids import Noun

VERIFICATION_TABLES: Final = (
    Table(
        "extraction_verifications",
        Export(
            "id, url, quote, stored, live, live_error, created_at",
            {"id": Noun.VERIFICATION},
            file="quote_checks",
        ),
        RowDeletion(snapshot="snapshot_id"),
    ),
)
