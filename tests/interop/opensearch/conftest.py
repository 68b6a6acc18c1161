"""One node for the tests that share it: each uses indexes of its own."""

from collections.abc import Iterator

import pytest

from tests.interop.opensearch.nodes import Node, cluster


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    with cluster(tmp_path_factory.mktemp("opensearch"), 1) as (node,):
        yield node
