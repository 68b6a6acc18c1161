"""/v1/reputation: what the answers of your nodes say of your account."""

from typing import Any

from app.core import db
from app.core.http import Blueprint, caller, scoped
from app.domains.campaigns.reviews import schemas, service

bp = Blueprint(
    "reputation",
    __name__,
    url_prefix="/v1/reputation",
    description="How often the votes of your nodes were right.",
    preview=True,
)


@bp.get("")
@scoped("nodes")
@bp.response(200, schemas.ReputationOut)
@bp.doc(operationId="showReputation")
def show() -> dict[str, Any]:
    """How often your nodes' votes agreed with what was decided or known, and whether they count.

    It is up to a day old. It weighs no vote: it decides only whether your votes count yet.
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
