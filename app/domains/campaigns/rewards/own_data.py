"""An account's data in rewards and payouts."""

from typing import Final

from app.core.db.own_data import Export, Nameless, Retention, RowDeletion, Table
from app.core.ids import Noun

REWARDS_TABLES: Final = (
    Table(
        "reward_entries",
        Export(
            "id, token, amount, role, campaign_id, record_id, version, verdict, chat_id, why,"
            " state, frozen, created_at, ended_at",
            {
                "id": Noun.REWARD,
                "chat_id": Noun.CHAT,
                "campaign_id": Noun.CAMPAIGN,
                "record_id": Noun.CAMPAIGN_RECORD,
            },
            file="rewards",
        ),
        Retention("the operator's books: ids and amounts"),
    ),
    Table(
        "reward_awards",
        "the operator's books; an account's part is in `rewards`",
        Retention("the operator's books"),
    ),
    Table(
        "reward_freezes", "doubts about a version, decided within days", RowDeletion(), by="subject"
    ),
    Table(
        "payouts",
        Export(
            "id, token, amount, destination, state, reference, reason, created_at, ended_at",
            {"id": Noun.PAYOUT},
        ),
        Nameless(
            "destination = 'erased ' || id,"
            " reason = case when reason is not null then 'erased' end",
            "the operator's books: what was paid, and the reference of the transfer",
        ),
    ),
)
