"""Counts of an account's offers, in exports and at erasure."""

from typing import Final

from app.core.db.own_data import Export, Follows, Table
from app.domains.providers.providers.own_data import OFFERS

HEALTH_TABLES: Final = (
    Table(
        "offer_days",
        Export("offer_id, day, requests, failed, aborted, tokens", key=("day",)),
        Follows("with its offer"),
        by="offer_id",
        parents=OFFERS,
    ),
    Table(
        "offer_minutes", "the same as `offer_days`, finer, of two days", Follows("with its offer")
    ),
)
