"""A right that the database refuses is an error in the log, a count, and a line of `doctor`."""

import io
import json
from collections.abc import Callable
from dataclasses import replace

import psycopg
import pytest
import redis
from prometheus_client import REGISTRY

from app.core import db
from app.core.config.settings import Settings
from app.core.db import rights, roles
from app.core.db.migrate import FOLDER
from app.local.doctor.database import examine_refused, examine_rights
from tests import parts
from tests.databases import become_owner

Refuse = Callable[[], None]


@pytest.fixture
def settings(settings: Settings, patient_redis_url: str) -> Settings:
    return replace(settings, redis_url=patient_redis_url)


@pytest.fixture
def refuse(database: str) -> Refuse:
    """Has the database refuse the API something, of which the code that tried says nothing."""

    def refuse() -> None:
        try:
            with parts.api(), db.transaction() as tx:
                tx.execute("delete from jobs")
        except psycopg.Error:
            return

    return refuse


def _errors(log_lines: io.StringIO) -> list[dict[str, str]]:
    lines = [json.loads(line) for line in log_lines.getvalue().splitlines()]
    return [line for line in lines if line["level"] == "error"]


@pytest.mark.usefixtures("app")
def test_a_refused_right_is_logged_counted_and_named_by_the_doctor(
    settings: Settings, refuse: Refuse, log_lines: io.StringIO
) -> None:
    def count() -> float:
        of_api = {"role": "citegrid_api"}
        return REGISTRY.get_sample_value("citegrid_rights_refused_total", of_api) or 0

    before = count()
    refuse()
    assert count() == before + 1
    (error,) = _errors(log_lines)
    assert (error["event"], error["role"]) == ("right refused", "citegrid_api")
    assert error["problem"] == "permission denied for table jobs"
    refuse()
    with redis.Redis.from_url(settings.redis_url) as client:
        (finding,) = examine_refused(client)
    assert finding.verdict == "fail"
    assert "2 times" in finding.what
    assert "citegrid_api: permission denied for table jobs" in finding.what


def test_a_refused_right_of_a_connection_of_its_own_is_an_error_too(
    database: str, log_lines: io.StringIO
) -> None:
    with (
        db.connect(database, role=roles.workers("citegrid_app")) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("select password_hash from accounts")
    assert [error["role"] for error in _errors(log_lines)] == ["citegrid_worker"]


def test_a_refused_right_in_a_pipeline_is_an_error_too(
    database: str, log_lines: io.StringIO
) -> None:
    with (
        pytest.raises(psycopg.errors.InsufficientPrivilege),
        parts.api(),
        db.transaction(pipeline=True) as tx,
    ):
        db.send(tx, "delete from jobs")
    assert [error["event"] for error in _errors(log_lines)] == ["right refused"]


def test_the_doctor_names_the_rights_that_are_missing(settings: Settings) -> None:
    missing = {
        "insert on offer_minutes from citegrid_api": "citegrid_api may not insert offer_minutes",
        "update on api_keys from citegrid_worker": "citegrid_worker may not update api_keys",
        "delete on jobs from citegrid_app": "citegrid_app may not delete jobs",
        "execute on function ledger_post from citegrid_api": "citegrid_api may not execute "
        "ledger_post",
    }
    for right, missed in missing.items():
        with db.transaction() as tx:
            become_owner(tx)
            tx.execute(f"revoke {right}".encode())
            finding = examine_rights(tx, settings)
            assert (finding.verdict, missed in finding.what) == ("fail", True)
            raise psycopg.Rollback


def test_the_doctor_is_content_with_the_rights_that_migrating_grants(settings: Settings) -> None:
    with db.reading() as reader:
        finding = examine_rights(reader, settings)
    assert finding.verdict == "ok", finding.what


def test_a_table_that_is_missing_gives_no_right(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as owner:
        owner.execute("drop table corpus_links")
        assert "citegrid_worker may not select corpus_links" in rights.lacking(
            owner, FOLDER, "citegrid_app"
        )
