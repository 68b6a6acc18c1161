"""/v1/credits: what an account may spend, and buying more of it with x402."""

from collections.abc import Mapping
from typing import Any

from flask import current_app, request, url_for

from app.core import amounts, db
from app.core.db import Tx
from app.core.db.moments import one_moment
from app.core.errors import Invalid
from app.core.http import Blueprint, account_only, caller, current_settings, raises
from app.core.http.fields import RowView
from app.core.http.pagination import PageIn, page
from app.domains.money.ledger import schemas, service, store
from app.domains.money.ledger.words import words
from app.domains.money.payments import purchases
from app.domains.money.payments.checkout import (
    OFFER,
    RECEIPT,
    Checkout,
    PaymentsDisabled,
    Sale,
    receipt,
)
from app.domains.money.payments.store import Payment
from app.domains.money.payments.wire import Offer
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.admission.acceptance import POLL_SECONDS
from app.domains.queue.jobs.statuses import STATUS_OF_STATE

credits = Blueprint(
    "credits",
    __name__,
    url_prefix="/v1/credits",
    description="Credit of the account for campaigns and chats.",
    preview=True,
)

TOO_FINE = "Has more decimals than the accepted tokens."


@credits.get("", operation="listCredits")
@account_only
@credits.arguments(PageIn, location="query")
@credits.response(200, schemas.CreditsOut)
def show(query: dict[str, Any]) -> dict[str, Any]:
    """Get credit balances per token, and transfers, newest first."""
    account_id, limit = caller().account_id, query["limit"]
    with one_moment() as reader:
        balances = service.available(reader, account_id)
        entries = store.entries(
            reader, [account_id], query.get("cursor"), limit + 1, kinds=["credit"]
        )
    return {"balances": balances, **page("entries", entries, limit, _present)}


def _present(entry: store.EntryRow) -> RowView:
    return RowView(entry, why=words(entry.kind, entry.why, entry.amount))


@credits.post("", operation="buyCredit")
@account_only
@raises(*purchases.RAISES)
@credits.arguments(schemas.CreditIn)
@credits.response(202, schemas.BoughtCreditOut)
@credits.doc(parameters=[purchases.OFFER])
def buy(body: dict[str, Any]) -> tuple[dict[str, Any], int, Mapping[str, str]]:
    """Buy credit, one unit per unit of the asset. Each payment counts once.

    Send the same payment again to check its state until `status` is `completed`.
    """
    checkout: Checkout = current_app.extensions["checkout"]
    purchase = _purchase(body)
    header = request.headers.get(OFFER)
    if header is None:
        if not checkout.open:
            raise PaymentsDisabled
        _check_room()
        if not checkout.takes(body["amount"]):
            raise Invalid.at("/amount", TOO_FINE)
        raise checkout.ask(purchase.sale)
    return _bought(purchases.sell(checkout, purchase, header), purchase, checkout)


def _purchase(body: dict[str, Any]) -> purchases.Purchase:
    settings = current_settings()
    account_id = caller().account_id
    wanted = {"credit": str(account_id), "amount": amounts.text(body["amount"])}

    def write(tx: Tx, offer: Offer, requirement: dict[str, Any], from_block: int) -> bool:
        token = settings.credit_token
        return service.await_credit(tx, account_id, wanted, token, offer, requirement, from_block)

    def here(_payment: Payment | None = None) -> str:
        return settings.service_base_url.rstrip("/") + url_for("credits.buy")

    return purchases.Purchase(
        sale=Sale("Credit", body["amount"], here()),
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
    payment: Payment, purchase: purchases.Purchase, checkout: Checkout
) -> tuple[dict[str, Any], int, Mapping[str, str]]:
    """202 also while it is not certain: after a 402 payers would sign, and pay, again."""
    settings = current_settings()
    payment = purchases.decided(payment, current_app.extensions["waiting"], settings)
    if payment.state == "failed":
        raise checkout.fail(purchase.sale, payment)
    credit = {
        "id": payment.job_id,
        "amount": purchase.sale.price,
        "token": settings.credit_token,
        "status": STATUS_OF_STATE[_state(payment)],
    }
    headers = {
        "Cache-Control": "private, no-store",
        RECEIPT: receipt(payment),
        "Retry-After": str(POLL_SECONDS),
    }
    return {"credit": credit}, 202, headers


def _state(payment: Payment) -> str:
    try:
        with db.transaction() as tx:
            return jobs.find(tx, payment.job_id, caller().account_id).state
    except jobs.JobNotFound:  # posted so long ago that its job is forgotten
        return "succeeded"
