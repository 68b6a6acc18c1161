"""Which sources a search has, and in what order."""

from collections import Counter

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from app.domains.library.sources import service as sources
from tests import builders
from tests.unit.workers.searches import made
from workers.searches.candidates import Candidates, retrieve
from workers.searches.web_pages import WebPages

PATH = "/external/v1/search"
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


def asked(
    client: FlaskClient, settings: Settings, owner: dict[str, str], **options: object
) -> list[str]:
    """The hosts of the sources, in order."""
    id = client.post(PATH, json={"query": QUESTION, **options}, headers=owner).json["id"]
    builders.work(settings, id)
    result = client.get(f"{PATH}/{id}", headers=owner).json["result"]
    return [source["url"].split("/")[2].split(".")[0] for source in result["sources"]]


def retrieved(settings: Settings) -> Candidates:
    options = {"depth": "standard", "max_sources": 8}
    return retrieve(settings, made.query(QUESTION), options, WebPages())


def test_sources_come_in_the_order_of_relevance_whatever_their_quality(
    client: FlaskClient, settings: Settings, owner: dict[str, str], pages: None
) -> None:
    with db.transaction() as tx:
        sources.judge(tx, "third.example", "allow")
        sources.judge(tx, "second.example", "deny")
    assert asked(client, settings, owner) == ["best", "second", "third"]


def test_a_long_page_leaves_room_for_others(
    client: FlaskClient, settings: Settings, owner: dict[str, str], long_page: None
) -> None:
    assert set(asked(client, settings, owner, max_sources=4)) == {"long", *SITES}


def test_all_that_was_found_of_a_page_is_kept_for_reading(
    settings: Settings, long_page: None
) -> None:
    found = retrieved(settings)
    of_page = Counter(found.located[x.passage.id].url for x in found.ranked)
    assert of_page["https://long.example/"] == 10


def test_retrieving_again_finds_the_same(settings: Settings, pages: None) -> None:
    assert retrieved(settings).ranked == retrieved(settings).ranked
