"""`citegrid` against real servers; as a process where that is what is shown."""

import io
import json
import os
import pty
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from citegrid import Client
from citegrid.cli.main import commands
from citegrid.errors import AuthRevokedToken
from click.testing import CliRunner

from app.core.config.settings import environment
from tests.integration.client.conftest import EMAIL, PASSWORD, QUESTION, Server
from tests.patience import PATIENCE_SECONDS

PROGRAM = str(Path(sys.executable).with_name("citegrid"))
OURS = ("SERVICE_BASE_URL", "SERVICE_API_KEY", "CITEGRID_PROFILE", "CITEGRID_LOG")


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Shell:
    """Runs `citegrid` in this process, or starts it, with an environment of its own."""

    home: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        kept = {"PATH": environment()["PATH"], "LANG": "C.UTF-8", "TERM": "xterm"}
        return {**kept, "XDG_CONFIG_HOME": str(self.home), **self.variables}

    def __call__(self, *arguments: str, stdin: str = "") -> Ended:
        given = {**dict.fromkeys(OURS), **self.environment}
        done = CliRunner(env=given).invoke(commands, arguments, input=stdin, prog_name="citegrid")
        return Ended(done.exit_code, done.stdout, done.stderr)

    def start(self, *arguments: str, stderr: Any = subprocess.PIPE) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [PROGRAM, *arguments],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )


@pytest.fixture
def nobody(tmp_path: Path) -> Shell:
    """A shell that knows no server."""
    return Shell(tmp_path)


def shell_of(server: Server, home: Path) -> Shell:
    """With the address of a server and the key for it."""
    return Shell(home, {"SERVICE_BASE_URL": server.url, "SERVICE_API_KEY": server.api_key})


@pytest.fixture
def run(server: Server, tmp_path: Path) -> Shell:
    """Of the deployed server."""
    return shell_of(server, tmp_path)


@pytest.fixture
def idle(idle_server: Server, tmp_path: Path, log_lines: io.StringIO) -> Shell:
    """Of a server that finishes no search."""
    return shell_of(idle_server, tmp_path)


def test_asking_prints_the_answer_its_sources_and_their_quotes(run: Shell) -> None:
    done = run("ask", "-", stdin=QUESTION)
    assert done.code == 0
    answer, _, source = done.out.partition("\n\n[1] ")
    assert "four to seven eggs" in answer
    assert source.startswith("Barn owls\n    https://birds.example.org/owls\n    quality 0.")
    assert "“A clutch holds four to seven eggs" in source


def test_a_detached_search_is_an_id_that_can_be_waited_for(run: Shell) -> None:
    id = run("ask", "--detach", QUESTION).out.strip()
    done = run("search", "wait", id)
    assert (done.code, "four to seven eggs" in done.out) == (0, True)


def test_a_quote_opens_in_its_page_and_is_found(run: Shell) -> None:
    id = run("ask", "--json", QUESTION).json["id"]
    done = run("open", id, "1")
    assert done.code == 0
    quote = done.out.partition(">>>")[2].partition("<<<")[0]
    assert "A clutch holds four to seven eggs, which hatch after 30 days." in quote
    assert "quote found in the stored page" in done.err


def test_events_as_json_are_an_object_a_line(run: Shell) -> None:
    id = run("search", "start", QUESTION).out.strip()
    lines = run("search", "events", id, "--json").out.splitlines()
    assert json.loads(lines[-1])["event"] == "completed"


def test_a_search_can_be_cancelled(idle: Shell) -> None:
    id = idle("search", "start", QUESTION).out.strip()
    assert idle("search", "cancel", id).out == f"{id} cancelled\n"
    assert idle("search", "get", id).code == 1


def test_a_timeout_exits_with_124_and_the_search_goes_on(idle: Shell) -> None:
    done = idle("ask", "--timeout", "0.2", QUESTION)
    assert (done.code, done.out) == (124, "")
    assert "citegrid search wait srch_" in done.err
    assert idle("search", "list", "--status", "running", "--json").json["searches"]


