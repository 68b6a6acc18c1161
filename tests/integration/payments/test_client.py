"""The client library pays this server: limits, contexts, and never twice."""

import base64
import copy
import json
import pickle
import re
import stat
import threading
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core.config.settings import Settings
from tests import builders
from tests.chains.node import MERCHANT, PAYER, STRANGER, Chain
from tests.chains.proxy import Proxy
from tests.integration.payments.buyers import KEY, SERVER, Wire, client, handler_of
from tests.integration.payments.conftest import PRICE, Settler

httpx = pytest.importorskip("httpx")
paid = pytest.importorskip("citegrid.paid", reason="the client is not installed with its extra")
citegrid = pytest.importorskip("citegrid")

ONCE = citegrid.Policy(retries=0)


@pytest.fixture
def wire(prompt: FlaskClient) -> Iterator[Wire]:
    wire = Wire(prompt.application)
    yield wire
    wire.rpc.close()


@pytest.fixture
def handler(chain: Chain) -> Any:
    return handler_of(chain)


@pytest.fixture
def saved() -> list[Any]:
    """The contexts that were to be stored, oldest first."""
    return []


@pytest.fixture
def buyer(wire: Wire, handler: Any, saved: list[Any]) -> Iterator[Any]:
    with client(wire, handler, on_context=saved.append) as found:
        yield found


def test_a_search_is_bought_and_waited_for(buyer: Any, settings: Settings, chain: Chain) -> None:
    search, context = buyer.create_search("How many eggs?")
    builders.work(settings, search.id)
    found = buyer.wait_for_search_completion(search.id, payment_context=context)
    assert (found.id, found.status) == (search.id, "completed")
    assert chain.balance(MERCHANT) == PRICE


def test_the_address_of_paid_search_is_as_good_as_the_servers(wire: Wire, handler: Any) -> None:
    whole = f"{SERVER}/onchain/v1/search"
    with paid.PaidClient(whole, handler, transport=wire) as found:
        assert found.create_search("owls")[0].status == "running"


def test_the_context_is_saved_before_money_moves(wire: Wire, handler: Any, chain: Chain) -> None:
    def full(_context: Any) -> None:
        raise OSError("the disk is full")

    with client(wire, handler, on_context=full) as found, pytest.raises(OSError, match="full"):
        found.create_search("owls")
    assert (wire.paid, chain.balance(MERCHANT)) == (0, 0)


def test_a_context_holds_neither_key_nor_rpc(buyer: Any, saved: list[Any], chain: Chain) -> None:
    buyer.create_search("owls")
    for context in saved:
        for text in (context.to_json(), repr(context)):
            assert KEY.removeprefix("0x") not in text
            assert chain.url not in text


CONTEXT = paid.PaymentContext(
    base_url=SERVER,
    body={"query": "owls"},
    network="eip155:8453",
    asset="0xa",
    amount="10000",
    pay_to="0xb",
    payer="0xc",
    nonce="0xd",
    valid_before=2_000_000_000,
    payment_id="pay_a",
    payment_signature="c2lnbmVk",
    search_id="srch_a",
    access_token="cgp_secret",
)


def test_a_context_does_not_show_its_token() -> None:
    assert "cgp_secret" not in repr(CONTEXT)


def test_a_lost_answer_is_an_unknown_outcome_and_resuming_pays_once(
    wire: Wire, handler: Any, chain: Chain
) -> None:
    wire.lose = True
    with client(wire, handler, policy=ONCE) as found:
        with pytest.raises(paid.PaymentOutcomeUnknown) as unknown:
            found.create_search("owls")
        wire.lose = False
        search, context = found.resume(unknown.value.context)
    assert (search.status, chain.balance(MERCHANT)) == ("running", PRICE)
    assert context.search_id == search.id


def test_the_context_saved_before_a_crash_is_enough(
    wire: Wire, handler: Any, saved: list[Any], settings: Settings, chain: Chain
) -> None:
    wire.lose = True
    with (
        client(wire, handler, policy=ONCE, on_context=saved.append) as found,
        pytest.raises(paid.PaymentOutcomeUnknown),
    ):
        found.create_search("owls")
    wire.lose = False
    stored = paid.PaymentContext.from_json(saved[-1].to_json())
    with client(wire) as other:
        search, context = other.resume(stored)
        builders.work(settings, search.id)
        done = other.wait_for_search_completion(search.id, payment_context=context)
    assert (done.status, chain.balance(MERCHANT)) == ("completed", PRICE)


def test_an_outage_of_the_servers_rpc_is_an_unknown_outcome(
    wire: Wire, handler: Any, rpc: Proxy, chain: Chain, saved: list[Any]
) -> None:
    def go_away(context: Any) -> None:
        rpc.faults["*"] = "drop"
        saved.append(context)

    with client(wire, handler, policy=ONCE, on_context=go_away) as found:
        with pytest.raises(paid.PaymentOutcomeUnknown):
            found.create_search("owls")
        rpc.faults.clear()
    with client(wire) as other:
        assert other.resume(saved[0])[0].status == "running"
    assert chain.balance(MERCHANT) == PRICE


