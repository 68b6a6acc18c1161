"""Every request made of OpenSearch, and every answer of its stand-in, is one the published API
specification knows."""

from datetime import UTC, datetime

import pytest

from app.core.config.settings import Settings
from app.engine.search.interface import Filter, IndexedPassage, LexQuery
from app.engine.search.opensearch.client import Cluster
from app.engine.search.opensearch.retriever import OpenSearchRetriever
from app.engine.search.opensearch.server import OpenSearchServer
from app.engine.search.remote import Addition, Removal
from tests.opensearch import Exchange, opensearch
from tests.opensearch_spec import ARCHIVE, Specification

pytestmark = pytest.mark.skipif(
    not ARCHIVE.exists(), reason=f"the specification is not here: {ARCHIVE.name}"
)
MAY = datetime(2026, 5, 1, tzinfo=UTC)
PASSAGE = IndexedPassage(
    1, "s", "alpha beta", title="Title", language="en", corpus="c", domain="docs.example.org",
    published_at=MAY, fetched_at=MAY,
)  # fmt: skip
QUERY = LexQuery((("alpha", 1.0), ("beta", 0.5)), ("gamma",))
EVERYTHING = Filter(("example.org",), ("other.org",), MAY, MAY, ("en",), ("c",))


@pytest.fixture(scope="module")
def specification() -> Specification:
    return Specification(ARCHIVE)


@pytest.fixture(scope="module")
def exchanges() -> list[Exchange]:
    """One of each kind of request, made by the code that makes them."""
    with opensearch() as stand_in:
        retriever = OpenSearchRetriever(Cluster(stand_in.url))
        retriever.upsert("ns", [PASSAGE])
        retriever.read("ns", []).lexical(QUERY, 10, EVERYTHING, [[["alpha", "beta"]]])
        retriever.delete("ns", ["s"])
        settings = Settings(
            database_url="unused", redis_url="unused", secret_key="x", index_url=stand_in.url
        )
        server = OpenSearchServer(settings)
        server.version()
        index = server.index("citegrid-corpora-1")
        index.create()
        index.create()  # it is there: that is asked
        index.apply([Addition(PASSAGE, ["alpha"], 2), Removal(2, 3)])
        index.serve("citegrid-corpora")
        server.index("citegrid-corpora-2").create()
        server.index("citegrid-corpora-2").serve("citegrid-corpora")
        index.buckets(100)
        index.drop()
        return stand_in.exchanges


def test_every_request_and_answer_is_known(
    specification: Specification, exchanges: list[Exchange]
) -> None:
    problems = [(x.method, x.path, specification.problems(x)) for x in exchanges]
    assert [each for each in problems if each[-1]] == []


def test_all_that_is_ever_asked_is_among_them(exchanges: list[Exchange]) -> None:
    kinds = {(x.method, x.path.rsplit("/", 1)[-1]) for x in exchanges if "/_" in x.path}
    assert kinds >= {
        ("POST", "_bulk"), ("POST", "_msearch"), ("POST", "_refresh"), ("POST", "_aliases"),
        ("POST", "_delete_by_query"), ("GET", "citegrid-corpora"),
    }  # fmt: skip
    assert {x.method for x in exchanges} == {"GET", "HEAD", "PUT", "POST", "DELETE"}


@pytest.mark.parametrize(
    "wrong",
    [
        Exchange("POST", "/i/_bulk", {"refersh": "true"}, {}, [{"index": {}}], 400, None),
        Exchange("POST", "/i/_bulk", {}, {}, [{"delete": {"_id": 1}}], 400, None),
        Exchange("POST", "/i/_msearch", {}, {}, [{}, {"sizes": 1}], 400, None),
        Exchange("PUT", "/i", {}, {}, {"mapping": {}}, 400, None),
        Exchange("POST", "/_aliases", {}, {}, {"actions": [{"adds": {}}]}, 400, None),
    ],
    ids=lambda wrong: wrong.path,
)
def test_what_is_wrong_is_noticed(specification: Specification, wrong: Exchange) -> None:
    assert specification.problems(wrong)
