"""An account's data in the audit log."""

from typing import Final

from app.core.db.own_data import Export, Retention, Table
from app.core.ids import Noun

AUDIT_TABLES: Final = (
    Table(
        "audit_events",
        Export(
            "id, at, actor, action, object, facts, address, request_id",
            {"id": Noun.AUDIT_EVENT, "request_id": Noun.REQUEST},
        ),
        Retention("what was done, without names and addresses; deleted after AUDIT_KEPT_DAYS"),
    ),
)
