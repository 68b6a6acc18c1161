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


def test_an_rpc_of_another_chain_fails(taking: Settings) -> None:
    network = json.loads(taking.onchain_networks).popitem()[1]
    wrong = replace(taking, onchain_networks=json.dumps({"eip155:99": network}))
    (finding,) = examined(wrong)
    assert (finding.verdict, finding.what) == ("fail", "Payments on eip155:99: wrong chain")


def test_an_asset_that_is_no_token_fails(taking: Settings, chain: Chain) -> None:
    network = json.loads(taking.onchain_networks)[chain.network]
    wrong = {chain.network: {**network, "asset": MERCHANT.address}}
    (finding,) = examined(replace(taking, onchain_networks=json.dumps(wrong)))
    assert finding.verdict == "fail"


def test_a_price_finer_than_the_token_fails(taking: Settings) -> None:
    (finding,) = examined(replace(taking, onchain_price="0.0000001"))
    assert finding.what.endswith("price has too many decimals")


def test_an_empty_gas_wallet_fails(taking: Settings) -> None:
    empty = replace(taking, onchain_gas_key="0x" + "12" * 32)
    assert [finding.verdict for finding in examined(empty)] == ["ok", "fail"]


def test_an_address_with_a_wrong_checksum_fails(taking: Settings, chain: Chain) -> None:
    network = json.loads(taking.onchain_networks)[chain.network]
    misspelled = MERCHANT.address.swapcase().replace("0X", "0x")
    wrong = {chain.network: {**network, "pay_to": misspelled}}
    (finding,) = examined(replace(taking, onchain_networks=json.dumps(wrong)))
    assert "pay_to" in finding.what
