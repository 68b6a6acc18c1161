"""/v1/credits: what an account may spend, and buying more of it with x402."""

from collections.abc import Mapping
from typing import Any

from flask import current_app, request, url_for

from app.core import amounts, db
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.errors import Invalid
from app.core.http import Blueprint, account_only, caller, raises
from app.core.http.pagination import PageIn, page
from app.domains.money.ledger import schemas, service, store
from app.domains.money.payments import checkout as tills
from app.domains.money.payments import purchases
from app.domains.money.payments.store import Payment
from app.domains.money.payments.wire import Offer
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.statuses import STATUS_OF_STATE
from app.domains.queue.jobs.watch import POLL_SECONDS

bp = Blueprint(
    "credits",
    __name__,
    url_prefix="/v1/credits",
    description="What the account may spend on campaigns and chats.",
    preview=True,
)

TOO_FINE = "Has more decimals than any token that is taken here."


@bp.get("")
@account_only
@bp.arguments(PageIn, location="query")
@bp.response(200, schemas.CreditsOut)
@bp.doc(operationId="listCredits")
def show(query: dict[str, Any]) -> dict[str, Any]:
    """What the account may spend, per token, and how that came about, newest first."""
    account_id, limit = caller().account_id, query["limit"]
    with db.reading() as reader:
        balances = service.available(reader, account_id)
        entries = store.entries(
            reader, [account_id], query.get("cursor"), limit + 1, kinds=["credit"]
        )
    return {"balances": balances, **page("entries", entries, limit)}


@bp.post("")
@account_only
@raises(*purchases.RAISES)
@bp.arguments(schemas.CreditIn)
@bp.response(202, schemas.BoughtCreditOut)
@bp.doc(operationId="buyCredit", parameters=[purchases.OFFER])
def buy(body: dict[str, Any]) -> tuple[dict[str, Any], int, Mapping[str, str]]:
    """Buy credit: a unit for each unit of the asset. The payment makes it unrepeatable.

    Until `status` is `completed`, sending the same payment again says how it stands.
    """
    till: tills.Checkout = current_app.extensions["till"]
    if not till.open:
        raise tills.PaymentsDisabled
    purchase = _purchase(body)
    header = request.headers.get(tills.OFFER)
    if header is None:
        _check_room()
        if not till.takes(body["amount"]):
            raise Invalid(details=[{"field": "/amount", "problem": TOO_FINE}])
        raise till.ask(purchase.sale)
    return _bought(purchases.sell(till, purchase, header), purchase, till)


def _purchase(body: dict[str, Any]) -> purchases.Purchase:
    settings: Settings = current_app.extensions["settings"]
    account_id = caller().account_id
    wanted = {"credit": str(account_id), "amount": amounts.text(body["amount"])}

    def write(tx: Tx, offer: Offer, requirement: dict[str, Any], from_block: int) -> bool:
        token = settings.credit_token
        return service.await_credit(tx, account_id, wanted, token, offer, requirement, from_block)

    def here(_payment: Payment | None = None) -> str:
        return settings.service_base_url.rstrip("/") + url_for("credits.buy")

    return purchases.Purchase(
        sale=tills.Sale("Credit", body["amount"], here()),
        request=wanted,
        admit=lambda _offer: _check_room(),
        write=write,
        address=here,
    )


def _check_room() -> None:
    """Nobody pays for what would be refused."""
    account_id, seconds = caller().account_id, service.CREDIT.deadline_seconds
    with db.reading() as reader:
        current_app.extensions["backpressure"].check(reader, service.CREDIT, account_id, seconds)


def _bought(
    payment: Payment, purchase: purchases.Purchase, till: tills.Checkout
) -> tuple[dict[str, Any], int, Mapping[str, str]]:
    """202 also while it is not certain: after a 402 payers would sign, and pay, again."""
    settings: Settings = current_app.extensions["settings"]
    payment = purchases.decided(payment, current_app.extensions["waiting"], settings)
    if payment.state == "failed":
        raise till.fail(purchase.sale, payment)
    credit = {
        "id": payment.job_id,
        "amount": purchase.sale.price,
        "token": settings.credit_token,
        "status": STATUS_OF_STATE[_state(payment)],
    }
    headers = {
        "Cache-Control": "private, no-store",
        tills.RECEIPT: tills.receipt(payment),
        "Retry-After": str(POLL_SECONDS),
    }
    return {"credit": credit}, 202, headers


def _state(payment: Payment) -> str:
    try:
        with db.transaction() as tx:
            return jobs.find(tx, payment.job_id, caller().account_id).state
    except jobs.JobNotFound:  # posted so long ago that its job is forgotten
        return "succeeded"
