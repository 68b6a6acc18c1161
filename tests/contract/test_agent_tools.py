"""The tools for agent hosts publish the bounds of the server, and only what it offers."""

import anyio
import pytest
from citegrid.mcp.connection import as_nobody
from citegrid.mcp.server import build
from mcp import Client
from mcp.types import Tool

from app.web.interface import nodes
from tests import interface

# Of the request body, what tools do not take: whose memory is used is not for an agent to choose,
# the fields of metadata are not known to it, and it knows itself what a question refers to.
NOT_TAKEN = {"filter", "follows", "persona_id"}
BOUNDS = {"type", "minLength", "maxLength", "minimum", "maximum", "maxItems", "pattern", "enum"}


def _tools() -> dict[str, Tool]:
    async def main() -> list[Tool]:
        async with Client(build(as_nobody(""))) as client:
            return (await client.list_tools()).tools

    return {tool.name: tool for tool in anyio.run(main)}


DOCUMENT, TOOLS = interface.document(), _tools()
BODY = nodes.resolve(
    DOCUMENT,
    DOCUMENT["paths"]["/external/v1/search"]["post"]["requestBody"]["content"]["application/json"][
        "schema"
    ],
)["properties"]
STARTING = ("service_search", "service_start_search")


@pytest.mark.parametrize("tool", STARTING)
def test_starting_takes_what_the_server_takes(tool: str) -> None:
    taken = TOOLS[tool].input_schema["properties"].keys() - {"wait_seconds"}
    assert "where" in taken  # a filter without unions, which some hosts do not read
    assert taken - {"where"} == BODY.keys() - NOT_TAKEN


@pytest.mark.parametrize("tool", STARTING)
@pytest.mark.parametrize("argument", sorted(BODY.keys() - NOT_TAKEN))
def test_an_argument_has_the_bounds_of_the_server(tool: str, argument: str) -> None:
    ours, theirs = TOOLS[tool].input_schema["properties"][argument], BODY[argument]
    for bound in BOUNDS & ours.keys() & theirs.keys():
        assert ours[bound] == theirs[bound], bound
    missing = BOUNDS & theirs.keys() - ours.keys()
    assert missing <= {"pattern"}  # of the query: no control characters, which hosts need not know


@pytest.mark.parametrize("argument", ["max_sources"])
def test_a_default_is_that_of_the_server(argument: str) -> None:
    for tool in STARTING:
        ours = TOOLS[tool].input_schema["properties"][argument]
        assert ours["default"] == BODY[argument]["default"]


def test_every_state_of_a_search_can_be_listed() -> None:
    (status,) = (
        each["schema"]
        for each in DOCUMENT["paths"]["/external/v1/search"]["get"]["parameters"]
        if each.get("name") == "status"
    )
    ours = TOOLS["service_list_searches"].input_schema["properties"]["status"]["enum"]
    assert ours == ["any", *status["enum"]]


def test_a_page_of_sources_reaches_the_last_one() -> None:
    most = BODY["max_sources"]["maximum"]
    arguments = TOOLS["service_get_search"].input_schema["properties"]
    assert arguments["source_limit"]["maximum"] == most
    assert arguments["source_offset"]["maximum"] == most - 1
