"""A backup of a small database, what is there when it is restored, and what keeps it from being."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from app.core import db
from app.core.config.settings import Settings
from app.core.db.migrate import migrate, pending
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.kinds import Kind
from app.local import backups
from app.local.backup_rehearsal import rehearse
from app.local.backups import NoBackup
from app.local.embedded.postgres import Postgres
from tests import builders, servers

OWNER = UUID(int=7)
KIND = Kind(name="test.restored", queue="test", deadline_seconds=60, max_attempts=1)
HOURS_AGO = 3 * 3600.0
TAKEN = """
    update jobs set state = 'running', attempt = 1, worker = 'gone:1:2',
        deadline_at = now() - interval '3 hours' + interval '1 hour'
    """


@dataclass
class Restored:
    settings: Settings
    folder: Path
    before: str
    """The database that was backed up."""
    running: UUID

    def value(self, query: str, **params: Any) -> Any:
        with psycopg.connect(self.settings.database_url) as connection:
            row = connection.execute(query, params).fetchone()
        return row[0] if row else None


@pytest.fixture(scope="module")
def restored(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Restored]:
    """An account and a job in the hands of a worker, backed up, and restored three hours later."""
    with (
        servers.database(postgres) as url,
        servers.database(postgres, migrated=False) as empty,
    ):
        settings = Settings(database_url=url, redis_url="redis://127.0.0.1:1", secret_key="k" * 32)
        db.open(url)
        with db.transaction() as tx:
            builders.account(tx)
            running = jobs.enqueue(tx, KIND, OWNER, {})
            tx.execute(TAKEN)
        db.close()
        folder = backups.create(settings, tmp_path_factory.mktemp("backups"))
        _age(folder, HOURS_AGO)
        again = replace(settings, database_url=empty)
        backups.restore(again, folder)
        yield Restored(again, folder, url, running)


def test_what_was_there_is_there_again_and_that_it_was_restored(restored: Restored) -> None:
    assert restored.value("select email from accounts") == "owner@example.org"
    assert pending(restored.settings.database_url) == []
    assert restored.value("select action from audit_events") == "database.restored"


def test_an_open_job_waits_again_with_the_attempts_and_the_time_that_it_had(
    restored: Restored,
) -> None:
    left = "select state || ' ' || (max_attempts - attempt) from jobs where id = %(id)s"
    assert restored.value(left, id=restored.running) == "queued 1"
    left = "select deadline_at - now() between '0 s' and '3601 s' from jobs where id = %(id)s"
    assert restored.value(left, id=restored.running)


RIGHTS = """
    select md5(string_agg(concat_ws(' ', name, grantee::regrole, privilege_type), ','
                          order by name, grantee::regrole::text, privilege_type))
    from (select relname as name, (aclexplode(relacl)).* from pg_class
          where relnamespace = 'public'::regnamespace
          union all select proname, (aclexplode(proacl)).* from pg_proc
          where pronamespace = 'public'::regnamespace) rights
    """


def test_roles_have_the_same_rights_as_before(restored: Restored) -> None:
    with psycopg.connect(restored.before) as before:
        assert before.execute(RIGHTS).fetchone() == (restored.value(RIGHTS),)


def test_tables_of_later_migrations_are_granted(restored: Restored, tmp_path: Path) -> None:
    (tmp_path / "9999_later.sql").write_text("create table later (n int)")
    migrate(restored.settings.database_url, tmp_path)
    assert restored.value("select has_table_privilege('citegrid_app', 'later', 'insert')")


def test_nobody_else_reads_a_backup_whose_manifest_names_neither_key_nor_owner(
    restored: Restored,
) -> None:
    assert restored.folder.stat().st_mode & 0o077 == 0
    manifest = (restored.folder / "manifest.json").read_text()
    assert restored.settings.secret_key not in manifest
    assert json.loads(manifest)["roles"] == ["citegrid_api", "citegrid_app", "citegrid_worker"]


@pytest.mark.parametrize(
    ("key", "previous", "problem"),
    [
        ("k" * 32, "", "not empty"),
        ("o" * 32, "", "another SECRET_KEY"),
        ("o" * 32, "k" * 32, "not empty"),  # that is: no longer for the key
    ],
)
def test_only_an_empty_database_under_the_same_secret_key_is_written_to(
    restored: Restored, key: str, previous: str, problem: str
) -> None:
    settings = replace(restored.settings, secret_key=key, secret_key_previous=previous)
    with pytest.raises(NoBackup, match=problem):
        backups.restore(settings, restored.folder)


def test_a_damaged_dump_is_refused(restored: Restored, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes((restored.folder / "manifest.json").read_bytes())
    (tmp_path / "database.dump").write_bytes(b"PGDMP")
    with pytest.raises(NoBackup, match="damaged"):
        backups.restore(restored.settings, tmp_path)


def test_a_backup_that_was_interrupted_is_none(tmp_path: Path) -> None:
    (tmp_path / "citegrid-20260101T000000Z.unfinished").mkdir()
    assert backups.finished(tmp_path) == []


def test_whom_row_security_hides_rows_from_makes_no_backup(
    restored: Restored, tmp_path: Path
) -> None:
    with psycopg.connect(restored.before, autocommit=True) as connection:
        connection.execute("drop role if exists reader")
        connection.execute("create role reader login in role pg_read_all_data")
    blind = restored.before.replace("postgres@", "reader@")
    with pytest.raises(NoBackup, match="DATABASE_BACKUP_URL"):
        backups.create(replace(restored.settings, database_backup_url=blind), tmp_path)


def test_who_may_create_no_role_is_told_what_a_superuser_has_to_run(
    restored: Restored, postgres: Postgres, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(restored.folder, tmp_path / "copy"))
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(
        json.dumps(manifest | {"roles": ["other_worker", "other_app"]})
    )
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute("drop role if exists mover")
        connection.execute("create role mover login")
    with servers.database(postgres, migrated=False) as empty:
        url = empty.replace("postgres@", "mover@")
        with pytest.raises(
            NoBackup,
            match='create role "other_app" nologin; grant "other_app" to "mover"; create role'
            ' "other_worker" nologin',
        ):
            backups.restore(replace(restored.settings, database_url=url), folder)


def _age(folder: Path, seconds: float) -> None:
    """As if it had been made so long ago, together with what is in it."""
    manifest = json.loads((folder / "manifest.json").read_text())
    taken_at = datetime.fromisoformat(manifest["taken_at"]) - timedelta(seconds=seconds)
    manifest["taken_at"] = taken_at.isoformat()
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_a_rehearsal_counts_what_came_back_and_leaves_nothing(
    restored: Restored, postgres: Postgres
) -> None:
    rehearsal = rehearse(replace(restored.settings, database_url=restored.before), restored.folder)
    assert (rehearsal.rows["accounts"], rehearsal.rows["jobs"], rehearsal.open_jobs) == (1, 1, 1)
    with psycopg.connect(postgres.url()) as connection:
        left = "select count(*) from pg_database where datname like 'citegrid_rehearsal%'"
        assert connection.execute(left).fetchone() == (0,)


def test_a_rehearsal_whose_jobs_are_not_those_of_the_manifest_fails(
    restored: Restored, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(restored.folder, tmp_path / "copy"))
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"open_jobs": 2}))
    with pytest.raises(NoBackup, match="1 open jobs came back, and there were 2"):
        rehearse(replace(restored.settings, database_url=restored.before), folder)
