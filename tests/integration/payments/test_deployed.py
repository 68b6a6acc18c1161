"""The processes of the Procfile sell searches: several workers settle with one wallet."""

from concurrent.futures import ThreadPoolExecutor

from app.core.config.settings import Settings
from tests.chains import paying
from tests.chains.node import MERCHANT, PAYER, Chain
from tests.chains.proxy import SECRET
from tests.deployed import deployed
from tests.integration.payments.conftest import PATH, PRICE

BODY = {"query": "How many eggs does a barn owl lay?"}
BUYERS = 6


def test_searches_are_sold_at_once_by_real_processes(settings: Settings, chain: Chain) -> None:
    taking = {
        "onchain_price": settings.onchain_price,
        "onchain_networks": settings.onchain_networks,
        "onchain_gas_key": settings.onchain_gas_key,
    }
    with deployed(settings, "web", "worker", "dispatcher", log_level="DEBUG", **taking) as running:

        def buy(_: int) -> str:
            asked = running.ask("POST", PATH, body=BODY)
            payment = paying.payment(asked.headers["PAYMENT-REQUIRED"], PAYER)
            headers = {"PAYMENT-SIGNATURE": paying.encoded(payment)}
            bought = running.ask("POST", PATH, headers, BODY)
            bearer = {"Authorization": f"Bearer {bought.json['access_token']}"}
            search = bought.json["search"]
            while search["status"] not in ("completed", "failed"):
                search = running.ask("GET", f"{PATH}/{search['id']}?wait=30", bearer).json
            return search["status"]

        with ThreadPoolExecutor(BUYERS) as pool:
            found = list(pool.map(buy, range(BUYERS)))
        said = "".join(running.log(name) for name in running.programs)
    assert found == ["completed"] * BUYERS
    assert (chain.balance(MERCHANT), chain.sent()) == (BUYERS * PRICE, BUYERS)
    for secret in (SECRET, settings.onchain_gas_key.removeprefix("0x"), "cgp_"):
        assert secret not in said