def test_an_interrupt_exits_with_130_says_how_to_go_on_and_cancels_nothing(idle: Shell) -> None:
    with idle.start("ask", QUESTION) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "Running\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, out) == (130, "")
    (listed,) = idle("search", "list", "--status", "running", "--json").json["searches"]
    assert f"citegrid search wait {listed['id']}" in err
    assert f"citegrid search cancel {listed['id']}" in err


def test_a_refusal_ends_with_its_request_and_the_next_command(run: Shell) -> None:
    run.variables["SERVICE_API_KEY"] = ""
    lines = run("search", "list").err.splitlines()
    assert "(auth_no_token, request req_" in lines[0]
    assert lines[1] == "try:  citegrid login  # or set SERVICE_API_KEY"


def test_status_says_that_all_works_and_who_asks(run: Shell) -> None:
    found = run("status", "--json").json
    assert (found["api"], found["database"], found["signed_in"]) == (
        "ok",
        "ok",
        "API key",
    )


def login(home: Path, server: Server) -> Shell:
    done = Shell(home)("login", "--email", EMAIL, "--base-url", server.url, stdin=f"{PASSWORD}\n")
    assert done.code == 0, done.err
    return Shell(home)


@pytest.fixture(scope="module")
def signed_in(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Shell:
    return login(tmp_path_factory.mktemp("signed-in"), server)


def test_a_login_is_kept_with_its_server_for_its_owner_only(
    signed_in: Shell, server: Server
) -> None:
    found = signed_in("status", "--json").json
    assert (found["server"], found["signed_in"]) == (server.url, EMAIL)
    kept = signed_in.home / "citegrid" / "credentials.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert PASSWORD not in kept.read_text()


def test_a_wrong_password_is_not_kept(nobody: Shell, server: Server) -> None:
    nobody.variables["SERVICE_BASE_URL"] = server.url
    done = nobody("login", "--email", EMAIL, stdin="wrong wrong wrong\n")
    assert (done.code, list(nobody.home.iterdir())) == (4, [])


def test_an_api_key_can_be_kept(nobody: Shell, server: Server) -> None:
    nobody.variables["SERVICE_BASE_URL"] = server.url
    assert nobody("login", "--key", stdin=f"{server.api_key}\n").code == 0
    assert nobody("search", "list").code == 0


def test_a_logout_ends_the_session_on_the_server(tmp_path: Path, server: Server) -> None:
    signed_in, kept = login(tmp_path, server), tmp_path / "citegrid" / "credentials.json"
    token = json.loads(kept.read_text())["access_token"]
    assert signed_in("logout").code == 0
    assert not kept.exists()
    with Client(server.url, access_token=token) as client, pytest.raises(AuthRevokedToken):
        client.accounts.get()


def test_a_new_key_is_all_of_stdout_and_works(signed_in: Shell, run: Shell) -> None:
    done = signed_in("keys", "create", "nightly", "--scope", "search", "--days", "3")
    run.variables["SERVICE_API_KEY"] = done.out.strip()
    assert run("search", "list").code == 0
    assert done.out.strip() not in done.err


def test_revoking_asks_and_without_a_terminal_needs_yes(signed_in: Shell) -> None:
    made = signed_in("keys", "create", "short", "--json").json["api_key"]["id"]
    assert signed_in("keys", "revoke", made).code == 2
    assert signed_in("keys", "revoke", made, "--yes").code == 0
    listed = signed_in("keys", "list").out.splitlines()
    assert [line.split("\t")[4] for line in listed if line.startswith(made)] == ["revoked"]


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal: ours and the program's."""
    ours, theirs = pty.openpty()
    yield ours, theirs
    os.close(ours)


def _shown(ours: int) -> str:
    found = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # Linux says so when the other end is closed
            return found.decode()
        found += piece


def test_progress_is_drawn_on_a_terminal_and_stdout_stays_clean(
    run: Shell, terminal: tuple[int, int]
) -> None:
    ours, theirs = terminal
    with run.start("ask", "--json", QUESTION, stderr=theirs) as process:
        os.close(theirs)
        shown = _shown(ours)
        assert process.stdout is not None
        assert json.loads(process.stdout.read())["status"] == "completed"
    assert "\x1b[" in shown
