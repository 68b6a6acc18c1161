"""The tools over stdio, to a host that does not keep to the protocol."""

import json
import subprocess
import sys

import pytest

PING = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "ping"})
SERVE = (
    "from citegrid.mcp.serve import serve_stdio\n"
    "from citegrid.profiles.credentials import Credentials\n"
    "serve_stdio(None, 'no key', 'ERROR', Credentials())"
)


@pytest.mark.parametrize("line", ["{not json", '{"jsonrpc": "1.0"}', "[]", '"\\ud800"'])
def test_a_line_that_is_no_message_is_answered_and_the_next_one_as_well(line: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(f"{line}\n{PING}\n")
        server.stdin.flush()
        unreadable, pong = (json.loads(server.stdout.readline()) for _ in range(2))
        server.stdin.close()
    assert (unreadable["id"], unreadable["error"]["code"]) == (None, -32700)
    assert (pong["id"], pong["result"]) == (7, {})
    assert server.returncode == 0
