"""Credit is paid for, settled, posted once, and shown."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core import db
from app.core.config.settings import Settings
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger import store as ledger_store
from app.domains.money.ledger.store import LedgerAccount
from app.domains.queue.jobs.dispatch import sweep
from tests import builders
from tests.chains import paying
from tests.chains.node import MERCHANT, PAYER, Chain
from tests.integration.payments.buyers import SERVER, Wire, handler_of
from tests.integration.payments.buyers import client as client_of
from tests.integration.payments.conftest import Settler
from tests.quick_applications import made

citegrid = pytest.importorskip("citegrid")

PATH = "/v1/credits"
Buy = Callable[..., TestResponse]


@pytest.fixture
def account(settings: Settings) -> UUID:
    with db.transaction() as tx:
        return builders.account(tx)


@pytest.fixture
def signed_in(settings: Settings, account: UUID) -> dict[str, str]:
    return bearer(settings, account)


def bearer(settings: Settings, account: UUID) -> dict[str, str]:
    with db.transaction() as tx:
        return {"Authorization": f"Bearer {builders.access_token(tx, settings, account)}"}


@pytest.fixture
def buy(client: FlaskClient, signed_in: dict[str, str]) -> Buy:
    def ask(
        amount: str, payment: object = None, headers: dict[str, str] = signed_in
    ) -> TestResponse:
        paid = {"PAYMENT-SIGNATURE": paying.encoded(payment)} if payment else {}
        return client.post(PATH, json={"amount": amount}, headers={**headers, **paid})

    return ask


def price(amount: str, buy: Buy) -> str:
    return str(buy(amount).headers["PAYMENT-REQUIRED"])


def credit_of(account: UUID) -> Decimal:
    with db.reading() as reader:
        return ledger.balance(reader, LedgerAccount(account, "credit"), "USD")


def test_the_challenge_asks_for_the_amount(buy: Buy) -> None:
    answer = buy("0.25")
    asked = paying.decoded(answer.headers["PAYMENT-REQUIRED"])
    assert (answer.status_code, answer.json["error"]["code"]) == (402, "payment_required")
    assert asked["accepts"][0]["amount"] == "250000"
    assert asked["resource"]["url"] == "https://search.example.org/v1/credits"


def test_credit_is_posted_once_it_is_settled(
    client: FlaskClient,
    buy: Buy,
    settler: Settler,
    chain: Chain,
    account: UUID,
    signed_in: dict[str, str],
) -> None:
    payment = paying.payment(price("0.25", buy), PAYER)
    statuses = [buy("0.25", payment).json["credit"]["status"]]
    settler.once()
    statuses.append(buy("0.25", payment).json["credit"]["status"])
    settler.once("ledger.credit")
    settler.once("ledger.credit")
    statuses.append(buy("0.250", payment).json["credit"]["status"])
    shown = client.get(PATH, headers=signed_in).json
    assert statuses == ["pending", "running", "completed"]
    assert (credit_of(account), chain.balance(MERCHANT)) == (Decimal("0.25"), 250_000)
    assert shown["balances"] == [{"token": "USD", "available": "0.25", "held": "0"}]
    assert [(entry["amount"], entry["why"]) for entry in shown["entries"]] == [("0.25", "bought")]
    assert client.get("/v1/account", headers=signed_in).json["credit"] == shown["balances"]


def test_what_a_chat_reserves_and_what_it_returns_have_different_words(
    client: FlaskClient, account: UUID, signed_in: dict[str, str]
) -> None:
    with db.transaction() as tx:
        builders.credit(tx, account, "2")
        builders.chat_paid(tx, account, held="2", cost="0.25")
    shown = client.get(PATH, headers=signed_in).json
    assert [(entry["amount"], entry["why"]) for entry in shown["entries"]] == [
        ("1.75", "returned from a chat, unused"),
        ("-2", "reserved for a chat"),
        ("2", "granted by the operator"),
    ]


def test_what_is_granted_while_credit_is_read_is_in_all_of_the_answer_or_in_none(
    client: FlaskClient,
    account: UUID,
    signed_in: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = ledger_store.entries

    def grant() -> None:
        with db.transaction() as tx:
            builders.credit(tx, account, "2")

    def meanwhile(*of: Any, **kinds: Any) -> Any:
        with ThreadPoolExecutor(1) as other:
            other.submit(grant).result()
        return read(*of, **kinds)

    monkeypatch.setattr(ledger_store, "entries", meanwhile)
    shown = client.get(PATH, headers=signed_in).json
    assert (shown["balances"], shown["entries"]) == ([], [])


def test_what_was_paid_is_credited_however_long_its_queue_stood_still(
    buy: Buy, settler: Settler, account: UUID
) -> None:
    buy("0.25", paying.payment(price("0.25", buy), PAYER))
    settler.once()
    for _ in range(3):
        with db.transaction() as tx:
            tx.execute(
                "update jobs set deadline_at = now() - interval '1 s' where kind = 'ledger.credit'"
            )
            sweep.sweep(tx)
    settler.once("ledger.credit")
    assert credit_of(account) == Decimal("0.25")


def test_what_was_paid_is_credited_however_long_the_chain_was_away(
    buy: Buy, settler: Settler, account: UUID
) -> None:
    payment = paying.payment(price("0.25", buy), PAYER)
    buy("0.25", payment)
    with db.transaction() as tx:
        tx.execute(
            "update jobs set deadline_at = deadline_at - interval '40 days'"
            " where kind = 'ledger.credit'"
        )
        sweep.sweep(tx)
    assert buy("0.25", payment).json["credit"]["status"] == "pending"
    settler.once()
    settler.once("ledger.credit")
    assert credit_of(account) == Decimal("0.25")


def test_a_payment_buys_no_other_amount_and_nothing_for_another_account(
    buy: Buy, settings: Settings
) -> None:
    payment = paying.payment(price("0.25", buy), PAYER)
    assert buy("0.5", payment).json["error"]["code"] == "payment_refused"
    with db.transaction() as tx:
        stranger = builders.account(tx, "stranger@example.org")
    assert buy("0.25", payment).status_code == 202
    answers = [buy("0.5", payment), buy("0.25", payment, bearer(settings, stranger))]
    assert [answer.json["error"]["code"] for answer in answers] == ["payment_conflict"] * 2


def test_of_eight_copies_at_once_one_is_credited(buy: Buy, settler: Settler, account: UUID) -> None:
    payment = paying.payment(price("0.25", buy), PAYER)
    with ThreadPoolExecutor(8) as crowd:
        answers = list(crowd.map(lambda _: buy("0.25", payment), range(8)))
    settler.once()
    settler.once("ledger.credit")
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json["credit"]["id"] for answer in answers}) == 1
    assert credit_of(account) == Decimal("0.25")


def test_a_refused_payment_credits_nothing(buy: Buy, account: UUID) -> None:
    late = paying.payment(price("0.25", buy), PAYER, validBefore="1")
    assert buy("0.25", late).status_code == 402
    assert credit_of(account) == 0


def test_nothing_and_less_than_the_token_can_be_divided_into_is_no_amount(buy: Buy) -> None:
    for answer in (buy("0"), buy("0.0000001")):
        fields = [detail["field"] for detail in answer.json["error"]["details"]]
        assert (answer.status_code, fields) == (400, ["/amount"])


def test_a_server_without_payments_sells_no_credit_but_shows_it(
    settings: Settings, signed_in: dict[str, str]
) -> None:
    free = made(settings, onchain_price="", onchain_networks="", onchain_gas_key="")
    client = free.test_client()
    refusal = client.post(PATH, json={"amount": "1"}, headers=signed_in)
    assert (refusal.status_code, refusal.json["error"]["code"]) == (404, "payments_disabled")
    assert client.get(PATH, headers=signed_in).json["entries"] == []


def test_the_client_buys_credit_and_sees_it(
    prompt: FlaskClient, settings: Settings, settler: Settler, chain: Chain, account: UUID
) -> None:
    with db.transaction() as tx:
        token = builders.access_token(tx, settings, account)
    wire = Wire(prompt.application)
    with client_of(wire, handler_of(chain)) as buyer:
        _, context = buyer.buy_credit("0.25", access_token=token)
        settler.once("ledger.credit")
        bought, _ = buyer.resume_credit(context, access_token=token)
    with citegrid.Client(SERVER, access_token=token, transport=wire) as reader:
        shown = reader.credits.list()
    wire.rpc.close()
    assert (bought.status, bought.amount) == ("completed", Decimal("0.25"))
    assert [(each.token, each.available) for each in shown.balances] == [("USD", Decimal("0.25"))]
