"""schemathesis: whatever is sent, no 500 and no answer that the document does not describe.

Short runs, the same each time. `make fuzz` covers the boundaries of every field as well.
"""

from collections.abc import Iterator

import pytest

from app.core.config.settings import Settings
from app.local.embedded.redis import Redis
from tests.contract.fuzzing import server
from tests.databases import Databases
from tests.deployed import Deployed

IN_STEPS = ("--phases", "stateful", "-n", "8")
EACH = ("--phases", "examples,fuzzing", "-n", "1")
TAGS = ("searches", "webhooks", "api-keys")


@pytest.fixture(scope="module")
def running(databases: Databases, redis_server: Redis) -> Iterator[Deployed]:
    with databases.lend() as url:
        settings = Settings(database_url=url, redis_url=redis_server.url(), secret_key="x" * 32)
        with server.fuzzable(settings) as deployed:
            yield deployed


def test_every_answer_in_a_row_of_requests_is_as_documented(running: Deployed) -> None:
    tags = [option for tag in TAGS for option in ("--include-tag", tag)]
    assert server.passed(running, *IN_STEPS, *tags) >= 50


def test_every_answer_is_as_documented(running: Deployed) -> None:
    assert server.passed(running, *EACH) >= 200
