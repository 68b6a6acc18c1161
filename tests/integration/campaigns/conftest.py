"""A site on loopback with four pages about owls, and an account with credit."""

from collections.abc import Iterator

import pytest

from app.core.config.settings import Settings
from app.domains.campaigns.campaigns.runs import page_job
from app.domains.campaigns.campaigns.store import Campaign
from tests import internet
from tests.integration.campaigns.market import OWLS, Market, assert_the_books_add_up
from tests.internet import Internet


@pytest.fixture
def site() -> Iterator[Internet]:
    with internet.running() as site:
        yield site


@pytest.fixture
def market(settings: Settings, site: Internet) -> Iterator[Market]:
    """Whatever a test does there, the books add up in the end."""
    market = Market.over(settings, site)
    market.publish(*OWLS)
    yield market
    assert_the_books_add_up(settings)


@pytest.fixture
def campaign(market: Market, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Whose one page is offered to nodes."""
    monkeypatch.setattr(page_job.nodes, "seen_recently", lambda *_: 1)
    return market.with_one_page()
