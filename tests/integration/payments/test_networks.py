"""Two networks at once, a facilitator by its URL, and a server that takes no payments."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import BadConfiguration, Settings
from app.domains.money.payments import rails
from app.domains.money.payments.x402 import rail as evm
from tests.chains import node, paying
from tests.chains.node import GAS, MERCHANT, PAYER, Chain
from tests.chains.proxy import Proxy
from tests.integration.payments.conftest import PATH, PRICE, Settler, sender
from tests.quick_applications import made


def network(chain: Chain, url: str | None = None) -> dict[str, str]:
    return {
        "rpc_url": url or chain.url,
        "asset": chain.token.address,
        "pay_to": MERCHANT.address,
    }


def asked(client: FlaskClient) -> str:
    return str(client.post(PATH, json={"query": "owls"}).headers["PAYMENT-REQUIRED"])


@pytest.mark.skipif(node.anvil() is None, reason="two chains need anvil: make anvil")
def test_each_network_is_settled_on_its_own_chain(settings: Settings, chain: Chain) -> None:
    with node.chain(31338) as other:
        other.mint(PAYER, PRICE)
        both = {chain.network: network(chain), other.network: network(other)}
        two = replace(settings, onchain_networks=json.dumps(both))
        client, settler = made(two).test_client(), Settler(two)
        for name in both:
            payment = paying.payment(asked(client), PAYER, network=name)
            assert sender(client)(payment).status_code == 202
        settler.once()
        assert (chain.balance(MERCHANT), other.balance(MERCHANT)) == (PRICE, PRICE)


@pytest.mark.skipif(node.anvil() is None, reason="two chains need anvil: make anvil")
def test_a_signature_for_one_network_is_refused_on_the_other(
    settings: Settings, chain: Chain
) -> None:
    with node.chain(31338) as other:
        both = {chain.network: network(chain), other.network: network(other)}
        client = made(settings, onchain_networks=json.dumps(both)).test_client()
        wrong = {"chainId": int(other.network.removeprefix("eip155:"))}
        payment = paying.payment(asked(client), PAYER, network=chain.network, signing_domain=wrong)
        assert sender(client)(payment).json["error"]["code"] == "payment_refused"


def test_a_network_that_is_away_is_left_out(settings: Settings, chain: Chain, rpc: Proxy) -> None:
    both = {chain.network: network(chain), "eip155:99": network(chain, "http://127.0.0.1:9")}
    client = made(settings, onchain_networks=json.dumps(both)).test_client()
    accepts = paying.decoded(asked(client))["accepts"]
    assert [each["network"] for each in accepts] == [chain.network]


def test_an_rpc_of_another_chain_takes_no_payments(settings: Settings, chain: Chain) -> None:
    wrong = replace(settings, onchain_networks=json.dumps({"eip155:99": network(chain)}))
    answer = made(wrong).test_client().post(PATH, json={"query": "owls"})
    assert (answer.status_code, answer.json["error"]["code"]) == (503, "payment_check_unavailable")


def test_an_address_with_a_wrong_checksum_is_named_at_start(
    settings: Settings, chain: Chain
) -> None:
    wrong = {**network(chain), "pay_to": MERCHANT.address.swapcase().replace("0X", "0x")}
    with pytest.raises(BadConfiguration, match="pay_to"):
        made(settings, onchain_networks=json.dumps({chain.network: wrong}))


class Facilitator:
    """Somebody else's wallet behind x402's facilitator interface; `mood` is how it behaves."""

    def __init__(self, rail: evm.EvmRail) -> None:
        self.rail, self.mood, self.settled = rail, "well", 0

    def settle(self, body: dict[str, Any]) -> dict[str, Any] | None:
        if self.mood == "refusing":
            reason = "invalid_exact_evm_insufficient_balance"
            return {"success": False, "errorReason": reason, "transaction": "", "network": "x"}
        if self.mood == "away":
            return None
        if self.mood == "nonsense":
            return {"success": True, "transaction": "0x" + "no hash " * 8}
        sent: list[str] = []
        self.rail.settle(
            body["paymentPayload"],
            body["paymentRequirements"],
            lambda name: sent.append(name) if name else None,
        )
        self.settled += 1
        return None if self.mood == "silent" else {"success": True, "transaction": sent[0]}


@pytest.fixture
def facilitator(settings: Settings, chain: Chain) -> Iterator[tuple[Facilitator, Settings]]:
    """A facilitator, and the settings of a server that uses it."""
    rail = evm.opened(settings)[chain.network]
    assert isinstance(rail, evm.EvmRail)
    found = Facilitator(rail)

    class Door(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Says nothing."""

        def do_POST(self) -> None:
            said = found.settle(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            body = json.dumps(said).encode()
            self.send_response(200 if said else 502)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Door) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        yield found, replace(settings, onchain_gas_key="", onchain_facilitator_url=url)
        server.shutdown()


def offered(settings: Settings) -> None:
    """A payment is accepted and waits for its settlement."""
    client = made(settings).test_client()
    assert sender(client)(paying.payment(asked(client), PAYER)).status_code == 202


def state() -> str:
    with db.reading() as reader:
        return str(db.value(reader, "select state from payments"))


@pytest.mark.parametrize(
    ("mood", "then"),
    [("well", "settled"), ("silent", "settled"), ("away", "settling"), ("refusing", "settling")],
)
def test_what_a_facilitator_says_is_checked_on_the_chain(
    facilitator: tuple[Facilitator, Settings], mood: str, then: str
) -> None:
    found, settings = facilitator
    found.mood = mood
    offered(settings)
    Settler(settings).once()
    assert state() == then


def test_a_facilitators_transaction_that_is_none_keeps_no_payment_from_its_end(
    facilitator: tuple[Facilitator, Settings], chain: Chain
) -> None:
    found, settings = facilitator
    found.mood = "nonsense"
    offered(settings)
    Settler(settings).once()
    chain.travel(400)
    Settler(settings).once()
    assert state() == "failed"


def test_a_facilitator_is_not_asked_again_for_what_is_settled(
    facilitator: tuple[Facilitator, Settings], chain: Chain
) -> None:
    found, settings = facilitator
    offered(settings)
    found.mood = "silent"
    for _ in range(2):
        Settler(settings).once()
    assert (found.settled, chain.balance(MERCHANT), chain.sent(GAS)) == (1, PRICE, 1)


@pytest.mark.parametrize(("method", "path"), [("POST", ""), ("GET", "/srch_x/events")])
def test_a_server_without_payments_has_nothing_there(
    settings: Settings, method: str, path: str
) -> None:
    client = made(settings, onchain_price="", onchain_networks="").test_client()
    answer = client.open(PATH + path, method=method)
    assert (answer.status_code, answer.json["error"]["code"]) == (404, "payments_disabled")


def test_without_the_extra_no_payments_are_taken(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rails, "find_spec", lambda _name: None)
    rails.open_rails.cache_clear()
    answer = made(settings).test_client().post(PATH, json={"query": "owls"})
    assert answer.json["error"]["code"] == "payments_disabled"
    rails.open_rails.cache_clear()


def test_what_payments_load_does_not_raise_the_recursion_limit(settings: Settings) -> None:
    code = (
        "import json, sys; from app.core.config.settings import Settings;"
        "from app.domains.money.payments import rails; before = sys.getrecursionlimit();"
        "rails.open_rails(Settings(**json.loads(sys.argv[1])));"
        "print('web3' in sys.modules, sys.getrecursionlimit() == before)"
    )
    arguments = [sys.executable, "-c", code, json.dumps(asdict(settings))]
    said = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert said.stdout.splitlines()[-1] == "True True"
