"""/onchain/v1/search: the same search without a key, paid for by x402 version 2, settled first."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

from flask import Response, current_app, request, url_for

from app.core import db, ids
from app.core.db import Tx
from app.core.errors import Overloaded
from app.core.http import Blueprint, current_settings, public, raises
from app.core.http.fields import RowView
from app.core.http.long_poll import TooManyStreams, WaitIn
from app.core.ids import Noun
from app.domains.money.payments import checkout, purchases, store
from app.domains.money.payments import service as payments
from app.domains.money.payments.store import Payment
from app.domains.money.payments.wire import Offer
from app.domains.queue.jobs.admission.acceptance import POLL_SECONDS
from app.domains.queue.jobs.watch import EVENT
from app.domains.search.memories.service import PersonaNotFound
from app.domains.search.searches import schemas, service
from app.domains.search.searches.presentation import WATCHED, present
from app.domains.search.searches.result_schemas import SnapshotOut

paid_searches = Blueprint(
    "paid_searches",
    __name__,
    url_prefix="/onchain/v1/search",
    description="Search without an account, paid per search with x402 version 2.",
)

READING = (checkout.PaymentsDisabled, checkout.SearchAccessDenied)
PRIVATE = {"Cache-Control": "private, no-store"}


@paid_searches.before_request
def taking_payments() -> None:
    """Before anything is parsed: without payments nothing is sold, and only known ones are sent."""
    sells = _checkout().open or checkout.OFFER in request.headers
    if request.method == "POST" and not sells:
        raise checkout.PaymentsDisabled


def _checkout() -> checkout.Checkout:
    opened: checkout.Checkout = current_app.extensions["checkout"]
    return opened


@paid_searches.post("", operation="createPaidSearch")
@public
@raises(*purchases.RAISES, service.SearchNotFound, PersonaNotFound)
@paid_searches.arguments(schemas.PaidSearchIn)
@paid_searches.response(202, schemas.PaidAcceptedSchema)
@paid_searches.doc(parameters=[purchases.OFFER])
def create(body: dict[str, Any]) -> tuple[dict[str, Any], int, Mapping[str, str]]:
    """Start a paid search after settlement. Each payment counts once."""
    if "persona_id" in body:
        raise PersonaNotFound  # personas are an account's, and who pays need not have one
    purchase = _purchase(body)
    header = request.headers.get(checkout.OFFER)
    if header is None:
        _check_room(payments.PAYERS)
        raise _checkout().ask(purchase.sale)
    payment = purchases.sell(_checkout(), purchase, header)
    return _accepted(payment, purchase.sale)


def _purchase(body: dict[str, Any]) -> purchases.Purchase:
    settings = current_settings()

    def write(tx: Tx, offer: Offer, requirement: dict[str, Any], from_block: int) -> bool:
        return service.await_payment(
            tx,
            body,
            offer,
            requirement,
            from_block=from_block,
            retention_seconds=settings.retention_days * 86_400,
            deadline_seconds=settings.search_deadline_seconds,
        )

    return purchases.Purchase(
        sale=checkout.Sale(
            checkout.SEARCH,
            Decimal(settings.onchain_price or 0),
            _public(url_for("paid_searches.create")),
        ),
        request=body,
        admit=lambda offer: _check_room(payments.account_of(offer.payer)),
        write=write,
        address=_address,
    )


def _check_room(account_id: UUID) -> None:
    """Nobody pays for what would be refused."""
    seconds = current_settings().search_deadline_seconds
    with db.reading() as reader:
        current_app.extensions["backpressure"].check(reader, service.KIND, account_id, seconds)


def _accepted(
    payment: Payment, sale: checkout.Sale
) -> tuple[dict[str, Any], int, Mapping[str, str]]:
    """202 also while it is not certain: after a 402 payers would sign, and pay, again."""
    settings = current_settings()
    payment = purchases.decided(payment, current_app.extensions["waiting"], settings)
    if payment.state == "failed":
        raise _checkout().fail(sale, payment)
    public_id = ids.public(Noun.SEARCH, payment.job_id)
    with db.reading() as reader:
        search = service.find(reader, payments.PAYERS, payment.job_id)
    body = {
        "search": {"id": public_id, "status": service.status(search)},
        "access_token": payments.access_token(settings, payment),
    }
    headers = {
        **PRIVATE,
        checkout.RECEIPT: checkout.receipt(payment),
        "Location": _address(payment),
        "Retry-After": str(POLL_SECONDS),
    }
    return body, 202, headers


@paid_searches.get("/<string:search_id>", operation="getPaidSearch")
@public
@raises(*READING, service.SearchNotFound)
@paid_searches.arguments(WaitIn, location="query")
@paid_searches.response(200, schemas.SearchOut)
def show(wanted: dict[str, Any], search_id: str) -> tuple[RowView, int, dict[str, str]]:
    """Get a paid search with its access token or the paying wallet. Free of charge."""
    search, headers = WATCHED.show(payments.PAYERS, _let_in(search_id), wanted["wait"])
    return present(search), 200, {**headers, **PRIVATE}


@paid_searches.get("/<string:search_id>/events", operation="watchPaidSearch")
@public
@raises(*READING, service.SearchNotFound, TooManyStreams, Overloaded)
@paid_searches.response(
    200,
    EVENT,
    content_type="text/event-stream",
    description="Server-sent events, as for other searches.",
)
@paid_searches.alt_response(
    204, description="`Last-Event-ID` is the last event; there are no further events."
)
def events(search_id: str) -> Response:
    """Stream the progress of a paid search as server-sent events."""
    return WATCHED.watch(payments.PAYERS, _let_in(search_id))


@paid_searches.get(
    "/<string:search_id>/sources/<string:n>/snapshot", operation="getPaidSearchSnapshot"
)
@public
@raises(*READING, service.SearchNotFound, service.SourceNotFound)
@paid_searches.response(200, SnapshotOut)
def snapshot(search_id: str, n: str) -> tuple[Any, int, dict[str, str]]:
    """Get the stored text of source `n` of a paid search."""
    id = _let_in(search_id)
    with db.reading() as reader:
        return service.snapshot(reader, payments.PAYERS, id, n), 200, PRIVATE


def _let_in(search_id: str) -> UUID:
    """The search behind an id, if the request is by its payer. Raises SearchAccessDenied."""
    settings = current_settings()
    with db.reading() as reader:
        payment = store.of_job(reader, ids.lookup(Noun.SEARCH, search_id))
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" else ""
    if payment and (payments.opens(settings, payment, bearer) or _signed_in(payment)):
        return payment.job_id
    raise _checkout().deny(_public(url_for("paid_searches.show", search_id=search_id)))


def _signed_in(payment: Payment) -> bool:
    """True if the paying wallet answered our challenge for this search, for the first time."""
    header = request.headers.get(checkout.SIGN_IN)
    found = _checkout().signed_in(header, _public(_address(payment))) if header else None
    if found is None or found.address != payment.payer:
        return False
    with db.transaction() as tx:
        return store.spend_nonce(tx, found.nonce, found.expires_at)


def _address(payment: Payment) -> str:
    public_id = ids.public(Noun.SEARCH, payment.job_id)
    return url_for("paid_searches.show", search_id=public_id)


def _public(path: str) -> str:
    """The address by which callers know us: what a proxy made of the request is not signed."""
    settings = current_settings()
    return settings.service_base_url.rstrip("/") + path
