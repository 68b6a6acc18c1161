"""Whatever fails on the way, a payment is taken once and its search runs, or nothing is taken."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.money.payments import service as payments
from app.domains.money.payments import store
from app.domains.money.payments.x402 import rail as evm
from app.domains.money.payments.x402.signer import Sender
from app.domains.queue.jobs.dispatch import sweep
from app.domains.queue.jobs.operations import bulk, listing, listing_store
from tests.chains import paying
from tests.chains.node import DEPLOYER, MERCHANT, PAYER, STRANGER, Chain
from tests.chains.proxy import SECRET, Proxy
from tests.integration.payments.conftest import PRICE, Ask, Settler
from tests.integration.payments.test_refusals import cancel
from workers.housekeeping import payments as worker

Payment = dict[str, Any]


@pytest.fixture
def accepted(send: Ask, payment: Payment) -> str:
    """The id of the search that waits for this payment."""
    id: str = send(payment).json["search"]["id"]
    return id


def state() -> str:
    with db.reading() as reader:
        return str(db.value(reader, "select state from payments"))


def search_state() -> str:
    with db.reading() as reader:
        return str(db.value(reader, "select state from jobs where kind = 'searches.answer'"))


def decided(settler: Settler, attempts: int = 5) -> str:
    """The payment's state after so many attempts at most."""
    for _ in range(attempts):
        if state() == "settling":
            settler.once()
    return state()


FAULTS = [
    ("eth_sendRawTransaction", "drop"),
    ("eth_sendRawTransaction", "lose"),
    ("eth_sendRawTransaction", "limit"),
    ("eth_getTransactionReceipt", "hide"),
    ("eth_gasPrice", "limit"),
    ("eth_getTransactionCount", "drop"),
    ("eth_getLogs", "limit"),
    ("eth_call", "drop"),
    ("*", "drop"),
]


@pytest.mark.parametrize(("method", "fault"), FAULTS)
def test_a_fault_of_the_rpc_decides_nothing_and_after_it_the_payment_is_taken_once(
    accepted: str, rpc: Proxy, chain: Chain, settler: Settler, method: str, fault: str
) -> None:
    rpc.faults[method] = fault
    settler.once()
    # Where only the reply was lost, the chain itself has the answer.
    first = ("settled", "queued") if fault == "lose" else ("settling", "pending")
    assert (state(), search_state()) == first
    rpc.faults.clear()
    assert (decided(settler), search_state()) == ("settled", "queued")
    assert chain.balance(MERCHANT) == PRICE


def test_a_failed_send_leaves_no_gap_before_the_next(
    send: Ask, challenge: str, accepted: str, rpc: Proxy, chain: Chain, settler: Settler
) -> None:
    rpc.faults["eth_sendRawTransaction"] = "drop"
    settler.once()
    rpc.faults.clear()
    send(paying.payment(challenge, PAYER))
    for _ in range(3):
        settler.once()
    assert chain.balance(MERCHANT) == 2 * PRICE


class Killed(BaseException):
    """The worker process dies here."""


