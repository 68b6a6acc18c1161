"""An account's data in chats."""

from typing import Final

from app.core.db.own_data import Deleted, Export, Kept, Table
from app.core.ids import Noun

TABLES: Final = (
    Table(
        "chats",
        Export(
            "id, offer_id, pricing_revision, input_rate, output_rate, max_cost, prompt_tokens,"
            " completion_tokens, cost, ended, created_at",
            {"id": Noun.CHAT},
        ),
        (
            Deleted("ended is not null"),
            Kept("of others with its offers: theirs, deleted after RETENTION_DAYS"),
        ),
    ),
)
