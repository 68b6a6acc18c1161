"""API, worker and dispatcher through a PgBouncer in transaction mode, with fewer sessions than they
have connections."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from app.core import db
from app.core.config.settings import Settings
from tests import builders
from tests.deployed import Deployed, deployed
from tests.pgbouncer import pgbouncer

SEARCH = "/external/v1/search"
SEARCHES, AT_ONCE = 15, 6


@pytest.fixture
def service(settings: Settings) -> Iterator[Deployed]:
    direct = settings.database_url
    with (
        pgbouncer(direct) as url,
        deployed(
            replace(settings, database_url=url),
            "web",
            "worker",
            "dispatcher",
            database_direct_url=direct,
            rate_limit_write="10000/minute",
        ) as running,
    ):
        yield running


@pytest.fixture
def key(settings: Settings) -> str:
    with db.transaction() as tx:
        return builders.api_key(tx, settings, builders.account(tx))


def test_every_search_is_accepted_and_done(service: Deployed, key: str) -> None:
    headers = {"X-API-Key": key}

    def outcome(number: int) -> str:
        accepted = service.ask("POST", SEARCH, headers, {"query": f"owls {number}"})
        if accepted.status != 202:
            return accepted.body.decode()
        search = accepted.json
        while search["status"] in ("queued", "running"):
            answer = service.ask("GET", f"{SEARCH}/{search['id']}?wait=30", headers)
            search = answer.json
        return str(search["status"])

    with ThreadPoolExecutor(AT_ONCE) as callers:
        outcomes = Counter(callers.map(outcome, range(SEARCHES)))
    assert outcomes == {"completed": SEARCHES}, service.log("web") + service.log("worker")
