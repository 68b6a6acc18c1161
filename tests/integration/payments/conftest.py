"""A server that takes payments on a chain of its own, and somebody who settles them."""

import json
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core import db
from app.core.config.settings import Settings
from app.core.redis import events
from app.domains.money.payments.x402 import rail as evm
from tests.chains import node, paying
from tests.chains.node import GAS, MERCHANT, PAYER, Chain
from tests.chains.proxy import Proxy, proxied
from tests.quick_applications import made
from workers.housekeeping import payments as worker
from workers.queue.runner import Runner

PATH = "/onchain/v1/search"
PRICE = 10_000


@pytest.fixture(scope="session")
def funded_chain() -> Iterator[Chain]:
    """Making it takes longer than most tests run."""
    with node.chain() as found:
        found.mint(PAYER, 100 * PRICE)
        yield found


@pytest.fixture
def chain(funded_chain: Chain) -> Iterator[Chain]:
    """As if it were this test's own."""
    with funded_chain.undone():
        funded_chain.catch_up()
        yield funded_chain


@pytest.fixture(scope="session")
def one_rpc(funded_chain: Chain) -> Iterator[Proxy]:
    """One address for all tests: the rails of the server ask it for the token once."""
    with proxied(funded_chain.url) as proxy:
        yield proxy


@pytest.fixture
def rpc(chain: Chain, one_rpc: Proxy) -> Iterator[Proxy]:
    """What the server is told to be the chain's RPC."""
    one_rpc.asked.clear()
    yield one_rpc
    one_rpc.faults.clear()


@pytest.fixture
def settings(
    settings: Settings, chain: Chain, rpc: Proxy, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    """0.01 of the token a search, settled by a wallet of the server's own."""
    monkeypatch.setattr(evm, "RECEIPT_SECONDS", 0.3)
    monkeypatch.setattr(worker, "RECEIPT_SECONDS", 0.3)
    network = {
        "rpc_url": rpc.url,
        "asset": chain.token.address,
        "pay_to": MERCHANT.address,
    }
    return replace(
        settings,
        service_base_url="https://search.example.org",
        onchain_price="0.01",
        onchain_networks=json.dumps({chain.network: network}),
        onchain_gas_key="0x" + bytes(GAS.key).hex(),
        onchain_settle_seconds=0.0,
        rate_limit_anonymous="100000/second",
    )


class Settler:
    """A worker for the jobs that settle, which does not wait until they are due."""

    def __init__(self, settings: Settings) -> None:
        publisher = events.Publisher(events.connect(settings.redis_url))
        self._runner = Runner(settings, f"test:0:{uuid.uuid4().hex}", publisher)

    def once(self, kind: str = "payments.reconcile") -> None:
        """One attempt at every payment without a decision, or at other work of that kind."""
        with db.transaction() as tx:
            due = tx.execute(
                "update jobs set run_at = now() where state = 'queued' and kind = %s returning id",
                [kind],
            ).fetchall()
        if due:
            self._runner.run([id for (id,) in due])


@pytest.fixture
def settler(settings: Settings) -> Settler:
    return Settler(settings)


@pytest.fixture
def prompt(settings: Settings) -> Iterator[FlaskClient]:
    """A client of a server whose payments are settled while a request waits."""
    over, settler = threading.Event(), Settler(settings)

    def settle() -> None:
        while not over.wait(0.05):
            settler.once()

    thread = threading.Thread(target=settle)
    thread.start()
    yield made(settings, onchain_settle_seconds=20.0).test_client()
    over.set()
    thread.join()


Ask = Callable[..., TestResponse]


@pytest.fixture
def send(client: FlaskClient) -> Ask:
    """Ask for a search, with a payment or without."""
    return sender(client)


def sender(client: FlaskClient) -> Ask:
    def ask(payment: dict[str, Any] | str | None = None, query: str = "owls") -> TestResponse:
        header = paying.encoded(payment) if isinstance(payment, dict) else payment
        headers = {"PAYMENT-SIGNATURE": header} if header is not None else {}
        return client.post(PATH, json={"query": query}, headers=headers)

    return ask


@pytest.fixture
def challenge(send: Ask) -> str:
    """What the server asks for, as PAYMENT-REQUIRED says it."""
    return str(send().headers["PAYMENT-REQUIRED"])


@pytest.fixture
def payment(challenge: str) -> dict[str, Any]:
    """A good one, for that."""
    return paying.payment(challenge, PAYER)
