"""The embedded Postgres, started and stopped for real."""

import os
import signal
import stat
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from app.local.embedded import system_user
from app.local.embedded.children import ServerFailed, alive
from app.local.embedded.postgres import Postgres
from tests import servers

ROOT = Path(__file__).parents[3]


@pytest.fixture
def home() -> Iterator[Path]:
    with servers.folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def cluster() -> Iterator[Path]:
    """What the server makes at its first start, which takes longer than all else here."""
    with servers.folder() as folder:
        with server(folder) as running:
            data = running.data
        yield data


@pytest.fixture
def made(home: Path, cluster: Path) -> Path:
    """A folder with the data of a server that ran before."""
    subprocess.run(["cp", "-a", cluster, home / "pg"], check=True)
    return home


def server(home: Path, name: str = "pg") -> Postgres:
    return Postgres(home / name, log=home / "pg.log", durable=False)


def ask(url: str, sql: str) -> object:
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(sql.encode()).fetchone()
    return row[0] if row else None


def test_what_was_written_is_there_after_a_restart(made: Path) -> None:
    with server(made) as first, psycopg.connect(first.url()) as connection:
        connection.execute("create table kept as select 7 as n")
    with server(made) as second:
        assert ask(second.url(), "select n from kept") == 7


def test_only_its_own_account_may_enter_its_folder(cluster: Path) -> None:
    assert stat.S_IMODE(cluster.stat().st_mode) == 0o700


def test_it_is_for_this_machine_alone_and_sorts_text_as_on_every_other(postgres: Postgres) -> None:
    assert ask(postgres.url(), "show listen_addresses") == ""
    assert ask(postgres.url(), "show server_encoding") == "UTF8"
    assert ask(postgres.url(), "select datlocale from pg_database limit 1") == "C.UTF-8"


def test_data_is_durable_unless_a_test_says_otherwise(made: Path) -> None:
    with Postgres(made / "pg", log=made / "pg.log") as running:
        assert ask(running.url(), "show fsync") == "on"


def test_stopping_ends_the_process_without_waiting_for_clients(made: Path) -> None:
    running = server(made).start()
    pid = running.pid
    with psycopg.connect(running.url()) as connection:
        running.stop(grace_seconds=5)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("select 1")
    assert (alive(pid), running.pid, running.running) == (False, 0, False)
    assert "received fast shutdown" in (made / "pg.log").read_text()
    assert "immediate shutdown" not in (made / "pg.log").read_text()


def test_an_interrupted_creation_in_a_path_with_spaces_quotes_and_commas_is_begun_again(
    home: Path,
) -> None:
    name = 'it\'s a "path" of Müller, Söhne %41'
    half = home / f"{name}.new"
    (half / "base").mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    with server(home, name) as running:
        assert ask(running.url(), "select 1") == 1


def test_a_path_too_long_for_a_socket_works(made: Path) -> None:
    (made / "pg").rename(made / ("x" * 120))
    with server(made, "x" * 120) as running:
        assert ask(running.url(), "select 1") == 1
        folder = running._socket_folder
    assert folder is not None
    assert not folder.exists()


def test_a_killed_server_starts_again(made: Path) -> None:
    running = server(made).start()
    os.kill(running.pid, signal.SIGKILL)
    assert running._process is not None
    running._process.wait()
    with server(made) as again:
        assert ask(again.url(), "select 1") == 1


def test_a_stale_lock_with_the_number_of_another_program_is_forgotten(made: Path) -> None:
    with server(made) as running:
        lock = (running.data / "postmaster.pid").read_text().splitlines()
    lock[0] = str(os.getpid())
    stale = running.data / "postmaster.pid"
    stale.write_text("\n".join(lock) + "\n")
    stale.chmod(0o600)
    with server(made) as again:
        assert ask(again.url(), "select 1") == 1


def test_a_server_left_behind_is_taken_over_and_stopped(made: Path) -> None:
    orphan = server(made).start()
    heir = server(made).start()
    assert heir.pid == orphan.pid
    heir.stop()
    assert orphan.running is False


def test_a_server_that_cannot_start_says_why(made: Path) -> None:
    (made / "pg" / "postgresql.conf").write_text("no_such_setting = 1\n")
    with pytest.raises(ServerFailed, match="no_such_setting"):
        server(made).start()
    (made / "pg" / "PG_VERSION").write_text("15\n")
    with pytest.raises(ServerFailed, match="made by Postgres 15"):
        server(made).start()


def test_it_ends_when_the_process_that_started_it_is_killed(made: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from app.local.embedded.postgres import Postgres\n"
        "home = Path(sys.argv[1])\n"
        "print(Postgres(home / 'pg', log=home / 'l', durable=False).start().pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    parent = subprocess.run(
        [sys.executable, "-c", code, made], cwd=ROOT, stdout=subprocess.PIPE, check=False
    )
    servers.until(lambda: not alive(int(parent.stdout)))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")
def test_root_runs_it_as_somebody_else(postgres: Postgres) -> None:
    assert Path(f"/proc/{postgres.pid}").stat().st_uid != 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")
def test_root_moves_data_and_programs_out_of_a_closed_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_user, "OPEN_PLACE", home / "open")
    monkeypatch.setattr(system_user, "reachable", lambda path: False)
    closed = home / "closed"
    closed.mkdir(mode=0o700)
    with server(closed) as running:
        assert running.data.is_relative_to(home / "open")
        program = Path(f"/proc/{running.pid}/exe").readlink()
        assert program.is_relative_to(home / "open")


def test_an_ordinary_user_needs_nobody_else(home: Path) -> None:
    python = Path(f"/usr/bin/python3.{sys.version_info.minor}")
    if os.geteuid() == 0 and not (python.exists() and Path("/usr/bin/setpriv").exists()):
        pytest.skip("needs setpriv and a Python that nobody may run")
    become = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", str(python)]
    mine = system_user.owned_folder(home / "mine", system_user.unprivileged())
    code = (
        "import sys; from pathlib import Path; from app.local.embedded.postgres import Postgres\n"
        "home = Path(sys.argv[1])\n"
        "with Postgres(home / 'pg', log=home / 'l', durable=False) as server: print(server.data)"
    )
    run = subprocess.run(
        [*(become if os.geteuid() == 0 else [sys.executable]), "-c", code, mine],
        env={"PYTHONPATH": f"{ROOT}:{sysconfig.get_path('purelib')}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.strip() == str(mine / "pg"), run.stderr
