"""What is loaded before anything is done, and that Ctrl-C ends `citegrid` at any moment."""

import json
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from answers import RUNNING

import citegrid

LIMIT_SECONDS = 600.0
HEAVY = {
    "anyio",
    "click",
    "email",
    "httpx",
    "importlib.metadata",
    "rich",
    "ssl",
    "typing_extensions",
}


def loaded_by(code: str) -> set[str]:
    """The modules that a new interpreter has after this code."""
    program = f"import sys\n{code}\nsys.stderr.write(chr(10).join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split("\n"))


def test_the_version_is_told_without_loading_anything_of_weight() -> None:
    start = "sys.argv = ['', '--version']\nimport citegrid.__main__\ncitegrid.__main__.main()"
    loaded = loaded_by(start)
    assert loaded & HEAVY == set()
    assert {name for name in loaded if name.startswith("citegrid.")} == {
        "citegrid.__main__",
        "citegrid.version",
    }


def test_a_command_does_not_load_the_others() -> None:
    start = (
        "from citegrid.cli.main import run\n"
        "assert run(['completion', 'bash']) == 0\n"
        "assert run(['search', '-h']) == 0"
    )
    loaded = loaded_by(start)
    assert "citegrid.cli.search.searches" in loaded
    assert {
        "citegrid.cli.account.keys",
        "citegrid.cli.providers.offers",
        "citegrid.mcp",
    } & loaded == set()


def test_the_package_has_a_version() -> None:
    assert citegrid.__version__


@pytest.mark.parametrize("name", citegrid.__all__)
def test_each_name_of_the_package_is_there(name: str) -> None:
    assert getattr(citegrid, name) is not None
    assert name in dir(citegrid)


def test_the_package_has_no_other_names() -> None:
    assert not hasattr(citegrid, "Klient")


class Halting(ThreadingHTTPServer):
    """Answers until `halts_at`, and leaves that request without an end."""

    daemon_threads = True

    def __init__(self, halts_at: str) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.halts_at = halts_at
        self.halted, self.released = threading.Event(), threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: who was interrupted goes away without a word."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answering(BaseHTTPRequestHandler):
    server: Halting

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._halt("create")
        if self.server.halts_at == "pause":
            self._answer(503, {"Retry-After": "50"}, b'{"error": {"code": "overloaded"}}')
            self.server.halted.set()
            return
        self._answer(202, {}, json.dumps({"id": "srch_a", "status": "running"}).encode())

    def do_GET(self) -> None:
        if not self.path.endswith("/events"):
            self._halt("wait")
            self._answer(200, {}, json.dumps(RUNNING).encode())
        elif self.server.halts_at == "wait":
            self._answer(503, {"Retry-After": "500"}, b'{"error": {"code": "overloaded"}}')
        else:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(
                b'event: status\nid: 0\ndata: {"id": "srch_a", "status": "running"}\n\n'
            )
            self.wfile.flush()
            self._halt("stream")

    def _halt(self, moment: str) -> None:
        if self.server.halts_at == moment:
            self.server.halted.set()
            self.server.released.wait(LIMIT_SECONDS)

    def _answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the tests read stderr."""


@pytest.fixture
def halting() -> Iterator[Callable[[str], Halting]]:
    """`halting("stream")`: a server that stops at this moment of a search."""
    servers: list[Halting] = []

    def start(moment: str) -> Halting:
        server = Halting(moment)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    yield start
    for server in servers:
        server.released.set()
        server.shutdown()
        server.server_close()


def citegrid_process(*arguments: str, **variables: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "citegrid", *arguments],
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def interrupted(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LIMIT_SECONDS)
    return process.returncode, out, err


@pytest.mark.parametrize("module", ["click", "httpx", "rich"])
def test_ctrl_c_while_modules_are_loaded_ends_it_without_a_traceback(
    tmp_path: Path, module: str
) -> None:
    slow = "import sys, time\nsys.stdout.write('loading\\n')\nsys.stdout.flush()\ntime.sleep(50)\n"
    (tmp_path / f"{module}.py").write_text(slow)
    with citegrid_process("ask", "Why?", PYTHONPATH=str(tmp_path)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "loading\n"
        assert interrupted(process) == (130, "", "")


@pytest.mark.parametrize("moment", ["create", "pause", "stream", "wait"])
def test_ctrl_c_while_it_waits_ends_it_without_a_traceback(
    halting: Callable[[str], Halting], moment: str
) -> None:
    server = halting(moment)
    with citegrid_process("ask", "Why?", SERVICE_BASE_URL=server.url) as process:
        assert server.halted.wait(LIMIT_SECONDS)
        code, out, err = interrupted(process)
    assert (code, out, "Traceback" in err) == (130, "", False)
    started = moment in ("stream", "wait")
    assert ("citegrid search wait srch_a" in err) == started


def test_ctrl_c_is_an_error_of_json_where_json_is_wanted(
    halting: Callable[[str], Halting],
) -> None:
    server = halting("stream")
    arguments = ("ask", "--json", "--quiet", "Why?")
    with citegrid_process(*arguments, SERVICE_BASE_URL=server.url) as process:
        assert server.halted.wait(LIMIT_SECONDS)
        code, out, err = interrupted(process)
    assert (code, out, json.loads(err)["error"]["code"]) == (130, "", "interrupted")


def test_ctrl_c_at_a_question_ends_it_without_a_traceback() -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "citegrid", "login", "--email", "ada@example.org"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while b"Password: " not in shown:
            shown += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        shown += os.read(ours, 4096)
        assert process.wait(LIMIT_SECONDS) == 130
    os.close(ours)
    assert b"Traceback" not in shown


def test_an_interrupt_that_the_shell_ignores_stays_ignored(
    halting: Callable[[str], Halting],
) -> None:
    server = halting("create")
    command = f"trap '' INT; exec {sys.executable} -m citegrid ask --detach Why?"
    process = subprocess.Popen(
        ["sh", "-c", command],
        env={**os.environ, "SERVICE_BASE_URL": server.url},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        assert server.halted.wait(LIMIT_SECONDS)
        process.send_signal(signal.SIGINT)
        server.released.set()
        assert process.communicate(timeout=LIMIT_SECONDS)[0] == "srch_a\n"
