"""An account's data in nodes."""

from typing import Final

from app.core.db.own_data import Export, RowDeletion, Table
from app.core.ids import Noun

NODES_TABLES: Final = (
    Table(
        "nodes",
        Export(
            "id, name, work, options, max_bytes, capacity, maintenance, admitted_at, paused_until,"
            " paused_reason, seen_at, network, created_at",
            {"id": Noun.NODE},
        ),
        RowDeletion(),
    ),
    Table("node_suspensions", Export("reason, suspended_at", key=("account_id",)), RowDeletion()),
)
