"""What a chain has seen is not paid a second time by books that have forgotten it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core import db
from app.core.config.settings import Settings
from app.domains.money.ledger import audit
from app.local import backups
from app.local.embedded.postgres import Postgres
from tests.chains import paying
from tests.chains.node import MERCHANT, PAYER, Chain
from tests.integration.payments.conftest import PRICE, Ask, Settler
from tests.integration.payments.conftest import chain as chain
from tests.integration.payments.conftest import challenge as challenge
from tests.integration.payments.conftest import rpc as rpc
from tests.integration.payments.conftest import send as send
from tests.integration.payments.conftest import settings as settings
from tests.integration.payments.conftest import settler as settler
from tests.upgrade.going_back import gone_back

pytestmark = pytest.mark.upgrade


@pytest.fixture
def payment(challenge: str) -> dict[str, Any]:
    return paying.payment(challenge, PAYER)


def states(table: str = "payments", where: str = "true") -> list[str]:
    with db.reading() as reader:
        return list(db.values(reader, f"select state from {table} where {where}"))  # noqa: S608


@pytest.fixture
def forgotten(
    settings: Settings,
    postgres: Postgres,
    tmp_path: Path,
    send: Ask,
    payment: dict[str, Any],
    settler: Settler,
) -> Iterator[Settler]:
    """A payment that was open at the backup, and settled on its chain since."""
    assert send(payment).status_code == 202
    backup = backups.create(settings, tmp_path)
    settler.once()
    assert states() == ["settled"]
    with gone_back(settings, backup, postgres) as restored:
        assert states() == ["settling"]
        yield Settler(restored)


def test_a_payment_that_was_open_is_settled_without_being_taken_again(
    forgotten: Settler, chain: Chain
) -> None:
    forgotten.once()
    assert (states(), chain.balance(MERCHANT)) == (["settled"], PRICE)


def test_the_search_it_bought_runs_and_the_books_agree(forgotten: Settler) -> None:
    forgotten.once()
    assert states("jobs", "kind = 'searches.answer'") == ["queued"]
    with db.reading() as reader:
        assert audit.broken(reader) == {}


def test_it_is_settled_even_when_its_authorization_has_expired_meanwhile(
    forgotten: Settler, chain: Chain
) -> None:
    chain.travel(3600)
    forgotten.once()
    assert (states(), chain.balance(MERCHANT)) == (["settled"], PRICE)


def test_a_payment_that_the_books_never_saw_is_not_taken_a_second_time(
    settings: Settings,
    postgres: Postgres,
    tmp_path: Path,
    send: Ask,
    payment: dict[str, Any],
    settler: Settler,
    chain: Chain,
) -> None:
    backup = backups.create(settings, tmp_path)
    send(payment)
    settler.once()
    with gone_back(settings, backup, postgres) as restored:
        send(payment)
        Settler(restored).once()
        assert chain.balance(MERCHANT) == PRICE