def kill_before(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
    def die(*_: Any, **__: Any) -> None:
        raise Killed

    monkeypatch.setattr(owner, name, die)


def kill_after(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
    act = getattr(owner, name)

    def act_and_die(*args: Any, **options: Any) -> None:
        act(*args, **options)
        raise Killed

    monkeypatch.setattr(owner, name, act_and_die)


def lease_runs_out() -> None:
    with db.transaction() as tx:
        tx.execute("update jobs set lease_until = now() - interval '1 s' where state = 'running'")
        sweep.sweep(tx)


@pytest.mark.parametrize(
    ("kill", "owner", "name"),
    [
        (kill_before, worker, "_settle"),
        (kill_before, store, "expose"),
        (kill_before, Sender, "_send"),
        (kill_after, Sender, "_send"),
        (kill_before, Sender, "wait_for_transaction_receipt"),
        (kill_after, Sender, "wait_for_transaction_receipt"),
        (kill_after, worker, "_settle"),
        (kill_before, payments, "settle"),
        (kill_after, payments, "settle"),
    ],
)
def test_a_worker_killed_at_any_step_loses_nothing_and_charges_once(
    accepted: str, chain: Chain, settler: Settler, kill: Callable[..., None], owner: Any, name: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        kill(patch, owner, name)
        with pytest.raises(Killed):
            settler.once()
    assert (state(), search_state()) == ("settling", "pending")
    lease_runs_out()
    assert (decided(settler), search_state()) == ("settled", "queued")
    assert chain.balance(MERCHANT) == PRICE


def test_a_web_process_killed_after_writing_down_loses_nothing(
    client: FlaskClient, send: Ask, payment: Payment, chain: Chain, settler: Settler
) -> None:
    waiting = client.application.extensions["waiting"]
    with pytest.MonkeyPatch.context() as patch:
        kill_before(patch, waiting, "until")
        with pytest.raises(Killed):
            send(payment)
    settler.once()
    assert send(payment).json["search"]["status"] == "running"
    assert chain.balance(MERCHANT) == PRICE


def transfer(chain: Chain, payment: Payment, to: str | None = None) -> None:
    """Somebody else has the authorization mined, or one with the same nonce that pays `to`."""
    said = payment["payload"]["authorization"]
    if to:
        said = {**said, "to": to}
    text = paying.signed(PAYER, paying.domain(payment["accepted"]), paying.TRANSFER, said)
    signature = bytes.fromhex(text[2:])
    numbers = [int(said[name]) for name in ("value", "validAfter", "validBefore")]
    chain.send(
        chain.token.functions.transferWithAuthorization(
            *(said["from"], said["to"], *numbers, said["nonce"]),
            *(signature[64], signature[:32], signature[32:64]),
        ),
        DEPLOYER,
    )


def test_a_nonce_spent_on_the_payer_himself_pays_for_nothing(
    send: Ask, accepted: str, payment: Payment, chain: Chain, settler: Settler
) -> None:
    transfer(chain, payment, to=STRANGER.address)
    settler.once()
    assert (state(), search_state(), chain.balance(MERCHANT)) == ("failed", "failed", 0)


def test_a_refusal_after_acceptance_is_told_with_its_receipt(
    client: FlaskClient, send: Ask, accepted: str, payment: Payment, chain: Chain, settler: Settler
) -> None:
    cancel(chain, payment)
    settler.once()
    answer = send(payment)
    assert (answer.status_code, answer.json["error"]["code"]) == (402, "payment_failed")
    receipt = paying.decoded(answer.headers["PAYMENT-RESPONSE"])
    assert (receipt["success"], receipt["transaction"]) == (False, "")
    assert receipt["errorReason"] == "invalid_exact_evm_nonce_already_used"


def test_an_authorization_mined_by_somebody_else_is_a_payment(
    accepted: str, payment: Payment, chain: Chain, settler: Settler
) -> None:
    transfer(chain, payment)
    settler.once()
    assert (state(), search_state()) == ("settled", "queued")
    assert (chain.balance(MERCHANT), chain.sent()) == (PRICE, 0)


def test_a_front_run_after_the_simulation_is_not_decided_before_the_expiry(
    accepted: str, payment: Payment, chain: Chain, settler: Settler, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = Sender._send

    def overtaken(self: Sender, raw: bytes) -> None:
        transfer(chain, payment, to=STRANGER.address)
        send(self, raw)

    monkeypatch.setattr(Sender, "_send", overtaken)
    assert decided(settler, attempts=3) == "settling"
    chain.travel(400)
    assert (decided(settler, attempts=1), search_state()) == ("failed", "failed")
    assert chain.balance(MERCHANT) == 0


def test_an_outage_beyond_the_expiry_decides_nothing(
    accepted: str, rpc: Proxy, chain: Chain, settler: Settler
) -> None:
    rpc.faults["*"] = "drop"
    chain.travel(400)
    assert decided(settler, attempts=2) == "settling"


def test_a_payment_mined_before_an_outage_is_found_after_the_expiry(
    accepted: str, rpc: Proxy, chain: Chain, settler: Settler
) -> None:
    rpc.faults["eth_sendRawTransaction"] = "lose"
    settler.once()
    chain.travel(400)
    rpc.faults.clear()
    assert (decided(settler, attempts=1), search_state()) == ("settled", "queued")


def test_what_expires_unsent_is_void(accepted: str, chain: Chain, settler: Settler) -> None:
    chain.travel(400)
    assert decided(settler, attempts=1) == "failed"
    with db.reading() as reader:
        assert db.value(reader, "select reason from payments") == "authorization_expired"
        error = db.value(reader, "select error from jobs where kind = 'searches.answer'")
    assert error["code"] == "payment_failed"


def test_a_search_whose_payment_failed_is_not_done_when_operators_retry_it(
    accepted: str, chain: Chain, settler: Settler
) -> None:
    chain.travel(400)
    assert decided(settler, attempts=1) == "failed"
    with db.transaction() as tx:
        listing.retry(tx, accepted)
    settler.once("searches.answer")
    with db.reading() as reader:
        assert db.value(reader, "select result from searches") is None
        error = db.value(reader, "select error from jobs where kind = 'searches.answer'")
    assert error["code"] == "payment_failed"


def test_a_reconciliation_past_its_deadline_begins_anew(accepted: str, settler: Settler) -> None:
    with db.transaction() as tx:
        tx.execute(
            "update jobs set deadline_at = now() - interval '1 s' where kind = 'payments.reconcile'"
        )
        sweep.sweep(tx)
    assert decided(settler) == "settled"


def test_a_search_that_waited_in_vain_is_done_once_it_is_paid(
    accepted: str, settler: Settler
) -> None:
    with db.transaction() as tx:
        tx.execute(
            "update jobs set deadline_at = now() - interval '1 s' where kind = 'searches.answer'"
        )
        sweep.sweep(tx)
    assert search_state() == "failed"
    assert (decided(settler), search_state()) == ("settled", "queued")


def test_operators_cancel_no_reconciliation(accepted: str, settler: Settler) -> None:
    with db.transaction() as tx:
        [id] = db.values(tx, "select id from jobs where kind = 'payments.reconcile'")
        with pytest.raises(listing.NotOpen):
            listing.cancel(tx, ids.public(Noun.TASK, id))
        everything = bulk.request(tx, "cancel", listing_store.Filter(), "ada")
        while bulk.step(tx, everything.id) is not None:
            pass
    assert decided(settler) == "settled"


def test_a_late_attempt_still_has_a_finite_pause(
    accepted: str, settler: Settler, rpc: Proxy
) -> None:
    with db.transaction() as tx:
        tx.execute("update jobs set attempt = 5000 where kind = 'payments.reconcile'")
    rpc.faults["*"] = "drop"
    settler.once()
    with db.reading() as reader:
        soon = "select state = 'queued' and run_at < now() + interval '61 s' from jobs"
        assert db.value(reader, soon + " where kind = 'payments.reconcile'")


def test_a_paid_search_that_fails_is_done_once_more_for_nothing(
    settings: Settings, accepted: str, settler: Settler, monkeypatch: pytest.MonkeyPatch
) -> None:
    settler.once()
    fail_search(accepted)
    assert search_state() == "queued"
    fail_search(accepted)
    assert search_state() == "failed"


def fail_search(id: str) -> None:
    with db.transaction() as tx:
        tx.execute(
            "update jobs set deadline_at = now() - interval '1 s' where kind = 'searches.answer'"
        )
        sweep.sweep(tx)


def test_a_paid_search_that_failed_for_good_is_owed(accepted: str, settler: Settler) -> None:
    settler.once()
    for _ in range(2):
        fail_search(accepted)
    with db.reading() as reader:
        assert store.owed(reader) == 1


def test_no_secret_reaches_an_answer_a_log_or_a_row(
    send: Ask,
    payment: Payment,
    challenge: str,
    rpc: Proxy,
    settler: Settler,
    settings: Settings,
    log_lines: io.StringIO,
) -> None:
    said = [send().text]
    for method in ("eth_call", "eth_sendRawTransaction", "eth_gasPrice", "eth_getLogs", "*"):
        for fault in ("limit", "drop"):
            rpc.faults = {method: fault}
            answer = send(payment)
            said += [answer.text, *answer.headers.values()]
            settler.once()
    with db.reading() as reader:
        said.append(str(db.values(reader, "select to_json(payments) from payments")))
        said.append(str(db.values(reader, "select to_json(jobs) from jobs")))
        said.append(str(db.values(reader, "select to_json(job_attempts) from job_attempts")))
    everything = log_lines.getvalue() + "".join(said)
    for secret in (SECRET, settings.onchain_gas_key, settings.onchain_gas_key.removeprefix("0x")):
        assert secret not in everything


def test_the_wallet_is_used_by_one_sender_at_a_time(settings: Settings, chain: Chain) -> None:
    rail = evm.opened(settings)[chain.network]
    assert isinstance(rail, evm.EvmRail)
    with rail._alone(), db.transaction() as tx:
        name = f"payments {chain.network} {rail._gas_account.address}"
        free = "select pg_try_advisory_xact_lock(hashtextextended(%(name)s, 0))"
        assert db.value(tx, free, name=name) is False
