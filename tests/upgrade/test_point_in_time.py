"""A base backup and an archived log, recovered to a moment before a mistake."""

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from app.core import db
from app.core.config.settings import Settings
from app.core.db.migrate import migrate, pending
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.kinds import Kind
from app.local import backups, postgres_programs
from app.local.embedded import system_user
from app.local.embedded.postgres import Postgres
from tests import builders, servers

pytestmark = pytest.mark.upgrade

KIND = Kind(name="test.recovered", queue="test", deadline_seconds=3600)


@dataclass
class Recovered:
    url: str
    moment: datetime


@pytest.fixture(scope="module")
def recovered() -> Iterator[Recovered]:
    with servers.folder() as home:
        archive = system_user.owned_folder(home / "archive", system_user.unprivileged())
        archiving = {
            "wal_level": "replica",
            "max_wal_senders": "4",
            "archive_mode": "on",
            "archive_command": f"cp %p {archive}/%f",
        }
        with Postgres(home / "pg", log=home / "pg.log", settings=archiving) as before:
            url = before.url()
            migrate(url)
            base = system_user.owned_folder(home / "base", system_user.unprivileged())
            postgres_programs.run(
                "pg_basebackup", url, 180_000, "--pgdata", base, "--checkpoint", "fast"
            )
            moment = _work(url)
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("delete from jobs")  # the mistake
                connection.execute("select pg_switch_wal()")
                servers.until(lambda: _archived(connection))
        (base / "recovery.signal").touch()
        _give(base)
        back = archiving | {
            "archive_mode": "off",
            "restore_command": f"cp {archive}/%f %p",
            "recovery_target_time": f"{moment:%Y-%m-%d %H:%M:%S.%f}+00",
            "recovery_target_action": "promote",
        }
        with Postgres(base, log=home / "again.log", settings=back) as again:
            servers.until(lambda: _writes(again.url()))
            yield Recovered(again.url(), moment)


def test_what_was_committed_before_the_moment_is_there(recovered: Recovered) -> None:
    with psycopg.connect(recovered.url) as connection:
        assert connection.execute("select count(*) from jobs").fetchone() == (20,)
        assert connection.execute("select count(*) from accounts").fetchone() == (1,)


def test_no_migration_is_missing(recovered: Recovered) -> None:
    assert pending(recovered.url) == []


def test_open_jobs_get_back_the_time_that_passed(recovered: Recovered) -> None:
    settings = Settings(database_url=recovered.url, redis_url="redis://x", secret_key="k" * 32)
    left = "select extract(epoch from min(deadline_at - created_at))::int from jobs"
    assert backups.recovered(settings, 600) == 20
    with psycopg.connect(recovered.url) as connection:
        assert connection.execute(left).fetchone() == (3600 + 600,)


def _work(url: str) -> datetime:
    """An account and twenty jobs; the moment after them."""
    db.open(url)
    try:
        with db.transaction() as tx:
            owner = builders.account(tx)
            for _ in range(20):
                jobs.enqueue(tx, KIND, owner, {})
        with db.reading() as reader:
            return db.value(reader, "select clock_timestamp()").astimezone(UTC)
    finally:
        db.close()


_WAITING = "select count(*) from pg_ls_archive_statusdir() where name like '%.ready'"


def _archived(connection: psycopg.Connection) -> bool:
    """Whether all full segments have been copied."""
    return connection.execute(_WAITING).fetchone() == (0,)


def _give(folder: Path) -> None:
    """To the account that servers run as."""
    if owner := system_user.unprivileged():
        for path in (folder, *folder.rglob("*")):
            shutil.chown(path, owner.uid, owner.gid)


def _writes(url: str) -> bool:
    with contextlib.suppress(psycopg.OperationalError), psycopg.connect(url) as connection:
        return connection.execute("select pg_is_in_recovery()").fetchone() == (False,)
    return False