def test_a_context_is_not_sent_to_another_server() -> None:
    with (
        paid.PaidClient("https://evil.example.org") as other,
        pytest.raises(paid.PaymentContextInvalid),
    ):
        other.resume(CONTEXT)


def answered(*answers: Any) -> Any:
    """A client of a server that answers so, one after the other."""
    left = iter(answers)
    transport = httpx.MockTransport(lambda _request: next(left))
    return paid.PaidClient(SERVER, policy=ONCE, transport=transport)


def test_a_receipt_that_cannot_be_read_is_no_sign_that_nothing_was_paid() -> None:
    body = {"search": {"id": "srch_b", "status": "running"}, "access_token": "cgp_b"}
    headers = {"PAYMENT-RESPONSE": "not base64"}
    with answered(httpx.Response(202, json=body, headers=headers)) as found:
        search, context = found.resume(CONTEXT)
    assert (search.id, context.transaction) == ("srch_b", None)


@pytest.mark.parametrize("status", [401, 409, 500])
def test_a_refusal_that_says_nothing_of_the_payment_leaves_its_outcome_unknown(
    status: int,
) -> None:
    with answered(httpx.Response(status)) as found, pytest.raises(paid.PaymentOutcomeUnknown):
        found.resume(CONTEXT)


def test_a_broken_address_in_a_demand_is_not_paid() -> None:
    handler = paid.PaymentHandler(KEY, {"eip155:8453": "https://rpc.example.org"})
    demand = {"x402Version": 2, "resource": {"url": "http://["}, "accepts": []}
    header = base64.b64encode(json.dumps(demand).encode()).decode()
    answer = httpx.Response(402, headers={"PAYMENT-REQUIRED": header})
    transport = httpx.MockTransport(lambda _request: answer)
    with (
        paid.PaidClient(SERVER, handler, transport=transport) as found,
        pytest.raises(paid.NothingPaid),
    ):
        found.create_search("owls")


def test_a_file_of_a_context_is_for_its_owner_only(tmp_path: Path) -> None:
    CONTEXT.save(tmp_path / "context.json")
    assert stat.S_IMODE((tmp_path / "context.json").stat().st_mode) == 0o600
    assert paid.PaymentContext.load(tmp_path / "context.json") == CONTEXT


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2}'])
def test_what_is_no_context_is_refused(text: str) -> None:
    with pytest.raises(paid.PaymentContextInvalid):
        paid.PaymentContext.from_json(text)


def refused(wire: Wire, handler: Any, why: str) -> None:
    with client(wire, handler) as found, pytest.raises(paid.NothingPaid, match=why):
        found.create_search("owls")
    assert wire.paid == 0


def test_a_price_over_the_limit_is_not_paid(wire: Wire, chain: Chain) -> None:
    refused(wire, handler_of(chain, max_amount="0.009"), "over the limit")


def test_a_token_that_was_not_named_is_not_paid_with(wire: Wire, chain: Chain) -> None:
    asked = f"asks for {chain.token.address} on {chain.network}"
    refused(wire, handler_of(chain, assets={}), asked)


def test_a_network_without_rpc_is_not_paid_on(wire: Wire, chain: Chain) -> None:
    handler = paid.PaymentHandler(KEY, {"eip155:8453": chain.url})
    refused(wire, handler, "no payment that this wallet makes")


def test_a_wallet_with_too_little_signs_nothing(wire: Wire, chain: Chain) -> None:
    key = "0x" + bytes(STRANGER.key).hex()
    refused(wire, handler_of(chain, key), "too little")


def test_an_rpc_that_is_away_signs_nothing(wire: Wire, chain: Chain) -> None:
    url = "http://127.0.0.1:9/v2/SECRET"
    handler = paid.PaymentHandler(
        KEY, {chain.network: url}, assets={chain.network: chain.token.address}
    )
    with client(wire, handler) as found, pytest.raises(paid.NothingPaid) as refusal:
        found.create_search("owls")
    assert "SECRET" not in str(refusal.value)


