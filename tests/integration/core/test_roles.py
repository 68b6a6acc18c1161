"""The role that the service works as."""

from collections.abc import Callable
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from app.core import db
from app.core.config.settings import Settings
from app.core.db import roles
from app.core.db.migrate import migrate
from app.local.doctor import doctor
from app.local.embedded.postgres import Postgres
from tests.databases import assert_refused

Made = Callable[[str, str], None]


@pytest.fixture
def make_role(postgres: Postgres) -> Made:
    """Makes a role of the server, which ends with the tests."""

    def make(name: str, powers: str) -> None:
        with psycopg.connect(postgres.url(), autocommit=True) as connection:
            connection.execute(f"drop role if exists {name}")
            connection.execute(f"create role {name} {powers}")

    return make


def test_every_connection_works_as_the_role_which_may_vacuum_and_not_migrate(
    database: str,
) -> None:
    with db.reading() as reader:
        assert db.value(reader, "select current_user") == "citegrid_app"
        may = "select has_table_privilege('lexical_blocks', 'maintain')"
        assert db.value(reader, may)
    assert_refused(database, "citegrid_app", "alter table accounts add column more int")
    assert_refused(database, "citegrid_app", "delete from schema_migrations")


def test_tables_of_later_migrations_are_granted(empty_database: str, tmp_path: Path) -> None:
    migrate(empty_database)
    (tmp_path / "9999_later.sql").write_text("create table later (n bigserial)")
    migrate(empty_database, tmp_path)
    with db.connect(empty_database) as connection:
        connection.execute("insert into later default values")


def test_a_superuser_is_refused(database: str) -> None:
    with pytest.raises(roles.UnsafeRole, match="postgres is a superuser"):
        db.require_role(database, ("postgres",))


def test_a_role_beyond_row_security_is_refused(database: str, make_role: Made) -> None:
    make_role("unbound", "bypassrls")
    with pytest.raises(roles.UnsafeRole, match="unbound has BYPASSRLS"):
        db.require_role(database, ("unbound",))


def test_the_owner_of_the_tables_is_refused(empty_database: str, make_role: Made) -> None:
    make_role("landlord", "")
    with psycopg.connect(empty_database, autocommit=True) as connection:
        connection.execute("create table land (n int)")
        connection.execute("alter table land owner to landlord")
    with pytest.raises(roles.UnsafeRole, match="landlord owns tables"):
        db.require_role(empty_database, ("landlord",))


def test_a_missing_role_says_to_migrate(database: str) -> None:
    with pytest.raises(roles.UnsafeRole, match="run `citegrid-server migrate`"):
        db.require_role(database, ("nobody_made_this",))


def test_who_may_not_take_the_role_is_told_what_to_run(database: str, make_role: Made) -> None:
    make_role("visitor", "login")
    with pytest.raises(roles.UnsafeRole, match="run `grant citegrid_app to visitor`"):
        db.require_role(make_conninfo(database, user="visitor"), roles.DEFAULT)


def test_a_pool_gives_no_connection_of_a_superuser(database: str) -> None:
    db.close()
    db.open(database, role=("postgres",), wait_seconds=0.5)
    with pytest.raises(psycopg.OperationalError), db.reading():
        pass


def test_a_database_that_is_away_refuses_nothing() -> None:
    db.require_role("postgresql://me@127.0.0.1:9/x", roles.DEFAULT)


def test_migrating_without_the_right_to_make_roles_says_what_to_run(
    empty_database: str, make_role: Made
) -> None:
    make_role("tenant", "login")
    with psycopg.connect(empty_database, autocommit=True) as connection:
        connection.execute("grant create on schema public to tenant")
    login = make_conninfo(empty_database, user="tenant")
    with pytest.raises(psycopg.Error) as caught:
        migrate(login, role="of_tenant")
    assert (
        'run "create role of_tenant nologin; grant of_tenant to tenant" as a superuser'
        in db.summary(caught.value)
    )
    make_role("of_tenant", "nologin role tenant")
    migrate(login, role="of_tenant")
    db.require_role(login, ("of_tenant",))


