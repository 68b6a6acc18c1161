"""A server that sells nothing any more: what was bought before is settled, and stays readable."""

from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from tests.chains import paying
from tests.chains.node import MERCHANT, PAYER, Chain
from tests.integration.payments.conftest import PATH, PRICE, Ask, Settler, sender
from tests.quick_applications import made


@pytest.fixture
def closed(settings: Settings) -> Settings:
    return replace(settings, onchain_price="")


@pytest.fixture
def visitor(closed: Settings) -> FlaskClient:
    return made(closed).test_client()


@pytest.fixture
def payment(challenge: str) -> str:
    return paying.encoded(paying.payment(challenge, PAYER))


def test_a_search_that_was_bought_is_read_by_its_token(
    visitor: FlaskClient, send: Ask, payment: str
) -> None:
    bought = send(payment).json
    headers = {"Authorization": f"Bearer {bought['access_token']}"}
    answer = visitor.get(f"{PATH}/{bought['search']['id']}", headers=headers)
    assert (answer.status_code, answer.json["id"]) == (200, bought["search"]["id"])


def test_it_is_read_by_the_paying_wallet(visitor: FlaskClient, send: Ask, payment: str) -> None:
    id = send(payment).json["search"]["id"]
    signed = paying.sign_in(visitor.get(f"{PATH}/{id}").headers["PAYMENT-REQUIRED"], PAYER)
    answer = visitor.get(f"{PATH}/{id}", headers={"SIGN-IN-WITH-X": signed})
    assert (answer.status_code, answer.json["id"]) == (200, id)


def test_without_networks_its_token_alone_reads_it(
    settings: Settings, send: Ask, payment: str
) -> None:
    bought = send(payment).json
    reader = made(settings, onchain_price="", onchain_networks="").test_client()
    address, token = f"{PATH}/{bought['search']['id']}", bought["access_token"]
    assert reader.get(address, headers={"Authorization": f"Bearer {token}"}).status_code == 200
    refusal = reader.get(address, headers={"Authorization": "Bearer cgp_other"})
    assert (refusal.status_code, refusal.json["error"]["code"]) == (404, "payments_disabled")


def test_a_payment_made_before_is_settled_and_answered_again(
    closed: Settings, visitor: FlaskClient, send: Ask, payment: str, chain: Chain
) -> None:
    bought = send(payment).json
    Settler(closed).once()
    again = sender(visitor)(payment)
    assert chain.balance(MERCHANT) == PRICE
    assert again.status_code == 202
    assert (again.json["search"]["id"], again.json["access_token"]) == (
        bought["search"]["id"],
        bought["access_token"],
    )


def test_a_payment_that_failed_is_told_without_another_price(
    closed: Settings, visitor: FlaskClient, send: Ask, payment: str, chain: Chain
) -> None:
    send(payment)
    chain.travel(400)
    Settler(closed).once()
    answer = sender(visitor)(payment)
    assert (answer.status_code, answer.json["error"]["code"]) == (402, "payment_failed")
    assert "PAYMENT-REQUIRED" not in answer.headers


def test_a_new_payment_is_not_taken(visitor: FlaskClient, payment: str) -> None:
    for offered in (None, payment):
        answer = sender(visitor)(offered)
        assert (answer.status_code, answer.json["error"]["code"]) == (404, "payments_disabled")
    with db.reading() as reader:
        assert db.value(reader, "select count(*) from payments") == 0
