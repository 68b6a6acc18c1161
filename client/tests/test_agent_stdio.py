"""The tools over stdio, to a host that does not keep to the protocol."""

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest
from test_agent_http import HELLO

PING = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "ping"})
SERVE = (
    "from citegrid.mcp.serve import serve_stdio\n"
    "from citegrid.profiles.credentials import Credentials\n"
    "serve_stdio(None, 'no key', 'ERROR', Credentials())"
)

# A resolver that never answers.
SERVE_WITHOUT_RESOLVER = (
    "import socket, sys, threading\n"
    "from citegrid.mcp.serve import client, serve_stdio\n"
    "from citegrid.profiles.credentials import Credentials\n"
    "def look_up(*_: object, **__: object) -> None:\n"
    "    print('asked', file=sys.stderr, flush=True)\n"
    "    threading.Event().wait()\n"
    "socket.getaddrinfo = look_up\n"
    "key = Credentials('cgk_secret')\n"
    "serve_stdio(client('https://search.example.org', key, False), '', 'ERROR', key)"
)
LIST = {
    "jsonrpc": "2.0",
    "id": 8,
    "method": "tools/call",
    "params": {"name": "service_list_searches", "arguments": {}},
}
CANCEL = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 8}}


def told(server: "subprocess.Popen[str]", line: str) -> list[tuple[int | None, int | None]]:
    """The id of each of two answers, to this line and to a ping, and the code of its error."""
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(f"{line}\n{PING}\n")
    server.stdin.flush()
    answers = [json.loads(server.stdout.readline()) for _ in range(2)]
    return [(each["id"], each.get("error", {}).get("code")) for each in answers]


def test_a_line_that_is_no_message_is_answered_and_the_next_one_as_well() -> None:
    lines = ["{not json", '{"jsonrpc": "1.0"}', "[]", '"\\ud800"']
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        answers = {line: told(server, line) for line in lines}
        assert server.stdin is not None
        server.stdin.close()
    assert answers == {line: [(None, -32700), (7, None)] for line in lines}
    assert server.returncode == 0


@pytest.fixture
def asking() -> Iterator["subprocess.Popen[str]"]:
    """The server while a call waits for the address of a host."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", SERVE_WITHOUT_RESOLVER]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as server:
        assert server.stdin is not None
        assert server.stderr is not None
        server.stdin.write(f"{json.dumps(HELLO)}\n{json.dumps(LIST)}\n")
        server.stdin.flush()
        assert server.stderr.readline() == "asked\n"
        yield server
        server.kill()


def test_the_end_of_stdin_ends_it_although_a_cancelled_call_still_looks_up_a_host(
    asking: "subprocess.Popen[str]",
) -> None:
    assert asking.stdin is not None
    asking.stdin.write(f"{json.dumps(CANCEL)}\n")
    asking.stdin.close()
    assert asking.wait(timeout=120) == 0


def test_a_host_that_has_gone_is_no_failure(asking: "subprocess.Popen[str]") -> None:
    assert asking.stdin is not None
    assert asking.stdout is not None
    assert asking.stderr is not None
    asking.stdout.close()
    asking.stdin.close()
    assert asking.wait(timeout=120) == 0
    assert asking.stderr.read() == ""
