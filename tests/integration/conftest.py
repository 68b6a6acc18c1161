"""The account most tests of the API act for, and an index outside of Postgres."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.core import db
from app.core.config.settings import Settings
from tests import builders, lone_connection, remote_index
from tests.cheap_hashes import cheap_hashes as cheap_hashes
from tests.opensearch import StandIn, opensearch
from tests.patience import PATIENCE_SECONDS

lone_connection.enforce()


@pytest.fixture
def owner(settings: Settings) -> dict[str, str]:
    """Headers with an API key: the account that things belong to."""
    with db.transaction() as tx:
        return {"X-API-Key": builders.api_key(tx, settings, builders.account(tx))}


@pytest.fixture
def server() -> Iterator[StandIn]:
    """A stand-in for OpenSearch."""
    with opensearch() as server:
        yield server


@pytest.fixture
def following(settings: Settings, server: StandIn) -> Settings:
    """Settings with an index there."""
    return replace(settings, index_url=server.url, index_timeout_seconds=PATIENCE_SECONDS)


@pytest.fixture
def built(following: Settings, server: StandIn) -> Settings:
    """With an index that serves three pages, of mice, owls and barley."""
    for words in ("mice", "owls", "barley"):
        remote_index.add(words)
    remote_index.rebuild(following)
    return following
