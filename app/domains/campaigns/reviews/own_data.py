"""An account's data in votes on records."""

from typing import Final, LiteralString

from app.core.db.own_data import Export, Nameless, Retention, RowDeletion, Table
from app.core.ids import Noun

# Those that were made of its word, and those that were made of a decision about its records.
_OF_ITS_RECORDS: LiteralString = (
    "(payer_id = %(account_id)s or made_from = any(array("
    "select record_id from reviews where reviews.payer_id = %(account_id)s)))"
)

REVIEWS_TABLES: Final = (
    Table(
        "reviews",
        "how others judge records; a decision is in the version of its record",
        (
            RowDeletion(),
            Retention(
                "of records of others that its nodes contributed; deleted after RETENTION_DAYS"
            ),
        ),
        by="payer_id",
    ),
    Table(
        "votes",
        Export(
            "record_id, version, verdict, category, reason, evidence, counted, agreed, cast_at",
            {"record_id": Noun.CAMPAIGN_RECORD},
            key=("record_id", "version"),
        ),
        Nameless(
            "reason = null, evidence = '[]'",
            "they decided about records of others; they go with their review",
        ),
    ),
    Table(
        "gold_items",
        "tests of judges: who could read them would pass them",
        RowDeletion(where=_OF_ITS_RECORDS),
        by="payer_id",
    ),
    Table("gold_answers", "tests of judges: who could read them would pass them", RowDeletion()),
    Table(
        "reputations",
        Export(
            "shown_right, shown_wrong, suspended_at, reason", key=("account_id",), file="reputation"
        ),
        RowDeletion(),
    ),
    Table(
        "payer_tests",
        "tests of judges: who could read them would pass them",
        (RowDeletion(), Retention("counts of the tests of others by what it said as a payer")),
    ),
)
