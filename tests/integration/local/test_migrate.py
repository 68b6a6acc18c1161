"""Migrations on a real Postgres."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from app.core import db
from app.core.migrate import MigrationChanged, migrate, pending

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "0001_notes.sql").write_text(TRICKY)
    (tmp_path / "0002_more.sql").write_text("alter table notes add seen bool;")
    return tmp_path


def test_files_are_applied_in_the_order_of_their_names(empty_database: str, folder: Path) -> None:
    assert migrate(empty_database, folder) == ["0001_notes", "0002_more"]


def test_functions_and_comments_with_semicolons_arrive_whole(
    empty_database: str, folder: Path
) -> None:
    migrate(empty_database, folder)
    with db.connect(empty_database) as connection:
        assert connection.execute("select twice(21)").fetchone() == (42,)


def test_a_second_run_finds_nothing_to_do(empty_database: str, folder: Path) -> None:
    migrate(empty_database, folder)
    assert migrate(empty_database, folder) == []


def test_pending_names_what_is_missing_without_changing_anything(
    empty_database: str, folder: Path
) -> None:
    assert pending(empty_database, folder) == ["0001_notes", "0002_more"]
    assert pending(empty_database, folder) == ["0001_notes", "0002_more"]


def test_four_at_once_apply_each_file_once(empty_database: str, folder: Path) -> None:
    (folder / "0003_slow.sql").write_text("select pg_sleep(0.2); create table slow ();")
    with ThreadPoolExecutor(4) as pool:
        applied = list(pool.map(lambda _: migrate(empty_database, folder), range(4)))
    assert sorted(applied) == [[], [], [], ["0001_notes", "0002_more", "0003_slow"]]


def test_a_failing_file_leaves_nothing_of_itself_and_all_before_it(
    empty_database: str, folder: Path
) -> None:
    (folder / "0003_bad.sql").write_text("create table bad (); select no_such_function();")
    with pytest.raises(psycopg.errors.UndefinedFunction) as caught:
        migrate(empty_database, folder)
    assert caught.value.__notes__ == ["while applying 0003_bad.sql"]
    assert pending(empty_database, folder) == ["0003_bad"]
    with db.connect(empty_database) as connection:
        assert connection.execute("select to_regclass('bad')").fetchone() == (None,)


def test_an_edited_file_is_noticed(empty_database: str, folder: Path) -> None:
    migrate(empty_database, folder)
    (folder / "0002_more.sql").write_text("alter table notes add seen int;")
    with pytest.raises(MigrationChanged, match="0002_more"):
        pending(empty_database, folder)


def test_a_migration_that_was_killed_locks_nobody_out(empty_database: str, folder: Path) -> None:
    (folder / "0003_killed.sql").write_text("select pg_terminate_backend(pg_backend_pid());")
    with pytest.raises(psycopg.OperationalError):
        migrate(empty_database, folder)
    (folder / "0003_killed.sql").write_text("create table survived ();")
    assert migrate(empty_database, folder) == ["0003_killed"]


def test_the_tables_of_the_product_apply_to_an_empty_database(empty_database: str) -> None:
    migrate(empty_database)
    assert pending(empty_database) == []
