"""An account's data in alerts."""

from typing import Final, LiteralString

from app.core.db.own_data import Export, RowDeletion, Table
from app.core.ids import Noun

_ADDRESSES: LiteralString = "select id from alert_addresses where account_id = %(account_id)s"

ALERTS_TABLES: Final = (
    Table(
        "alert_addresses", Export("id, email, asked_at, confirmed_at, refused_at"), RowDeletion()
    ),
    Table(
        "alerts",
        Export(
            "id, about, about_id, queue, condition, threshold, address_id, webhook_id, raised,"
            " untold, told_at, stopped_at, created_at",
            {"id": Noun.ALERT, "webhook_id": Noun.WEBHOOK},
        ),
        RowDeletion(),
    ),
    Table(
        "alert_mails",
        Export(
            "id, address_id, alert_id, subject, body, status, error, created_at",
            {"alert_id": Noun.ALERT},
        ),
        RowDeletion(),
        by="address_id",
        parents=_ADDRESSES,
    ),
)
