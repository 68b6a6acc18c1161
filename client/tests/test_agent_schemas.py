"""What the tools publish, and what they say of arguments that do not fit."""

import json
from collections.abc import Iterator
from typing import Any

import anyio
import httpx
import jsonschema
import pytest
from agents import QUESTION, found, refused, unasked
from answers import RUNNING, accepted
from mcp import Client
from mcp.types import Tool, ToolAnnotations

from citegrid.mcp.connection import as_nobody
from citegrid.mcp.server import build


def _published() -> list[Tool]:
    async def main() -> list[Tool]:
        async with Client(build(as_nobody(""))) as client:
            return (await client.list_tools()).tools

    return anyio.run(main)


TOOLS = {tool.name: tool for tool in _published()}
SCHEMAS = {
    f"{tool.name}.{kind}": schema
    for tool in TOOLS.values()
    for kind, schema in (("input", tool.input_schema), ("output", tool.output_schema))
}


def _objects(node: Any) -> Iterator[dict[str, Any]]:
    """Every JSON object in a schema."""
    if isinstance(node, dict):
        yield node
        for each in node.values():
            yield from _objects(each)
    elif isinstance(node, list):
        for each in node:
            yield from _objects(each)


def test_the_tools_are_those_of_the_interface() -> None:
    assert list(TOOLS) == [
        "service_search",
        "service_start_search",
        "service_get_search",
        "service_list_searches",
        "service_cancel_search",
        "service_list_corpora",
        "service_add_document",
        "service_start_extraction",
        "service_get_records",
        "service_cancel_extraction",
        "service_start_campaign",
        "service_get_campaign",
    ]


def test_no_schema_has_unions_references_and_nulls() -> None:
    refused_by_hosts = {"anyOf", "oneOf", "allOf", "$ref", "$defs"}
    for name, schema in SCHEMAS.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        for node in _objects(schema):
            assert node.keys() & refused_by_hosts == set(), name
            assert node.get("default", "") is not None, name


def test_every_object_of_a_schema_is_closed() -> None:
    assert {schema["type"] for schema in SCHEMAS.values()} == {"object"}
    for name, schema in SCHEMAS.items():
        for node in _objects(schema):
            if node.get("type") == "object":
                assert node["additionalProperties"] is False, name


def test_every_argument_is_described() -> None:
    for name, tool in TOOLS.items():
        for argument in tool.input_schema["properties"].values():
            assert argument["description"], name


def test_the_schemas_are_small_enough_for_every_host() -> None:
    shown = [tool.model_dump(mode="json", exclude_none=True) for tool in TOOLS.values()]
    assert len(json.dumps(shown)) < 28_000


STARTS, READS, CANCELS = (
    (False, False, False, True),
    (True, None, None, False),
    (False, True, True, False),
)
HINTS = {
    "service_search": STARTS,
    "service_start_search": STARTS,
    "service_get_search": READS,
    "service_list_searches": READS,
    "service_cancel_search": CANCELS,
    "service_list_corpora": READS,
    "service_add_document": (False, False, True, False),
    "service_start_extraction": STARTS,
    "service_get_records": READS,
    "service_cancel_extraction": CANCELS,
}
"""Whether a tool only reads, destroys, may be repeated, and reaches the world."""


def test_hosts_are_told_what_a_tool_does() -> None:
    told = {name: TOOLS[name].annotations for name in HINTS}
    assert {name: hints(hint) for name, hint in told.items()} == HINTS


def hints(told: ToolAnnotations | None) -> tuple[bool | None, ...]:
    assert told is not None
    return (
        told.read_only_hint,
        told.destructive_hint,
        told.idempotent_hint,
        told.open_world_hint,
    )


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "query: Field required"),
        ({"query": ""}, "query: "),
        ({"query": "x" * 2001}, "query: "),
        ({**QUESTION, "max_sources": 21}, "max_sources: "),
        ({**QUESTION, "max_excerpt_chars": 4001}, "max_excerpt_chars: "),
        ({**QUESTION, "wait_seconds": 46}, "wait_seconds: "),
        ({**QUESTION, "depth": "bottomless"}, "depth: Input should be 'quick', 'standard' or"),
        ({**QUESTION, "include_domains": ["a.org"] * 21}, "include_domains: "),
        ({**QUESTION, "freshness": "soon"}, "freshness: "),
        ({**QUESTION, "max_results": 3}, "Unknown argument: max_results. service_search takes: "),
    ],
)
def test_wrong_arguments_are_named_with_their_rule(arguments: dict[str, Any], named: str) -> None:
    text = refused(unasked, "service_search", **arguments)
    assert text.startswith("[invalid_arguments] ")
    assert named in text
    assert "pydantic" not in text


def test_a_wrong_value_is_not_repeated() -> None:
    assert "hunter2" not in refused(unasked, "service_get_search", search_id="hunter2 " * 20)


def test_arguments_as_models_send_them_are_taken() -> None:
    asked: list[Any] = []

    def handler(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json=RUNNING)
        asked.append(json.loads(request.content))
        return accepted()

    given = {
        "max_sources": "7",
        "include_domains": '["a.org"]',
        "exclude_domains": None,
        "depth": None,
    }
    found(handler, "service_start_search", **QUESTION, **given)
    assert asked == [
        {**QUESTION, "depth": "standard", "max_sources": 7, "include_domains": ["a.org"]}
    ]
