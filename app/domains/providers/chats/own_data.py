"""An account's data in chats."""

from typing import Final

from app.core.db.own_data import Export, Retention, RowDeletion, Table
from app.core.ids import Noun

CHATS_TABLES: Final = (
    Table(
        "chats",
        Export(
            "id, offer_id, pricing_revision, input_rate, output_rate, max_cost, prompt_tokens,"
            " completion_tokens, cost, ended, created_at",
            {"id": Noun.CHAT},
        ),
        (
            RowDeletion("ended is not null"),
            Retention("of others with its offers: theirs, deleted after RETENTION_DAYS"),
        ),
    ),
)
