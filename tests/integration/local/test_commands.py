"""status, doctor and migrate, as typed."""

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli import main
from app.core import db
from app.domains.queue.jobs.operations import worker_store, workers
from app.local.embedded import probe
from app.local.embedded.state import DataFolder, LocalRun
from tests.integration.local.conftest import Run

RUN = LocalRun(pid=1, url="http://127.0.0.1:9", demo_key="it's a key", environment={})
VARIABLES = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY")


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


@pytest.fixture
def running(folder: DataFolder) -> Iterator[DataFolder]:
    with folder.hold():
        folder.announce(RUN)
        yield folder


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, empty_database: str, redis_url: str) -> None:
    for name, value in zip(VARIABLES, (empty_database, redis_url, "x" * 32), strict=True):
        monkeypatch.setenv(name, value)


def type_in(folder: DataFolder, *words: str) -> Result:
    return CliRunner().invoke(main, [*words, "--data", str(folder.path)])


def test_status_is_quoted_for_a_shell_and_json_for_a_program(running: DataFolder) -> None:
    assert type_in(running, "status", "-o", "env").output == (
        "export SERVICE_BASE_URL=http://127.0.0.1:9\nexport SERVICE_API_KEY='it'\"'\"'s a key'\n"
    )
    result = type_in(running, "status", "-o", "json")
    assert json.loads(result.output) == {
        "url": "http://127.0.0.1:9",
        "api_key": "it's a key",
        "pid": 1,
        "status": "unreachable",
    }


def test_status_fails_where_the_service_does_not_answer(running: DataFolder) -> None:
    assert [type_in(running, "status", "-o", form).exit_code for form in ("text", "json")] == [1, 1]


def test_status_fails_where_a_part_of_the_service_is_missing(
    running: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for redis, code in (("ok", 0), ("away", 1)):
        report = {"status": "ready", "database": "ok", "redis": redis, "dispatchers": "ok"}
        monkeypatch.setattr(probe, "readiness", lambda _url, report=report: report)
        assert type_in(running, "status").exit_code == code


@pytest.mark.usefixtures("environment")
def test_status_without_a_run_is_of_the_service_that_the_environment_names(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_BASE_URL", "http://127.0.0.1:9")
    result = type_in(folder, "status", "-o", "json")
    assert json.loads(result.output) == {"url": "http://127.0.0.1:9", "status": "unreachable"}


def test_status_without_a_run_says_how_to_start_one(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    result = type_in(folder, "status")
    assert (result.exit_code, "citegrid-server up" in result.output) == (1, True)


def test_a_second_up_says_where_the_first_is(running: DataFolder) -> None:
    result = type_in(running, "up")
    assert (result.exit_code, RUN.url in result.output) == (1, True)


@pytest.mark.usefixtures("environment")
def test_migrate_tells_what_it_applied_and_then_that_nothing_is_left(folder: DataFolder) -> None:
    first, second = type_in(folder, "migrate"), type_in(folder, "migrate")
    assert first.output.startswith("applied 0001_role\n")
    assert second.output == "No pending migrations.\n"


@pytest.mark.usefixtures("environment")
def test_doctor_fails_over_a_missing_migration_and_says_what_to_do(folder: DataFolder) -> None:
    result = type_in(folder, "doctor")
    assert result.exit_code == 1
    assert re.search(r"Pending migrations: \d+  \(citegrid-server migrate\)", result.output)


def test_doctor_misses_dispatchers_and_workers(run: Run) -> None:
    result = run("doctor")
    fails = [line.split("  ")[1] for line in result.output.splitlines() if line.startswith("fail")]
    assert fails == ["No active dispatcher", "No active workers"]


def test_doctor_counts_no_worker_that_takes_no_jobs(run: Run) -> None:
    with db.transaction() as tx:
        for id in ("host:1", "host:2"):
            worker_store.beat(tx, worker_store.Beat(id, f"{id}:rows", ["searches"], 1, "0.1"))
        workers.drain(tx, "host:1")
    assert "Active workers: 1\n" in run("doctor").output


def test_doctor_names_every_missing_variable(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    result = type_in(folder, "doctor")
    assert result.exit_code == 1
    assert [name for name in VARIABLES if name in result.output] == list(VARIABLES)


def test_servers_that_do_not_answer_are_told_without_their_passwords(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    monkeypatch.setenv("DATABASE_URL", f"postgresql://me:hunter2@127.0.0.1:{port}/x")
    monkeypatch.setenv("REDIS_URL", f"redis://:hunter2@127.0.0.1:{port}/0")
    monkeypatch.setenv("SECRET_KEY", "x" * 32)
    examined, command = type_in(folder, "doctor").output, type_in(folder, "index", "list").output
    assert "Postgres is unavailable" in examined
    assert "Redis is unavailable" in examined
    assert "Connection refused" in command
    assert "hunter2" not in examined + command


@pytest.mark.usefixtures("environment")
def test_a_database_error_keeps_its_first_line(folder: DataFolder, empty_database: str) -> None:
    with db.connect(empty_database, role=None) as connection:
        connection.execute("create table schema_migrations (nothing_we_know int)")
    result = type_in(folder, "migrate")
    assert result.output == 'Error: column "name" does not exist\n'


@pytest.mark.usefixtures("environment")
def test_a_command_before_any_migration_says_what_is_missing(folder: DataFolder) -> None:
    result = type_in(folder, "index", "list")
    assert "does not exist (run citegrid-server doctor for details)" in result.output
