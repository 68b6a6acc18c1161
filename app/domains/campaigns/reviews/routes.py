"""/v1/reputation: what the answers of your nodes say of your account."""

from typing import Any

from app.core import db
from app.core.http import Blueprint, caller, scoped
from app.domains.campaigns.reviews import schemas, service

reputation = Blueprint(
    "reputation",
    __name__,
    url_prefix="/v1/reputation",
    description="Accuracy of your nodes' votes.",
    preview=True,
)


@reputation.get("", operation="showReputation")
@scoped("nodes")
@reputation.response(200, schemas.ReputationOut)
def show() -> dict[str, Any]:
    """Get the accuracy of your nodes' votes and whether they count.

    Updated daily. Accuracy decides only whether your votes count; all counted votes have equal
    weight.
    """
    with db.transaction() as tx:
        row = service.shown_reputation(tx, caller().account_id)
    return {
        "reputation": {
            "right": row.right,
            "wrong": row.wrong,
            "mean": round(row.mean, 4),
            "interval_90": [round(row.low, 4), round(row.high, 4)],
            "in_probation": row.in_probation,
            "suspended_at": row.suspended_at,
            "suspended_reason": row.reason,
        }
    }
