"""The agent-host tools, as the official conformance suite and the official inspector see them."""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.core.config.settings import environment
from tests import servers
from tests.deployed import ROOT
from tests.integration.client.conftest import QUESTION, Server
from tests.interop.conftest import Ended, Run
from tests.ports import free_port

pytestmark = [pytest.mark.interop, pytest.mark.timeout(700)]

HERE = Path(__file__).parent
PAGES = (ROOT / "client" / "README.md", ROOT / "docs" / "how-to" / "use-from-agents.md")
PROGRAM = str(Path(sys.executable).with_name("citegrid"))
TOOL_FAILED = 5
ERAS = ("legacy", "auto", "modern")


@contextmanager
def _listening(*command: str, **variables: str) -> Iterator[str]:
    """The address of a process that listens on the port it is given last."""
    port = free_port()
    with subprocess.Popen(
        [*command, str(port)], cwd=ROOT, env=environment() | variables
    ) as process:
        try:
            servers.until(lambda: _listens(port))
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


def _listens(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_nothing_fails_in_the_conformance_suite_but_what_is_not_offered(
    run: Run, revision: str
) -> None:
    expected = str(HERE / f"expected-{revision}.yml")
    with _listening(sys.executable, "-m", "tests.interop.conformance_server") as url:
        asked = ("--url", url, "--requirements", revision, "--expected-failures", expected)
        ended = run("conformance", "server", *asked)
    print(revision, *re.findall(r"^Total: .*", ended.out, re.MULTILINE))  # noqa: T201
    assert ended.code == 0, str(ended)


@pytest.fixture
def stdio(run: Run, idle_server: Server) -> Any:
    """`stdio("legacy", "--method", ...)`: the inspector as the host of `citegrid mcp`."""

    def inspect(era: str, *asked: str, key: str = idle_server.api_key) -> Ended:
        variables = (f"SERVICE_BASE_URL={idle_server.url}", f"SERVICE_API_KEY={key}")
        settings = [option for variable in variables for option in ("-e", variable)]
        options = ("--cli", *settings, "--protocol-era", era, *asked, "--format", "json")
        return run("inspector", *options, PROGRAM, "mcp")

    return inspect


def _calling(tool: str, **arguments: object) -> list[str]:
    given = [part for n, v in arguments.items() for part in ("--tool-arg", f"{n}={json.dumps(v)}")]
    return ["--method", "tools/call", "--tool-name", tool, *given]


@pytest.mark.parametrize("era", ERAS)
def test_the_inspector_finds_no_fault_in_the_schemas(stdio: Any, era: str) -> None:
    ended = stdio(era, "--method", "tools/list", "--strict")
    assert ended.code == 0, str(ended)
    assert "service_cancel_search" in ended.out


@pytest.mark.parametrize("era", ERAS)
def test_the_inspector_starts_a_search(stdio: Any, era: str) -> None:
    ended = stdio(era, *_calling("service_start_search", query=QUESTION))
    assert ended.code == 0, str(ended)
    assert "srch_" in ended.out


@pytest.mark.parametrize("era", ERAS)
def test_the_inspector_sees_an_error_of_a_tool(stdio: Any, era: str) -> None:
    ended = stdio(era, *_calling("service_get_search", search_id="srch_unknown"))
    assert ended.code == TOOL_FAILED, str(ended)
    assert "[not_found]" in ended.out


def test_the_inspector_calls_over_http_with_the_key_of_the_caller(
    run: Run, idle_server: Server
) -> None:
    command = (PROGRAM, "mcp", "--transport", "http", "--port")
    with _listening(*command, SERVICE_BASE_URL=idle_server.url) as url:
        header = ("--header", f"Authorization: Bearer {idle_server.api_key}")
        asked = _calling("service_start_search", query=QUESTION)
        ended = run("inspector", "--cli", url, "--transport", "http", *header, *asked)
    assert ended.code == 0, str(ended)


def _entries() -> Iterator[Any]:
    """The configurations in the documents."""
    for page in PAGES:
        for block in re.findall(r"^```json\n(\{\n.*?)^```$", page.read_text("utf-8"), re.M | re.S):
            found = json.loads(block)
            yield found.get("mcpServers") or found["servers"]


@pytest.mark.parametrize("entry", list(_entries()))
def test_a_documented_configuration_works(
    run: Run, idle_server: Server, tmp_path: Path, entry: Any
) -> None:
    ((name, server),) = entry.items()
    filled = {
        "command": PROGRAM,
        "args": server["args"],
        "env": {
            **server["env"],
            "SERVICE_BASE_URL": idle_server.url,
            "SERVICE_API_KEY": idle_server.api_key,
        },
    }
    file = tmp_path / "host.json"
    file.write_text(json.dumps({"mcpServers": {name: filled}}), encoding="utf-8")
    asked = _calling("service_list_searches")
    ended = run("inspector", "--cli", "--config", str(file), "--server", name, *asked)
    assert ended.code == 0, str(ended)
