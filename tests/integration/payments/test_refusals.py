"""Every way a payment is refused: which status, which reason, and that nothing moves."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask.testing import FlaskClient
from x402.mechanisms.evm.asset_cache import reset_asset_contract_cache

from app.core import db
from tests.chains import paying
from tests.chains.node import MERCHANT, PAYER, STRANGER, Chain
from tests.chains.proxy import Proxy
from tests.integration.payments.conftest import PATH, PRICE, Ask, Settler, sender

Payment = dict[str, Any]


def reason(answer: Any) -> str:
    found: str = paying.decoded(answer.headers["PAYMENT-REQUIRED"])["error"]
    return found


def in_seconds(seconds: int) -> str:
    return str(int(time.time()) + seconds)


def rows() -> int:
    with db.reading() as reader:
        return int(db.value(reader, "select count(*) from payments"))


def test_a_bad_request_is_never_charged(client: FlaskClient, payment: Payment) -> None:
    headers = {"PAYMENT-SIGNATURE": paying.encoded(payment)}
    answer = client.post(PATH, json={"query": ""}, headers=headers)
    assert (answer.status_code, answer.json["error"]["code"]) == (400, "validation_failed")
    assert rows() == 0


def test_a_persona_is_not_found_before_anything_is_paid(client: FlaskClient) -> None:
    answer = client.post(PATH, json={"query": "Why?", "persona_id": "me"})
    assert (answer.status_code, answer.json["error"]["code"]) == (404, "persona_not_found")


def without(payment: Payment, *path: str) -> Payment:
    """A copy without one member."""
    copy = json.loads(json.dumps(payment))
    *parents, last = path
    inner = copy
    for name in parents:
        inner = inner[name]
    del inner[last]
    return dict(copy)


def changed(payment: Payment, value: Any, *path: str) -> Payment:
    """A copy with one member replaced or added."""
    copy = json.loads(json.dumps(payment))
    *parents, last = path
    inner = copy
    for name in parents:
        inner = inner[name]
    inner[last] = value
    return dict(copy)


def test_a_malformed_payment_is_400(send: Ask, payment: Payment) -> None:
    answer = send(changed(payment, 1, "x402Version"))
    assert (answer.status_code, answer.json["error"]["code"]) == (400, "payment_malformed")
    assert rows() == 0


def test_another_requirement_than_ours_is_refused(send: Ask, payment: Payment) -> None:
    for value, name in (
        ("1", "amount"),
        ("eip155:1", "network"),
        (MERCHANT.address.lower(), "payTo"),
        (STRANGER.address, "payTo"),
        (STRANGER.address, "asset"),
        ("upto", "scheme"),
        (301, "maxTimeoutSeconds"),
        ({"name": "Test Dollar", "version": "2"}, "extra"),
        ("more", "memo"),
    ):
        answer = send(changed(payment, value, "accepted", name))
        assert (answer.status_code, answer.json["error"]["code"]) == (402, "payment_refused"), name
        assert reason(answer) == "no_matching_payment_requirements"


def test_a_payment_that_cannot_settle_is_refused(send: Ask, challenge: str, chain: Chain) -> None:
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"validBefore": "1000"}, "payload_authorization_valid_before"),
        ({"validAfter": in_seconds(86_400)}, "payload_authorization_valid_after"),
        ({"value": "1"}, "payload_authorization_value_mismatch"),
        ({"to": STRANGER.address}, "payload_recipient_mismatch"),
        ({"from": STRANGER.address}, "payload_signature"),
        ({"signing_domain": {"chainId": 1}}, "payload_signature"),
        ({"signing_domain": {"name": "USD Coin"}}, "payload_signature"),
    )
    for changes, why in cases:
        answer = send(paying.payment(challenge, PAYER, **changes))
        assert (answer.status_code, answer.json["error"]["code"]) == (402, "payment_refused")
        assert reason(answer) == f"invalid_exact_evm_{why}"
        assert answer.json["error"]["details"] == [{"field": "", "problem": reason(answer)}]
    assert (rows(), chain.balance(MERCHANT)) == (0, 0)


def test_an_authorization_about_to_expire_is_refused(send: Ask, challenge: str) -> None:
    answer = send(paying.payment(challenge, PAYER, validBefore=in_seconds(5)))
    assert reason(answer) == "invalid_exact_evm_payload_authorization_valid_before"


def test_an_authorization_that_is_valid_for_far_too_long_is_refused(
    send: Ask, challenge: str
) -> None:
    answer = send(paying.payment(challenge, PAYER, validBefore=in_seconds(3_600)))
    assert (answer.status_code, reason(answer)) == (402, "authorization_valid_too_long")
    assert rows() == 0


def test_an_authorization_by_a_clock_a_little_ahead_is_taken(send: Ask, challenge: str) -> None:
    answer = send(paying.payment(challenge, PAYER, validBefore=in_seconds(420)))
    assert answer.status_code == 202


def test_a_poor_payer_is_refused(send: Ask, challenge: str) -> None:
    answer = send(paying.payment(challenge, STRANGER))
    assert reason(answer) == "invalid_exact_evm_insufficient_balance"


def test_a_cancelled_authorization_is_refused(
    send: Ask, challenge: str, payment: Payment, chain: Chain
) -> None:
    cancel(chain, payment)
    assert reason(send(payment)) == "invalid_exact_evm_nonce_already_used"


def cancel(chain: Chain, payment: Payment) -> None:
    """The payer takes the authorization back."""
    nonce = payment["payload"]["authorization"]["nonce"]
    said = {"authorizer": PAYER.address, "nonce": nonce}
    signature = bytes.fromhex(
        paying.signed(PAYER, paying.domain(payment["accepted"]), paying.CANCEL, said)[2:]
    )
    chain.send(
        chain.token.functions.cancelAuthorization(
            PAYER.address, nonce, signature[64], signature[:32], signature[32:64]
        )
    )


@pytest.mark.parametrize(
    ("method", "fault"),
    [("*", "drop"), ("eth_call", "limit"), ("eth_getCode", "drop")],
)
def test_an_outage_of_the_rpc_is_503_and_the_payment_stays_good(
    send: Ask, payment: Payment, rpc: Proxy, settler: Settler, method: str, fault: str
) -> None:
    reset_asset_contract_cache()
    rpc.faults[method] = fault
    answer = send(payment)
    assert (answer.status_code, answer.json["error"]["code"]) == (503, "payment_check_unavailable")
    assert int(answer.headers["Retry-After"]) >= 1
    rpc.faults.clear()
    assert send(payment).status_code == 202


def test_the_same_payment_again_is_the_same_search(
    prompt: FlaskClient, payment: Payment, chain: Chain
) -> None:
    first, again = sender(prompt)(payment), sender(prompt)(payment)
    assert first.status_code == again.status_code == 202
    assert first.json["search"]["id"] == again.json["search"]["id"]
    assert first.json["access_token"] == again.json["access_token"]
    assert chain.balance(MERCHANT) == PRICE


def test_eight_copies_at_once_are_one_search_and_one_transfer(
    prompt: FlaskClient, payment: Payment, chain: Chain
) -> None:
    def buy(_: int) -> Any:
        return sender(prompt.application.test_client())(payment)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(buy, range(8)))
    assert [answer.status_code for answer in answers] == [202] * 8
    assert len({answer.json["search"]["id"] for answer in answers}) == 1
    assert len({answer.json["access_token"] for answer in answers}) == 1
    assert (chain.balance(MERCHANT), chain.sent()) == (PRICE, 1)
    assert rows() == 1


def test_a_payment_is_good_for_one_request_only(
    prompt: FlaskClient, payment: Payment, chain: Chain
) -> None:
    sender(prompt)(payment)
    answer = sender(prompt)(payment, query="another question")
    assert (answer.status_code, answer.json["error"]["code"]) == (409, "payment_conflict")
    assert chain.balance(MERCHANT) == PRICE


def test_a_payment_copied_from_the_chain_opens_nothing(
    prompt: FlaskClient, payment: Payment
) -> None:
    id = sender(prompt)(payment).json["search"]["id"]
    answer = sender(prompt)(without(payment, "extensions"))
    assert (answer.status_code, answer.json["error"]["code"]) == (409, "payment_already_used")
    assert answer.headers["Location"] == f"{PATH}/{id}"
    assert "access_token" not in answer.text


def test_a_payment_copied_from_the_chain_does_not_tell_what_was_asked(
    prompt: FlaskClient, payment: Payment
) -> None:
    sender(prompt)(payment, query="owls")
    answer = sender(prompt)(without(payment, "extensions"), query="another question")
    assert (answer.status_code, answer.json["error"]["code"]) == (409, "payment_already_used")


def test_a_payment_without_identifier_is_not_answered_twice(
    prompt: FlaskClient, challenge: str
) -> None:
    payment = paying.payment(challenge, PAYER, identifier=None)
    assert sender(prompt)(payment).status_code == 202
    assert sender(prompt)(payment).json["error"]["code"] == "payment_already_used"


def test_another_authorization_with_the_same_identifier_is_a_conflict(
    prompt: FlaskClient, challenge: str, chain: Chain
) -> None:
    for _ in range(2):
        answer = sender(prompt)(paying.payment(challenge, PAYER, identifier="pay_" + "0" * 32))
    assert (answer.status_code, answer.json["error"]["code"]) == (409, "payment_conflict")
    assert chain.balance(MERCHANT) == PRICE


def test_two_payers_may_have_the_same_identifier(
    prompt: FlaskClient, challenge: str, chain: Chain
) -> None:
    chain.mint(STRANGER, PRICE)
    for payer in (PAYER, STRANGER):
        answer = sender(prompt)(paying.payment(challenge, payer, identifier="pay_" + "0" * 32))
        assert answer.status_code == 202


def test_a_full_queue_takes_no_money(
    client: FlaskClient, send: Ask, payment: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client.application.extensions["backpressure"], "_queue_limit", 0)
    assert [send().status_code, send(payment).status_code] == [503, 503]
    assert rows() == 0
