"""The settings of paid search: all that is wrong is named, no value is repeated."""

import json
from typing import Any

import pytest

from app.core import log
from app.core.config import onchain

ADDRESS = "0x" + "a" * 40
KEY = "0x" + "b" * 64
NETWORK = {"rpc_url": "https://rpc.example.org/v2/KEY", "asset": ADDRESS, "pay_to": ADDRESS}


def problems(**changes: Any) -> list[str]:
    networks = changes.pop("networks", {"eip155:8453": {**NETWORK, **changes.pop("network", {})}})
    text = networks if isinstance(networks, str) else json.dumps(networks)
    said = {"price": "0.01", "gas_key": KEY, "facilitator_url": "", **changes}
    return onchain.problems(networks=text, **said)


def test_good_settings_have_no_problem() -> None:
    assert problems() == []


def test_without_a_price_and_networks_nothing_is_looked_at() -> None:
    assert problems(price="", networks="", gas_key="") == []


def test_without_a_price_networks_are_what_settles_earlier_payments() -> None:
    assert problems(price="") == []
    assert len(problems(price="", networks="{", gas_key="")) == 2


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"price": "free"}, "ONCHAIN_PRICE"),
        ({"price": "0"}, "ONCHAIN_PRICE"),
        ({"price": "-1"}, "ONCHAIN_PRICE"),
        ({"price": "NaN"}, "ONCHAIN_PRICE"),
        ({"networks": ""}, "ONCHAIN_NETWORKS"),
        ({"networks": "[]"}, "ONCHAIN_NETWORKS"),
        ({"networks": {}}, "ONCHAIN_NETWORKS"),
        ({"networks": {"base": NETWORK}}, "ONCHAIN_NETWORKS"),
        ({"networks": {"eip155:1": {}}}, "ONCHAIN_NETWORKS"),
        ({"network": {"more": 1}}, "ONCHAIN_NETWORKS"),
        ({"network": {"rpc_url": "wss://rpc.example.org"}}, "rpc_url"),
        ({"network": {"rpc_url": 7}}, "rpc_url"),
        ({"network": {"rpc_url": "https://[rpc.example.org"}}, "rpc_url"),
        ({"networks": "[" * 100_000}, "ONCHAIN_NETWORKS"),
        ({"network": {"asset": "0x12"}}, "asset"),
        ({"network": {"pay_to": None}}, "pay_to"),
        ({"gas_key": ""}, "ONCHAIN_GAS_KEY"),
        ({"gas_key": "0x" + "b" * 63}, "ONCHAIN_GAS_KEY"),
        ({"gas_key": KEY, "facilitator_url": "https://f.example.org"}, "ONCHAIN_GAS_KEY"),
        ({"gas_key": "", "facilitator_url": "f.example.org"}, "ONCHAIN_FACILITATOR_URL"),
        ({"gas_key": "", "facilitator_url": "https://[f.example.org]"}, "ONCHAIN_FACILITATOR_URL"),
        ({"gas_key": "", "facilitator_url": "https://u:p@f.example.org"}, "ONCHAIN_FACILITATOR"),
    ],
)
def test_a_problem_is_named(changes: dict[str, Any], name: str) -> None:
    (problem,) = problems(**changes)
    assert name in problem


def test_all_problems_are_named_at_once() -> None:
    assert len(problems(price="free", gas_key="", network={"asset": "x", "pay_to": "y"})) == 4


def test_no_problem_repeats_a_value() -> None:
    said = " ".join(problems(gas_key=KEY[:-1], network={"asset": "hunter22"}))
    assert "hunter22" not in said
    assert KEY[:-1] not in said


def test_a_hidden_url_is_not_logged_whole_nor_without_its_host() -> None:
    log.hide("https://rpc.example.org/v2/HIDDENKEY")
    said = "Max retries exceeded with url: /v2/HIDDENKEY (https://rpc.example.org/v2/HIDDENKEY)"
    assert "HIDDENKEY" not in log.redact(said)


def test_an_access_token_is_not_logged() -> None:
    assert "0123456789" not in log.redact("cgp_0123456789abcdef")
