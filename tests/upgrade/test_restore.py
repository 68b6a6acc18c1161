"""A backup made under load, restored into an empty server: the service goes on from there."""

import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
import pytest
from citegrid import Client

from app.core.config.settings import Settings
from app.domains.money.ledger import audit
from app.local import backups
from app.local.embedded.postgres import Postgres
from tests import servers
from tests.mixed.load import MixedLoad, closing
from tests.mixed.world import world
from tests.upgrade import loading, report
from tests.upgrade.balancer import balancing
from tests.upgrade.loading import going
from tests.upgrade.releases import ROOT, Release

pytestmark = pytest.mark.upgrade

QUERY = "In which year was the lighthouse of Arvenmouth built?"


@dataclass
class After:
    """The service on the restored database, and the load that came before the backup."""

    release: Release
    url: str
    load: MixedLoad
    searcher: str
    """The API key under which one search was requested, with an idempotency key."""
    first_id: str
    backup: Path
    settings: Settings


@pytest.fixture(scope="module")
def after(jobs: int) -> Iterator[After]:
    with (
        servers.folder() as home,
        Postgres(home / "pg", log=home / "pg.log") as postgres,
        Postgres(home / "pg2", log=home / "pg2.log") as empty,
        servers.redis() as redis,
        servers.redis() as empty_redis,
        world() as pages,
        balancing() as balancer,
    ):
        before, again = (
            Release(
                name,
                ROOT,
                home,
                {"DATABASE_URL": url, "REDIS_URL": broker.url(), **pages.settings},
            )
            for name, url, broker in (
                ("before", postgres.url(), redis),
                ("again", empty.url(), empty_redis),
            )
        )
        settings = Settings(database_url=postgres.url(), redis_url=redis.url(), secret_key="x" * 32)
        try:
            before.command("migrate")
            before.start("worker", "dispatcher", "api")
            balancer.serve(before.port)
            before.command("index", "add", "lighthouses", pages.address, "--kind", "site")
            key = loading.account(before.url, "owner@example.org")
            other = loading.account(before.url, "other@example.org")
            searcher = loading.account(before.url, "searcher@example.org")
            with closing(MixedLoad(balancer.url, key, world=pages, kinds=loading.KINDS)) as load:
                load.submit(2 * jobs)
                first_id = _search(balancer.url, searcher)
                with going(balancer.url, other, pages) as beside:
                    beside.further(1)
                    began = time.monotonic()
                    backup = backups.create(settings, home / "backups")
                    took = time.monotonic() - began
                    beside.further(1)
                before.kill()
                postgres.stop()
                began = time.monotonic()
                restored = replace(settings, database_url=empty.url())
                manifest = backups.restore(restored, backup)
                again.start("worker", "dispatcher", "api")
                balancer.serve(again.port)
                report.lines.append(
                    f"backup {took:.1f} s under load, {(backup / 'database.dump').stat().st_size}"
                    f" bytes, {manifest.open_jobs} jobs open; restored and answering after"
                    f" {time.monotonic() - began:.1f} s"
                )
                yield After(again, balancer.url, load, searcher, first_id, backup, restored)
        finally:
            before.kill()
            again.kill()


def test_all_that_was_accepted_before_the_backup_ends_well(after: After) -> None:
    after.load.wait(600)
    tally = after.load.tally()
    report.add("restored", tally, after.load.refusals.counts)
    assert tally.good, tally.examples


def test_an_idempotency_key_of_before_gets_the_answer_of_before(after: After) -> None:
    assert _search(after.url, after.searcher) == after.first_id


def test_every_quote_of_an_old_answer_stands_in_its_stored_page(after: After) -> None:
    with Client(after.url, api_key=after.searcher) as client:
        search = client.searches.get(after.first_id, wait=30)
        assert search.result is not None
        assert search.result.citations
        for cited in search.result.citations:
            page = client.searches.snapshot(after.first_id, cited.source)
            assert page.text[cited.start : cited.end] == cited.quote


def test_the_books_agree(after: After) -> None:
    with psycopg.connect(after.settings.database_url) as connection:
        assert audit.broken(connection) == {}  # type: ignore[arg-type]


def test_doctor_finds_nothing_that_fails(after: After) -> None:
    try:
        after.release.command("doctor")
    except subprocess.CalledProcessError as error:
        pytest.fail(error.stdout.decode())


def _search(url: str, key: str) -> str:
    return loading.search(url, key, QUERY, idempotency_key="the-first")
