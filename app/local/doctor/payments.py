"""The findings of `doctor` on paid search: each network, its token, and the wallet that settles."""

from collections.abc import Iterator
from decimal import Decimal

import psycopg

from app.core import db
from app.core.config.settings import BadConfiguration, Settings
from app.core.db import roles
from app.domains.money.payments import store
from app.domains.money.payments.interface import PaymentCheckUnavailable, Rail
from app.domains.money.payments.rails import open_rails
from app.local.doctor.findings import Finding

LEAST_SETTLEMENTS = 100
WEI = 10**18


def examine(settings: Settings) -> Iterator[Finding]:
    """Nothing for a server that never took payments; the books alone for one that takes no more."""
    if not settings.onchain_networks:
        return
    try:
        rails = open_rails(settings)
    except BadConfiguration as error:
        yield Finding("fail", str(error), "Copy the address again from a block explorer.")
        return
    if not rails:
        hint = "pip install --no-deps --require-hashes -r requirements/payments.lock"
        yield Finding("fail", "Payments are configured, but their libraries are missing", hint)
        return
    for network, rail in rails.items() if settings.onchain_price else ():
        yield from _network(network, rail, Decimal(settings.onchain_price))
    yield from _books(settings)


def _network(network: str, rail: Rail, price: Decimal) -> Iterator[Finding]:
    try:
        requirement = rail.requirement(price)
        gas = rail.gas()
    except PaymentCheckUnavailable as away:
        hint = "Check its rpc_url, chain id and asset."
        yield Finding("fail", f"Payments on {away.why or network}", hint)
        return
    if requirement is None:
        hint = "ONCHAIN_PRICE has more decimals than the token."
        yield Finding("fail", f"Payments on {network}: price has too many decimals", hint)
        return
    yield Finding(
        "ok", f"{network}: {requirement['amount']} units of {requirement['extra']['name']} a search"
    )
    if gas is None:
        return
    settlements = gas.balance // max(1, gas.settlement)
    what = f"{network}: gas wallet {gas.wallet} has {gas.balance / WEI:.6f}"
    if settlements < LEAST_SETTLEMENTS:
        hint = f"Gas for about {settlements} settlements left. Send more."
        yield Finding("fail" if settlements < 1 else "warn", what, hint)
    else:
        yield Finding("ok", what)


def _books(settings: Settings) -> Iterator[Finding]:
    try:
        db.open(settings.session_url, role=roles.operators(settings.database_role), size=2)
        with db.reading() as reader:
            owed, undecided = store.owed(reader), store.undecided(reader)
    except psycopg.Error:
        return  # already reported
    finally:
        db.close()
    if undecided:
        hint = "Check the log for payment_check_unavailable; an RPC server may be down."
        yield Finding("warn", f"Payments undecided for an hour: {undecided}", hint)
    if owed:
        hint = "See docs/how-to/take-payments.md, Refund."
        yield Finding("warn", f"Paid searches and credits that failed permanently: {owed}", hint)
