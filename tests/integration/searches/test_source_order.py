"""Which sources a search has, and in what order."""

from collections import Counter

import pytest

from app.core import db
from app.core.config.settings import Settings
from app.domains.library.sources import service as sources
from tests import builders
from tests.integration.searches.asking import Asking
from tests.integration.searches.asking import sources as found_by
from tests.unit.workers.searches import made
from workers.searches.candidates import Candidates, retrieve
from workers.searches.web_pages import WebPages

QUESTION = "How many eggs does the barn owl lay in a clutch?"
SITES = ("best", "second", "third")
TEXTS = (
    "The barn owl lays four to seven eggs in a clutch.",
    "The eggs of the barn owl are white. A clutch lies on bare wood.",
    "Sailors call a calm night the hour of the owl.",
)
LONG = "# Barn owls\n\n" + "\n\n".join(
    f"## Year {year}\n\nIn {year} the barn owl of tower {year} laid {year % 7} eggs in a clutch."
    for year in range(1990, 2000)
)


@pytest.fixture
def pages(database: str) -> None:
    for site, text in zip(SITES, TEXTS, strict=True):
        builders.indexed_page(f"https://{site}.example/", f"# {site}\n\n{text}\n")


@pytest.fixture
def long_page(database: str, pages: None) -> None:
    builders.indexed_page("https://long.example/", LONG)


def asked(ada: Asking, **options: object) -> list[str]:
    """The hosts of the sources, in order."""
    return [url.split("/")[2].split(".")[0] for url in found_by(ada.ask(QUESTION, **options))]


def retrieved(settings: Settings) -> Candidates:
    options = {"depth": "standard", "max_sources": 8}
    return retrieve(settings, made.query(QUESTION), options, WebPages())


def test_sources_come_in_the_order_of_relevance_whatever_their_quality(
    ada: Asking, pages: None
) -> None:
    with db.transaction() as tx:
        sources.judge(tx, "third.example", "allow")
        sources.judge(tx, "second.example", "deny")
    assert asked(ada) == ["best", "second", "third"]


def test_a_long_page_leaves_room_for_others(ada: Asking, long_page: None) -> None:
    assert set(asked(ada, max_sources=4)) == {"long", *SITES}


def test_all_that_was_found_of_a_page_is_kept_for_reading(
    settings: Settings, long_page: None
) -> None:
    found = retrieved(settings)
    of_page = Counter(found.located[x.passage.id].url for x in found.ranked)
    assert of_page["https://long.example/"] == 10


def test_retrieving_again_finds_the_same(settings: Settings, pages: None) -> None:
    assert retrieved(settings).ranked == retrieved(settings).ranked
