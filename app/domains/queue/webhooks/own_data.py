"""An account's data in webhooks."""

from typing import Final, LiteralString

from app.core.db.own_data import Export, Follows, RowDeletion, Table
from app.core.ids import Noun

_WEBHOOKS: LiteralString = "select id from webhooks where account_id = %(account_id)s"
_DELIVERIES: LiteralString = (
    "select id from webhook_deliveries where webhook_id = any(array(" + _WEBHOOKS + "))"  # noqa: S608
)

WEBHOOKS_TABLES: Final = (
    Table(
        "webhooks",
        Export(
            "id, job_id, url, events, enabled, disabled_at, disabled_reason, created_at",
            {"id": Noun.WEBHOOK, "job_id": Noun.JOB},
        ),
        RowDeletion(),
    ),
    Table(
        "webhook_events",
        Export(
            "id, type, version, convert_from(body, 'UTF8') as body, occurred_at",
            {"id": Noun.MESSAGE},
        ),
        RowDeletion(),
    ),
    Table(
        "webhook_deliveries",
        Export(
            "id, webhook_id, event_id, redelivery_of, status, error, created_at",
            {
                "id": Noun.DELIVERY,
                "redelivery_of": Noun.DELIVERY,
                "webhook_id": Noun.WEBHOOK,
                "event_id": Noun.MESSAGE,
            },
        ),
        RowDeletion(),
        by="webhook_id",
        parents=_WEBHOOKS,
    ),
    Table(
        "webhook_attempts",
        Export(
            "delivery_id, n, at, status, error, milliseconds, answer",
            {"delivery_id": Noun.DELIVERY},
            key=("n",),
        ),
        Follows("with its delivery"),
        by="delivery_id",
        parents=_DELIVERIES,
    ),
)
