"""What `doctor` says of paid search."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.core.config.settings import Settings
from app.domains.money.payments import rails
from app.local.doctor import payments
from app.local.doctor.findings import Finding
from tests.chains import node
from tests.chains.node import GAS, MERCHANT, Chain


@pytest.fixture(scope="module")
def chain() -> Iterator[Chain]:
    with node.chain() as found:
        yield found


@pytest.fixture
def taking(settings: Settings, chain: Chain) -> Iterator[Settings]:
    network = {"rpc_url": chain.url, "asset": chain.token.address, "pay_to": MERCHANT.address}
    rails.open_rails.cache_clear()
    yield replace(
        settings,
        onchain_price="0.01",
        onchain_networks=json.dumps({chain.network: network}),
        onchain_gas_key="0x" + bytes(GAS.key).hex(),
    )
    rails.open_rails.cache_clear()


def examined(settings: Settings) -> list[Finding]:
    return list(payments.examine(settings))


def test_a_server_without_payments_has_nothing_to_say(settings: Settings) -> None:
    assert examined(settings) == []


def test_a_good_network_and_a_full_wallet_are_ok(taking: Settings) -> None:
    assert [finding.verdict for finding in examined(taking)] == ["ok", "ok"]
    empty = replace(taking, onchain_gas_key="0x" + "12" * 32)
    assert [finding.verdict for finding in examined(empty)] == ["ok", "fail"]


def test_a_network_that_is_not_as_it_was_said_fails(taking: Settings, chain: Chain) -> None:
    network = json.loads(taking.onchain_networks)[chain.network]
    misspelled = MERCHANT.address.swapcase().replace("0X", "0x")
    for wrong, price, problem in (
        ({"eip155:99": network}, "0.01", "Payments on eip155:99: wrong chain"),
        ({chain.network: {**network, "asset": MERCHANT.address}}, "0.01", ""),
        ({chain.network: {**network, "pay_to": misspelled}}, "0.01", "pay_to"),
        ({chain.network: network}, "0.0000001", "price has too many decimals"),
    ):
        (finding,) = examined(
            replace(taking, onchain_networks=json.dumps(wrong), onchain_price=price)
        )
        assert finding.verdict == "fail"
        assert problem in finding.what