def test_what_is_not_understood_is_not_paid(
    wire: Wire, handler: Any, prompt: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    (rail,) = prompt.application.extensions["checkout"]._rails.values()
    usual = rail.requirement(Decimal("0.01"))
    token = {"name": "Test Dollar", "version": "2"}
    none = "no payment that this wallet makes"
    for changes, why in (
        ({"scheme": "upto"}, none),
        ({"amount": "0"}, none),
        ({"payTo": "me"}, none),
        ({"extra": {**token, "assetTransferMethod": "permit2"}}, none),
        ({"extra": {**token, "paymentFlow": "escrow"}}, none),
        ({"extra": {**token, "name": "Other", "paymentFlow": "upfront"}}, "name or version"),
    ):
        wanted = {**usual, **changes}
        monkeypatch.setattr(rail, "requirement", lambda _price, wanted=wanted: wanted)
        refused(wire, handler, why)


def test_a_payment_for_another_server_is_not_made(
    wire: Wire, handler: Any, prompt: FlaskClient
) -> None:
    settings: Settings = prompt.application.extensions["settings"]
    elsewhere = replace(settings, service_base_url="https://evil.example.org")
    prompt.application.extensions["settings"] = elsewhere
    refused(wire, handler, "another server")


def test_without_a_handler_nothing_is_bought(wire: Wire) -> None:
    refused(wire, None, "no payment handler")


def test_a_handler_shows_its_address_and_not_its_key(handler: Any, chain: Chain) -> None:
    assert PAYER.address in repr(handler)
    for text in (repr(handler), str(handler), f"{handler!a}"):
        assert KEY.removeprefix("0x") not in text
        assert chain.url not in text


@pytest.mark.parametrize("act", [vars, pickle.dumps, copy.deepcopy])
def test_a_handler_shows_nobody_its_variables_and_is_not_copied(act: Any) -> None:
    handler = paid.PaymentHandler(KEY, {})
    with pytest.raises(TypeError, match="holds a key" if act is not vars else "__dict__"):
        act(handler)


@pytest.mark.parametrize("key", ["", KEY[:-1], KEY + "0", "0x" + "0" * 64, "g" * 64])
def test_a_bad_key_is_refused_without_repeating_it(key: str) -> None:
    with pytest.raises(ValueError, match="private key") as refusal:
        paid.PaymentHandler(key, {})
    assert not key or key not in str(refusal.value)
    assert refusal.value.__cause__ is refusal.value.__context__ is None


def test_a_handler_takes_its_key_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYER_PRIVATE_KEY", KEY)
    assert paid.PaymentHandler.from_env({}).address == PAYER.address


def test_a_key_that_is_not_set_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAYER_PRIVATE_KEY", raising=False)
    with pytest.raises(ValueError, match="PAYER_PRIVATE_KEY"):
        paid.PaymentHandler.from_env({})


def test_networks_are_named_by_their_chain_id() -> None:
    with pytest.raises(ValueError, match="eip155"):
        paid.PaymentHandler(KEY, {"base": "https://rpc.example.org"})


def test_a_refused_body_costs_nothing(buyer: Any, wire: Wire) -> None:
    with pytest.raises(citegrid.ApiError, match="validation_failed"):
        buyer.create_search("")
    assert wire.paid == 0


def test_asking_keeps_the_context_in_a_file(
    wire: Wire, handler: Any, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Path] = []

    def note(file: Path, _context: Any) -> None:
        seen.append(file)
        assert json.loads(file.read_text())["search_id"] is None

    def connected(*args: Any, **options: Any) -> Any:
        return paid.PaidClient(*args, transport=wire, **options)

    monkeypatch.setattr("citegrid.paid.ask.PaidClient", connected)
    with pytest.raises(citegrid.StillRunning):
        paid.ask_paid(SERVER, "owls", handler, tmp_path / "paid", timeout=0, on_paying=note)
    (file,) = seen
    assert paid.PaymentContext.load(file).search_id.startswith("srch_")


HOW_TO = Path(__file__).parents[3] / "docs" / "how-to" / "pay-per-search.md"


def test_what_the_how_to_says_works(
    wire: Wire,
    chain: Chain,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    over, worker = threading.Event(), Settler(settings)

    def search() -> None:
        while not over.wait(0.01):
            worker.once("searches.answer")

    def connected(*args: Any, **options: Any) -> Any:
        return client_class(*args, transport=wire, **options)

    client_class = paid.PaidClient
    monkeypatch.setattr(paid, "PaidClient", connected)
    monkeypatch.setenv("PAYER_PRIVATE_KEY", KEY)
    usual = import_module("citegrid.paid.handler").USDC
    monkeypatch.setitem(usual, chain.network, chain.token.address)
    builders.indexed_page("https://birds.example.org/owls", "# Owls\n\nAn owl lays four eggs.\n")
    blocks = re.findall(r"```python\n(.*?)```", HOW_TO.read_text(encoding="utf-8"), re.S)
    given = {"rpc_url": chain.url, "server": SERVER, "file": tmp_path / "context.json"}
    thread = threading.Thread(target=search)
    thread.start()
    try:
        for code in blocks:  # one program, as a reader takes it
            exec(code.replace("eip155:8453", chain.network), given)  # noqa: S102 (our own page)
    finally:
        over.set()
        thread.join()
    assert "completed completed" in capsys.readouterr().out
    assert "four eggs" in given["snapshot"].text
    assert paid.PaymentContext.load(tmp_path / "context.json").transaction
