"""An account's data in the work of nodes."""

from typing import Final

from app.core.db.own_data import Export, Nameless, Retention, Table
from app.core.ids import Noun

WORK_TABLES: Final = (
    Table(
        "work",
        "of whoever pays for it; what the account's nodes did is in `work_done`",
        Retention("of others, which its nodes did; it goes with its job"),
    ),
    Table(
        "work_turns",
        Export(
            "work_id, fence, node_id, claimed_at, ended_at, outcome, reason",
            {"work_id": Noun.WORK, "node_id": Noun.NODE},
            key=("work_id", "fence"),
            file="work_done",
        ),
        Nameless(
            "answer = null, claim_key = 'erased ' || work_id || ' ' || fence",
            "of whoever paid for the work; they go with its job",
            where="account_id = %(account_id)s and ended_at is not null",
        ),
    ),
)
