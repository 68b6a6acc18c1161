"""Migrations on a real Postgres."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from app.core import db
from app.core.db import schema
from app.core.db.migrate import MigrationChanged, migrate, outdated, pending
from tests import servers
from tests.patience import PATIENCE_SECONDS

TRICKY = """
-- a comment; with a semicolon
create table notes (id int primary key, body text default 'a;b');
create function touch() returns trigger language plpgsql as $body$
begin
    if new.body is null then new.body := '100%'; end if;
    return new;
end $body$;
create function twice(x int) returns int language sql begin atomic
    select x;
    select x * 2;
end;
do $$ begin perform twice(2); exception when others then null; end $$;
insert into notes values (1);
"""

INDEX = """-- outside a transaction
create unique index concurrently if not exists notes_body on notes (body)
"""

BATCHES = """-- in batches
update notes set seen = true
where id in (select id from notes where seen is null limit 10)
"""


CONNECTED = "select count(*) from pg_stat_activity where datname = current_database()"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "0001_notes.sql").write_text(TRICKY)
    (tmp_path / "0002_more.sql").write_text("alter table notes add seen bool;")
    return tmp_path


def test_what_is_pending_is_named_and_arrives_whole(empty_database: str, folder: Path) -> None:
    assert pending(empty_database, folder) == ["0001_notes", "0002_more"]
    assert migrate(empty_database, folder) == ["0001_notes", "0002_more"]
    assert pending(empty_database, folder) == []
    with db.connect(empty_database, role=None) as connection:
        assert connection.execute("select twice(21)").fetchone() == (42,)


def test_four_at_once_apply_each_file_once(empty_database: str, folder: Path) -> None:
    (folder / "0003_slow.sql").write_text("select pg_sleep(0.2); create table slow ();")
    with ThreadPoolExecutor(4) as pool:
        applied = list(pool.map(lambda _: migrate(empty_database, folder), range(4)))
    assert sorted(applied) == [[], [], [], ["0001_notes", "0002_more", "0003_slow"]]


def test_an_index_is_made_while_another_run_waits(empty_database: str, folder: Path) -> None:
    """Making it waits for whoever reads, and a statement that waits for its turn would be that."""
    migrate(empty_database, folder)
    (folder / "0003_index.sql").write_text(INDEX)
    with (
        ThreadPoolExecutor(2) as pool,
        db.connect(empty_database, role=None) as writer,
        db.connect(empty_database, role=None) as other,
    ):
        with writer.transaction():
            writer.execute("insert into notes values (2, 'b')")
            runs = [pool.submit(migrate, empty_database, folder) for _ in range(2)]
            servers.until(lambda: other.execute(CONNECTED).fetchone() == (4,))
            servers.until(lambda: _waiting(other))
        assert sorted(run.result(PATIENCE_SECONDS) for run in runs) == [[], ["0003_index"]]


def test_a_failing_file_leaves_nothing_of_itself_and_all_before_it(
    empty_database: str, folder: Path
) -> None:
    (folder / "0003_bad.sql").write_text("create table bad (); select no_such_function();")
    with pytest.raises(psycopg.errors.UndefinedFunction) as caught:
        migrate(empty_database, folder)
    assert caught.value.__notes__ == ["while applying 0003_bad.sql"]
    assert pending(empty_database, folder) == ["0003_bad"]
    with db.connect(empty_database, role=None) as connection:
        assert connection.execute("select to_regclass('bad')").fetchone() == (None,)


def test_an_edited_file_is_noticed(empty_database: str, folder: Path) -> None:
    migrate(empty_database, folder)
    (folder / "0002_more.sql").write_text("alter table notes add seen int;")
    with pytest.raises(MigrationChanged, match="0002_more"):
        pending(empty_database, folder)


def test_a_database_from_before_the_first_release_says_to_start_with_an_empty_one(
    empty_database: str, tmp_path: Path
) -> None:
    (tmp_path / "0001_accounts.sql").write_text("create table accounts ();")
    migrate(empty_database, tmp_path)
    with pytest.raises(MigrationChanged, match="remove the folder and start again"):
        migrate(empty_database)


def test_a_migration_that_was_killed_locks_nobody_out(empty_database: str, folder: Path) -> None:
    (folder / "0003_killed.sql").write_text("select pg_terminate_backend(pg_backend_pid());")
    with pytest.raises(psycopg.OperationalError):
        migrate(empty_database, folder)
    (folder / "0003_killed.sql").write_text("create table survived ();")
    assert migrate(empty_database, folder) == ["0003_killed"]


def test_an_index_whose_building_was_killed_is_built_anew(
    empty_database: str, folder: Path
) -> None:
    migrate(empty_database, folder)
    with db.connect(empty_database, role=None) as connection:
        connection.execute("insert into notes values (2)")
        connection.execute("update notes set body = 'twice'")
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute(INDEX)
        connection.execute("delete from notes where id = 2")
        (folder / "0003_index.sql").write_text(INDEX)
        migrate(empty_database, folder)
        valid = "select indisvalid from pg_index where indexrelid = 'notes_body'::regclass"
        assert connection.execute(valid).fetchall() == [(True,)]


def test_an_index_that_cannot_be_built_leaves_nothing(empty_database: str, folder: Path) -> None:
    migrate(empty_database, folder)
    (folder / "0003_index.sql").write_text(INDEX)
    with db.connect(empty_database, role=None) as connection:
        connection.execute("insert into notes values (2, 'a;b')")
        with pytest.raises(psycopg.errors.UniqueViolation):
            migrate(empty_database, folder)
        assert connection.execute("select to_regclass('notes_body')").fetchone() == (None,)


def test_batches_are_repeated_until_nothing_is_left(empty_database: str, folder: Path) -> None:
    (folder / "0003_fill.sql").write_text("insert into notes select generate_series(2, 25);")
    (folder / "0004_seen.sql").write_text(BATCHES)
    migrate(empty_database, folder)
    with db.connect(empty_database, role=None) as connection:
        batches = "select count(*), count(distinct xmin::text) from notes where seen"
        assert connection.execute(batches).fetchone() == (25, 3)


def test_a_table_in_use_is_waited_for_in_short_turns(
    empty_database: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.core.db.migrate.LOCK_SECONDS", 0.05)
    monkeypatch.setattr("app.core.db.migrate.PAUSE_SECONDS", (0.0, 0.02))
    migrate(empty_database, folder)
    (folder / "0003_late.sql").write_text("alter table notes add late bool;")
    with (
        ThreadPoolExecutor(1) as pool,
        db.connect(empty_database, role=None) as reader,
        db.connect(empty_database, role=None) as other,
    ):
        with reader.transaction():
            reader.execute("select count(*) from notes")
            migrating = pool.submit(migrate, empty_database, folder)
            tries: set[str] = set()
            servers.until(lambda: tries.update(_waiting(other)) or len(tries) > 1)
            other.execute("select count(*) from notes")  # does not wait behind it for long
        assert migrating.result(PATIENCE_SECONDS) == ["0003_late"]


def test_a_table_that_stays_in_use_is_named_and_left_as_it_was(
    empty_database: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.core.db.migrate.LOCK_SECONDS", 0.05)
    migrate(empty_database, folder)
    (folder / "0003_late.sql").write_text("alter table notes add late bool;")
    with db.connect(empty_database, role=None) as reader, reader.transaction():
        reader.execute("select count(*) from notes")
        with pytest.raises(psycopg.errors.LockNotAvailable) as caught:
            migrate(empty_database, folder, patience_seconds=0.0)
    assert "0003_late.sql: somebody held a table" in db.summary(caught.value)


def test_what_a_removal_needs_is_written_down(empty_database: str, folder: Path) -> None:
    migrate(empty_database)
    (folder / "0003_gone.sql").write_text(
        "-- unused since 9.0.0: notes.seen\nalter table notes drop column seen;"
    )
    migrate(empty_database, folder)
    with pytest.raises(schema.WrongSchema, match=r"start 9\.0\.0 or newer"):
        schema.require(empty_database)


def test_no_process_starts_before_the_migration(empty_database: str) -> None:
    with pytest.raises(schema.WrongSchema, match="run `citegrid-server migrate`"):
        schema.require(empty_database)


def test_a_process_starts_on_a_migrated_database(database: str) -> None:
    schema.require(database)


def _waiting(connection: psycopg.Connection) -> set[str]:
    """The transactions that wait for a lock."""
    query = "select virtualtransaction from pg_locks where not granted"
    return {row[0] for row in connection.execute(query).fetchall()}


REMOVAL = "-- unused since 0.2.0: notes.body\nalter table notes drop column body;"
WORKERS = """
    create table workers (name text, version text, seen_at timestamptz default now());
    insert into workers values ('a:searches', '0.1.9'), ('b:searches', '0.2.0');
    insert into workers values ('c:searches', '0.1.0', now() - interval '1 hour')
    """


def test_workers_that_a_migration_would_break_are_named_before(
    empty_database: str, folder: Path
) -> None:
    migrate(empty_database, folder)
    with psycopg.connect(empty_database) as connection:
        connection.execute(WORKERS)
    assert outdated(empty_database, folder) == []
    (folder / "0003_less.sql").write_text(REMOVAL)
    assert outdated(empty_database, folder) == ["a:searches (0.1.9)"]
