"""What the documents tell a host to start is what works."""

import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.deployed import ROOT
from tests.integration.client.conftest import QUESTION, Server
from tests.integration.client.test_command_line import PROGRAM

PAGES = ("client/README.md", "docs/how-to/use-from-agents.md")
BLOCK = re.compile(r"^```json\n(\{\n.*?)^```$", re.MULTILINE | re.DOTALL)
ADDED = re.compile(r"^ +(claude mcp add \w+ --env .*)$", re.MULTILINE)


def _configured() -> Iterator[tuple[str, tuple[str, ...], frozenset[str]]]:
    """Program, arguments and names of variables of every host's entry."""
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for block in BLOCK.findall(text):
            found = json.loads(block)
            ((_, entry),) = (found.get("mcpServers") or found["servers"]).items()
            yield Path(entry["command"]).name, tuple(entry["args"]), frozenset(entry["env"])
        for line in ADDED.findall(text):
            words = shlex.split(line)
            command, *arguments = words[words.index("--") + 1 :]
            names = frozenset(word.partition("=")[0] for word in words if "=" in word)
            yield Path(command).name, tuple(arguments), names


ENTRIES = list(_configured())


def test_every_host_has_an_entry_on_every_page() -> None:
    assert len(ENTRIES) == 3 * len(PAGES)


@pytest.mark.parametrize(("command", "arguments", "names"), set(ENTRIES))
def test_a_host_that_is_set_up_as_documented_gets_an_answer(
    command: str,
    arguments: tuple[str, ...],
    names: frozenset[str],
    idle_server: Server,
    tmp_path: Path,
) -> None:
    known = {"SERVICE_BASE_URL": idle_server.url, "SERVICE_API_KEY": idle_server.api_key}
    environment = {name: known[name] for name in names} | {"XDG_CONFIG_HOME": str(tmp_path)}
    parameters = StdioServerParameters(command=PROGRAM, args=list(arguments), env=environment)

    async def main() -> Any:
        with Path(os.devnull).open("w") as nowhere:
            async with Client(stdio_client(parameters, errlog=nowhere)) as client:
                return await client.call_tool("service_start_search", {"query": QUESTION})

    assert command == Path(PROGRAM).name
    assert anyio.run(main).structured_content["status"] == "running"
