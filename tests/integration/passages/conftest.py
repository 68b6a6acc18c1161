"""An index outside of Postgres, and its stand-in."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.core.config import Settings
from tests.opensearch import StandIn, opensearch


@pytest.fixture
def server() -> Iterator[StandIn]:
    with opensearch() as server:
        yield server


@pytest.fixture
def following(settings: Settings, server: StandIn) -> Settings:
    """Settings with an index elsewhere."""
    return replace(settings, index_url=server.url)
