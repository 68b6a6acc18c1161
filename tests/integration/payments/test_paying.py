"""A search is paid for, settled, begun, and read."""

from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from app.domains.money.payments import service as payments
from app.domains.queue.jobs.dispatch import sweep
from tests.chains import paying
from tests.chains.node import MERCHANT, PAYER, Chain
from tests.integration.payments.conftest import PATH, PRICE, Ask, Settler, sender
from tests.quick_applications import made


def test_a_request_without_payment_is_told_what_to_pay(send: Ask, chain: Chain) -> None:
    answer = send()
    assert (answer.status_code, answer.json["error"]["code"]) == (402, "payment_required")
    asked = paying.decoded(answer.headers["PAYMENT-REQUIRED"])
    assert asked["resource"]["url"] == f"https://search.example.org{PATH}"
    assert asked["accepts"] == [
        {
            "scheme": "exact",
            "network": chain.network,
            "asset": chain.token.address,
            "amount": str(PRICE),
            "payTo": MERCHANT.address,
            "maxTimeoutSeconds": 300,
            "extra": {"name": "Test Dollar", "version": "2", "paymentFlow": "upfront"},
        }
    ]


def test_the_receipt_names_the_transaction(
    prompt: FlaskClient, challenge: str, chain: Chain
) -> None:
    answer = sender(prompt)(paying.payment(challenge, PAYER))
    receipt = paying.decoded(answer.headers["PAYMENT-RESPONSE"])
    assert receipt == {
        "success": True,
        "payer": PAYER.address.lower(),
        "transaction": receipt["transaction"],
        "network": chain.network,
        "amount": str(PRICE),
    }
    assert chain.w3.eth.get_transaction_receipt(receipt["transaction"])["status"] == 1


def test_an_unsettled_payment_is_pending_and_not_refused(send: Ask, challenge: str) -> None:
    answer = send(paying.payment(challenge, PAYER))
    assert (answer.status_code, answer.json["search"]["status"]) == (202, "pending")
    receipt = paying.decoded(answer.headers["PAYMENT-RESPONSE"])
    assert (receipt["success"], receipt["errorReason"]) == (False, "settlement_pending")


def test_settling_begins_the_search(send: Ask, challenge: str, settler: Settler) -> None:
    send(paying.payment(challenge, PAYER))
    settler.once()
    assert job_states("searches.answer") == ["queued"]
    assert job_states("payments.reconcile") == ["succeeded"]


def test_what_a_wallet_buys_is_done_in_turns_of_its_own(send: Ask, challenge: str) -> None:
    send(paying.payment(challenge, PAYER))
    with db.reading() as reader:
        accounts = db.values(reader, "select account_id from jobs")
    assert list(accounts) == [payments.account_of(PAYER.address.lower())] * 2
    assert accounts[0] != payments.account_of(MERCHANT.address.lower())


def job_states(kind: str) -> list[str]:
    with db.reading() as reader:
        found = db.values(reader, "select state from jobs where kind = %(kind)s", kind=kind)
    return list(found)


def test_a_free_rerun_has_the_deadline_of_the_settings(
    settings: Settings, challenge: str, settler: Settler
) -> None:
    patient = made(settings, search_deadline_seconds=900.0).test_client()
    sender(patient)(paying.payment(challenge, PAYER))
    settler.once()
    with db.transaction() as tx:
        tx.execute(
            "update jobs set deadline_at = now() - interval '1 s' where kind = 'searches.answer'"
        )
        sweep.sweep(tx)
        left = "select extract(epoch from deadline_at - now()) from jobs where state = 'queued'"
        assert 800 < db.value(tx, left) <= 900
