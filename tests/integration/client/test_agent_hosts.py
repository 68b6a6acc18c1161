"""`citegrid mcp` as a process, over stdio and over HTTP."""

import json
import signal
import socket
import subprocess
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from flask import Flask
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from app.core import db, ids
from tests import builders, pace, servers
from tests.integration.client.conftest import QUESTION, Server, listening
from tests.integration.client.test_command_line import PROGRAM, shell_of
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@dataclass
class Process:
    """The tools' server with pipes; what it writes is collected."""

    running: "subprocess.Popen[str]"
    out: list[str] = field(default_factory=list)
    err: list[str] = field(default_factory=list)
    last_id: int = 1

    def __post_init__(self) -> None:
        assert self.running.stdout is not None
        assert self.running.stderr is not None
        self._readers = [
            threading.Thread(target=self.out.extend, args=(self.running.stdout,)),
            threading.Thread(target=self.err.extend, args=(self.running.stderr,)),
        ]
        for reader in self._readers:
            reader.start()

    def send(self, *messages: dict[str, Any]) -> None:
        assert self.running.stdin is not None
        for message in messages:
            self.running.stdin.write(json.dumps(message) + "\n")
        self.running.stdin.flush()

    def call(self, tool: str, **arguments: Any) -> int:
        """The number of the message: for `answer`."""
        self.last_id += 1
        asked = {"name": tool, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": "tools/call", "params": asked})
        return self.last_id

    def answer(self, id: int) -> Any:
        """The answer to the message of that number, waited for."""
        servers.until(lambda: any(m.get("id") == id for m in self.messages))
        return next(m["result"] for m in self.messages if m.get("id") == id)

    @property
    def messages(self) -> list[Any]:
        return [json.loads(line) for line in list(self.out)]

    def ended(self) -> int:
        """Its exit code, once all that it wrote has been read."""
        code = self.running.wait(timeout=PATIENCE_SECONDS)
        for reader in self._readers:
            reader.join()
        return code


Start = Callable[..., Process]


@pytest.fixture(scope="module")
def idle_server(site: Flask) -> Iterator[Server]:
    """For all tests here, with an account of its own."""
    with listening(site) as url:
        yield Server(url, _key(site))


def _key(site: Flask) -> str:
    """Of a new account."""
    with db.transaction() as tx:
        account = builders.account(tx, f"{ids.new()}@example.org")
        return builders.api_key(tx, site.extensions["settings"], account)


@pytest.fixture(scope="module")
def start(idle_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """`start("--log-level", "DEBUG")`, with the address and the key in its environment."""
    started: list[Process] = []
    home = tmp_path_factory.mktemp("home")

    def start(*options: str, **variables: str) -> Process:
        environment = {
            "XDG_CONFIG_HOME": str(home),
            "SERVICE_BASE_URL": idle_server.url,
            "SERVICE_API_KEY": idle_server.api_key,
            **variables,
        }
        pipe = subprocess.PIPE
        running = subprocess.Popen(
            [PROGRAM, "mcp", *options],
            env=environment,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
        )
        started.append(Process(running))
        return started[-1]

    yield start
    for process in started:
        process.running.kill()
        process.ended()
        for stream in (process.running.stdin, process.running.stdout, process.running.stderr):
            assert stream is not None
            stream.close()


def test_only_the_protocol_is_on_stdout_and_the_key_and_the_query_are_nowhere(
    start: Start, idle_server: Server
) -> None:
    process = start("--log-level", "DEBUG")
    process.send(HELLO, READY)
    started = process.call("service_start_search", query="Where is the treasure?")
    missed = process.call("service_get_search", search_id="srch_unknown")
    assert process.answer(started)["isError"] is False
    assert process.answer(missed)["isError"] is True
    process.running.stdin.close()
    assert process.ended() == 0
    assert all(message["jsonrpc"] == "2.0" for message in process.messages)
    written = "".join(process.out + process.err)
    assert "service_get_search: search_not_found (HTTP 404)" in written
    assert idle_server.api_key not in written
    assert "treasure" not in "".join(process.err)


def test_the_end_of_stdin_ends_it_although_a_call_waits(start: Start) -> None:
    process = start()
    process.send(HELLO, READY)
    process.call("service_search", query=QUESTION, wait_seconds=45)
    servers.until(lambda: _ids_listed(process))
    began = pace.seconds()
    process.running.stdin.close()
    assert process.running.wait(PATIENCE_SECONDS) == 0
    assert pace.seconds() - began < 30  # the call would have waited longer


def _ids_listed(process: Process) -> list[str]:
    listed = process.answer(process.call("service_list_searches"))["structuredContent"]
    return [search["search_id"] for search in listed["searches"]]


def test_an_interrupt_ends_it(start: Start) -> None:
    process = start()
    process.send(HELLO)
    process.answer(1)
    process.running.send_signal(signal.SIGINT)
    assert process.ended() == -signal.SIGINT


def test_what_is_wrong_with_its_settings_is_told_to_whoever_calls(start: Start) -> None:
    process = start(SERVICE_API_KEY="two words")
    process.send(HELLO, READY)
    answer = process.answer(process.call("service_list_searches"))
    assert answer["isError"] is True
    told = "[not_configured] SERVICE_API_KEY does not look like a key"
    assert answer["content"][0]["text"].startswith(told)


@pytest.mark.usefixtures("log_lines")  # the server in this process logs as well
def test_check_asks_the_service_once_and_says_what_is_wrong(
    idle_server: Server, tmp_path: Path
) -> None:
    done = shell_of(idle_server, tmp_path)("mcp", "--check")
    assert (done.code, done.out) == (0, "ok\n")
    stranger = replace(idle_server, api_key="cgk_unknown_to_anybody")
    done = shell_of(stranger, tmp_path)("mcp", "--check")
    assert (done.code, "[unauthorized]" in done.err) == (1, True)


@dataclass(frozen=True)
class Remote:
    """The tools over HTTP: `remote(key, lambda client: ...)`."""

    url: str
    process: Process

    def __call__(
        self, key: str, use: Callable[[Client], Awaitable[Any]], mode: str = "auto"
    ) -> Any:
        async def main() -> Any:
            headers = {"Authorization": f"Bearer {key}"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=PATIENCE_SECONDS) as http,
                Client(streamable_http_client(self.url, http_client=http), mode=mode) as client,
            ):
                return await use(client)

        return anyio.run(main)


@pytest.fixture(scope="module")
def remote(start: Start) -> Remote:
    """Started by somebody who has a key of the service."""
    return started_remote(start)


def started_remote(start: Start) -> Remote:
    port = free_port()
    process = start("--transport", "http", "--port", str(port))
    servers.until(lambda: _listens(port))
    return Remote(f"http://127.0.0.1:{port}/mcp", process)


def _listens(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


async def _start(client: Client) -> str:
    result = await client.call_tool("service_start_search", {"query": QUESTION})
    id: str = result.structured_content["search_id"]
    return id


async def _ids(client: Client) -> list[str]:
    result = await client.call_tool("service_list_searches", {})
    return [search["search_id"] for search in result.structured_content["searches"]]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_every_caller_sees_what_is_of_their_own_account(
    remote: Remote, site: Flask, mode: str
) -> None:
    key = _key(site)
    id = remote(key, _start, mode)
    assert remote(key, _ids, mode) == [id]
    assert remote(_key(site), _ids, mode) == []


def test_progress_arrives_over_http(remote: Remote, idle_server: Server) -> None:
    async def notes(client: Client) -> list[float]:
        heard: list[float] = []

        async def note(value: float, _total: float | None, _message: str | None) -> None:
            heard.append(value)

        arguments = {"query": QUESTION, "wait_seconds": 1}
        await client.call_tool("service_search", arguments, progress_callback=note)
        return heard

    assert len(remote(idle_server.api_key, notes)) >= 2


def test_without_a_key_the_one_of_the_process_is_not_used(remote: Remote) -> None:
    assert httpx2.post(remote.url, json=HELLO).status_code == 401


def test_a_refused_key_is_not_written_anywhere(start: Start) -> None:
    remote = started_remote(start)

    async def listed(client: Client) -> Any:
        return await client.call_tool("service_list_searches", {})

    refused = remote("cgk_unknown_to_anybody", listed)
    remote.process.running.terminate()
    remote.process.ended()
    assert refused.content[0].text.startswith("[unauthorized] ")
    assert "cgk_" not in refused.content[0].text + "".join(remote.process.err)
