"""The retriever keeps on a real OpenSearch what every retriever promises."""

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest

from app.core import db
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.engine.search.interface import Retriever
from app.engine.search.opensearch.client import Cluster
from app.engine.search.opensearch.retriever import OpenSearchRetriever
from bench import recombined, retrieval_quality
from tests.contract import test_retrievers
from tests.contract.test_retrievers import space
from tests.interop.opensearch.nodes import Node

__all__ = ["space"]

pytestmark = pytest.mark.interop

globals().update(
    {name: it for name, it in vars(test_retrievers).items() if name.startswith("test_")}
)


@pytest.fixture
def make(node: Node) -> Iterator[Callable[[], tuple[Retriever, str]]]:
    prefix = f"contract-{uuid4().hex}-"
    retriever = OpenSearchRetriever(Cluster(node.url), prefix=prefix, seconds=600.0)
    names = (f"ns{i}" for i in range(10_000))
    yield lambda: (retriever, next(names))
    Cluster(node.url).drop(f"{prefix}*", 600.0)


@pytest.mark.parametrize("collection", ["cranfield", "vaswani"])
def test_judged_collections_are_ranked_as_on_postgres(
    make: Callable[[], tuple[Retriever, str]], database: str, collection: str
) -> None:
    if not (recombined.DATA / f"{collection}.tar.xz").exists():
        pytest.skip(f"{recombined.DATA / collection}.tar.xz is absent")
    here = PostgresRetriever(db.reading, begin=db.transaction)
    there, _ = make()
    assert retrieval_quality.evaluate(collection, there) == pytest.approx(
        retrieval_quality.evaluate(collection, here), abs=0.001
    )
