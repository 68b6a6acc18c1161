"""What the most frequent operations ask of Postgres and Redis may not grow unnoticed.

Who needs one more raises the number here, knowing what it costs every caller.
"""

from collections.abc import Callable
from decimal import Decimal
from uuid import UUID

import pytest
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.config.settings import Settings
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerLine
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.dispatch import selection
from tests import builders, market
from tests.counting import Trips, round_trips

SEARCH = "/external/v1/search"
QUESTION = {"query": "Where do owls live?"}


def usual(act: Callable[[], object]) -> Trips:
    """The least of some calls: a few open a connection, prepare a statement, or read anew what is
    remembered for a second."""
    each = []
    for _ in range(6):
        with round_trips() as trips:
            act()
        each.append(trips)
    return min(each, key=lambda x: (x.postgres, x.redis))


@pytest.fixture
def search_id(client: FlaskClient, owner: dict[str, str]) -> str:
    id: str = client.post(SEARCH, json=QUESTION, headers=owner).json["id"]
    return id


@pytest.fixture
def submitted(client: FlaskClient, owner: dict[str, str]) -> list[UUID]:
    """Searches for six calls, chosen by a dispatcher."""
    for _ in range(6):
        client.post(SEARCH, json=QUESTION, headers=owner)
    with db.forgettable() as tx:
        chosen, *_ = selection.choose(tx, "searches", 10, 60.0)
    return [job.id for job in chosen]


def test_a_submit(client: FlaskClient, owner: dict[str, str]) -> None:
    trips = usual(lambda: client.post(SEARCH, json=QUESTION, headers=owner))
    assert (trips.postgres, trips.redis) == (1, 1)


def test_a_poll(client: FlaskClient, owner: dict[str, str], search_id: str) -> None:
    trips = usual(lambda: client.get(f"{SEARCH}/{search_id}", headers=owner))
    assert (trips.postgres, trips.redis) == (1, 1)


def test_choosing_jobs(search_id: str) -> None:
    def choose() -> None:
        with db.forgettable() as tx:
            selection.choose(tx, "searches", 10, 60.0)

    assert usual(choose).postgres == 1


def test_claiming_a_job(submitted: list[UUID]) -> None:
    def claim() -> None:
        with db.forgettable() as tx:
            (_,) = jobs.claim(tx, [submitted.pop()], "worker", 60.0)

    assert usual(claim).postgres == 1


def test_finishing_a_job(submitted: list[UUID]) -> None:
    with db.transaction() as tx:
        held = jobs.claim(tx, submitted, "worker", 60.0)

    def finish() -> None:
        with db.transaction() as tx:
            (outcome,) = jobs.finish(tx, [jobs.Done(held.pop(), lambda _: None)])
            assert outcome

    assert usual(finish).postgres == 3


def test_a_search_from_its_claim_to_its_end(
    client: FlaskClient, owner: dict[str, str], settings: Settings
) -> None:
    builders.indexed_page("https://owls.example/", "# Owls\n\nOwls live in barns and old trees.")

    submitted = [client.post(SEARCH, json=QUESTION, headers=owner).json["id"] for _ in range(6)]
    trips = usual(lambda: builders.work(settings, submitted.pop()))
    assert trips.postgres <= 19  # one of them: which documents of its own the account has
    assert trips.redis <= 8


def test_a_posting(database: str) -> None:
    world = LedgerLine(ledger.WORLD, "world", Decimal(-1))
    lines = world, LedgerLine(ids.new(), "credit", Decimal(1))

    def post() -> None:
        with db.transaction() as tx:
            ledger.post(tx, f"test:{ids.new()}", "test", "USD", *lines)

    assert usual(post).postgres == 3


@pytest.mark.parametrize("offers", [1, 7])
def test_a_page_of_offers_whatever_their_number(client: FlaskClient, offers: int) -> None:
    provider: UUID = market.account("north@example.org")
    market.profile(provider, "north", "North")
    for number in range(offers):
        market.offer(provider, ("0.04", "0.07"), name=f"lab {number}")
    assert usual(lambda: client.get(f"/offers?model={market.MODEL}")).postgres == 3
