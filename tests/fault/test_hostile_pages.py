"""Searches and a crawl meet hostile pages while other searches go on."""

import gzip
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from app.core import ids
from app.core.db import Tx
from app.core.ids import Noun
from app.domains.library.corpora import service as corpora
from app.domains.search.searches import service as searches
from app.local.embedded.supervisor import Program
from tests import builders, servers
from tests.fault.stage import CHILDREN, Stage, children, read
from tests.internet import Internet, running
from tests.patience import PATIENCE_SECONDS
from tests.unit.engine.sandbox.hostile import FAMILIES

OWLS = "Barn owls. A clutch of the barn owl holds four to seven eggs, which hatch after 30 days."
QUESTION = "How many eggs does a barn owl lay in a clutch?"
SIZES = {"blanks after a comment": 900_000, "brackets": 3_200_000}
HOSTILE_SEARCHES, OTHER_SEARCHES = 2, 8


@pytest.fixture
def internet() -> Iterator[Internet]:
    """A site whose start page leads to every hostile page, and an engine that finds some for
    whoever asks for trouble."""
    with running() as internet:
        hostile = [publish(internet, number) for number in range(len(FAMILIES))]
        links = "".join(f'<p><a href="{url}">a page</a></p>' for url in hostile)
        internet.page("/", OWLS + links)
        owls = internet.page("/owls", OWLS)
        found = [{"url": url, "title": "t"} for url in [*hostile[-2:], owls]]
        internet.searxng(*found)
        troubled = internet.replies["searxng"]
        internet.searxng(owls)
        quiet = internet.replies["searxng"]
        internet.replies["searxng"] = lambda asked: (
            troubled(asked) if "trouble" in asked["q"] else quiet(asked)
        )
        yield internet


def publish(internet: Internet, number: int) -> str:
    name = list(FAMILIES)[number]
    document = FAMILIES[name](SIZES.get(name, 50_000))
    headers = {"Content-Type": document.media_type, "Content-Encoding": "gzip"}
    internet.pages[f"/hostile/{number}"] = (200, headers, gzip.compress(document.body))
    return f"{internet.url}/hostile/{number}"


@pytest.fixture
def product(bare_stage: Stage, internet: Internet) -> Iterator[Program]:
    """The worker."""
    host = internet.url.removeprefix("http://")
    programs = bare_stage.product(
        "searches,corpora",
        SEARXNG_URL=internet.url,
        SEARXNG_PER_SECOND="1000",
        WEB_FETCH_ALLOW=host,
        FETCH_ALLOW=host,
        FETCH_GAP_SECONDS="0.01",
        WEB_PAGE_SECONDS="120",
        JOB_LEASE_SECONDS="30",
        EMBEDDINGS_PACKAGED="false",
    )
    for program in programs:
        program.start()
    servers.until(lambda: len(children(programs[0])) == CHILDREN)
    yield programs[0]
    for program in programs:
        program.kill()
    read(lambda tx: tx.execute("delete from searches"))


def test_hostile_pages_cost_no_search_and_no_worker(product: Program, internet: Internet) -> None:
    before = children(product)
    account = read(lambda tx: builders.account(tx, f"{ids.new()}@example.org"))
    read(lambda tx: corpora.add(tx, "hostile", "site", internet.url))
    crawl = read(lambda tx: corpora.refresh(tx, "hostile"))
    troubled = [ask(account, f"{QUESTION} trouble") for _ in range(HOSTILE_SEARCHES)]
    others = [ask(account, QUESTION) for _ in range(OTHER_SEARCHES)]
    waiting = {crawl, *troubled, *others}
    servers.until(lambda: ended(waiting) == len(waiting))

    assert states(waiting) == {("succeeded", 1)}
    assert all(result(id)["answered"] for id in others)
    assert all({"too_costly", "slow"} & set(result(id)["stats"]["pages"]) for id in troubled)
    assert children(product) == before


def ask(account: UUID, question: str) -> UUID:
    asked = {"query": question, "depth": "standard", "max_sources": 5}

    def request(tx: Tx) -> dict[str, Any]:
        return searches.request(
            tx, account, asked, retention_seconds=3_600, deadline_seconds=PATIENCE_SECONDS
        )

    id = ids.internal(Noun.SEARCH, read(request)["id"])
    assert id is not None
    return id


def ended(waiting: set[UUID]) -> int:
    return sum(state == "succeeded" or state == "failed" for state, _ in rows(waiting))


def states(waiting: set[UUID]) -> set[tuple[str, int]]:
    return set(rows(waiting))


def rows(waiting: set[UUID]) -> list[tuple[str, int]]:
    select = "select state, attempt from jobs where id = any(%s)"
    return read(lambda tx: tx.execute(select, [list(waiting)]).fetchall())


def result(id: UUID) -> dict[str, Any]:
    select = "select result from searches where id = %s"
    row = read(lambda tx: tx.execute(select, [id]).fetchone())
    assert row is not None
    found: dict[str, Any] = row[0]
    return found