def test_the_api_and_the_workers_have_a_role_each(database: str) -> None:
    parts = (roles.api("citegrid_app"), roles.workers("citegrid_app"))
    taken = [db.require_role(database, names) for names in parts]
    assert taken == ["citegrid_api", "citegrid_worker"]


def test_installations_that_share_a_server_have_roles_of_their_own() -> None:
    assert roles.api("other_app") == ("other_api", "other_app")


def test_without_a_role_of_its_own_a_part_works_as_the_role_of_before(
    database: str, make_role: Made
) -> None:
    make_role("old_login", "login in role citegrid_app")
    login = make_conninfo(database, user="old_login")
    assert db.require_role(login, roles.api("citegrid_app")) == "citegrid_app"
    with db.connect(login, role=roles.api("citegrid_app")) as connection:
        assert connection.execute("select current_user").fetchone() == ("citegrid_app",)


def test_a_login_of_one_part_needs_no_other_role(database: str, make_role: Made) -> None:
    make_role("web_login", "login in role citegrid_api")
    login = make_conninfo(database, user="web_login")
    assert db.require_role(login, roles.api("citegrid_app")) == "citegrid_api"
    with pytest.raises(roles.UnsafeRole, match="web_login may not take"):
        db.require_role(login, roles.workers("citegrid_app"))


REFUSED: dict[str, tuple[LiteralString, ...]] = {
    "citegrid_worker": (
        "select password_hash from accounts",
        "select digest from api_keys",
        "select digest from tokens",
        "select reply from idempotency_keys",
        "select token_digest from nodes",
        "insert into accounts (id, email, password_hash) values (gen_random_uuid(), 'a', 'b')",
        "delete from accounts",
    ),
    "citegrid_api": (
        "delete from accounts",
        "delete from jobs",
        "select from web_pages",
        "update provider_offer_prices set input_rate = 0",
        "insert into ledger_entries default values",
        "insert into schema_migrations values ('x', 'y')",
    ),
}


@pytest.mark.parametrize("role", list(REFUSED))
def test_what_a_role_does_not_need_it_is_refused(database: str, role: str) -> None:
    for statement in REFUSED[role]:
        assert_refused(database, role, statement)


def test_roles_of_another_name_made_after_the_migrations_get_the_same_rights(
    empty_database: str,
) -> None:
    migrate(empty_database, role="late_app")
    with psycopg.connect(empty_database, autocommit=True) as owner:
        owner.execute("drop owned by late_api; drop role late_api; create role late_api nologin")
    migrate(empty_database, role="late_app")
    for name in ("late_app", "late_api"):
        with db.connect(empty_database, role=(name,)) as connection:
            assert connection.execute("select count(*) from accounts").fetchone() == (0,)
    with (
        db.connect(empty_database) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("select from accounts")


@pytest.fixture
def settings_of_before(database: str, make_role: Made) -> Settings:
    """Of an installation whose login may take DATABASE_ROLE only."""
    make_role("old_login", "login in role citegrid_app")
    login = make_conninfo(database, user="old_login")
    return Settings(database_url=login, redis_url="redis://127.0.0.1:9", secret_key="x" * 32)


def test_the_doctor_warns_of_processes_that_may_do_what_either_may(
    settings_of_before: Settings,
) -> None:
    finding = doctor._role(settings_of_before)
    assert finding.verdict == "warn"
    assert "work as citegrid_app" in finding.what
    assert "citegrid_api, citegrid_worker" in finding.hint


def test_the_doctor_has_nothing_to_say_of_roles_that_are_apart(database: str) -> None:
    settings = Settings(database_url=database, redis_url="redis://127.0.0.1:9", secret_key="x" * 32)
    finding = doctor._role(settings)
    assert (finding.verdict, "citegrid_api and citegrid_worker" in finding.what) == ("ok", True)
