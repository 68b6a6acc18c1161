"""A tool whose schemas every host can read and whose errors a model can act on.

The SDK publishes unions with null and references, lets unknown arguments pass and echoes wrong
values; several hosts refuse the former, and models learn nothing from the latter.
"""

import json
import logging
from collections.abc import Callable
from typing import Any, Final, Self, cast

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from citegrid.errors import ApiError, CitegridError
from citegrid.mcp.refusals import explained

log = logging.getLogger(__name__)

NULL: Final = {"type": "null"}
MOST_NAMES: Final = 5
NAME_CHARACTERS: Final = 64


class ClosedTool(Tool):
    """Takes what its schema says and nothing else; explicit nulls stand for what is left out."""

    scope: str = "search"
    """Of the keys that it takes."""

    @classmethod
    def of(
        cls,
        fn: Callable[..., Any],
        title: str,
        description: str,
        annotations: ToolAnnotations,
        *,
        scope: str = "search",
        described: bool = True,
    ) -> Tool:
        """`fn` is an async function that returns `Annotated[CallToolResult, Shape]`.

        What several tools give is `described` by one of them: hosts have little room for schemas.
        """
        made = cls.from_function(fn, title=title, description=description, annotations=annotations)
        tool = cast(Self, made)
        tool.scope = scope
        tool.parameters = flat(tool.parameters) | {"additionalProperties": False}
        given = flat(tool.fn_metadata.output_schema)
        tool.fn_metadata.output_schema = given if described else without_descriptions(given)
        return tool

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        convert_result: bool = False,
    ) -> Any:
        """The result, or an error whose text says what to do; other failures raise ToolError."""
        given = {name: value for name, value in arguments.items() if value is not None}
        if unknown := given.keys() - self.parameters["properties"].keys():
            return failed(self._not_taken(sorted(unknown)))
        try:
            return await super().run(given, context, convert_result)
        except ToolError as error:
            cause = error.__cause__
            # What the function itself raises comes as UnexpectedToolError.
            if isinstance(cause, ValidationError) and not isinstance(error, UnexpectedToolError):
                return failed(self._wrong(cause))
            if isinstance(cause, CitegridError):
                self._log(cause)
                return failed(explained(cause, self.scope))
            raise

    def _not_taken(self, names: list[str]) -> str:
        shown = ", ".join(name[:NAME_CHARACTERS] for name in names[:MOST_NAMES])
        taken = ", ".join(sorted(self.parameters["properties"]))
        return f"[invalid_arguments] Unknown argument: {shown}. {self.name} takes: {taken}."

    def _wrong(self, error: ValidationError) -> str:
        """Names argument and rule, never the value."""
        found = error.errors(include_url=False, include_input=False, include_context=False)
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {self._rule(e)}" for e in found)
        return f"[invalid_arguments] {problems}. Correct the arguments and call again."

    def _rule(self, broken: ErrorDetails) -> str:
        """A pattern is said by the description of its argument: nobody reads the pattern itself."""
        if broken["type"] != "string_pattern_mismatch":
            return broken["msg"]
        described: str = self.parameters["properties"][broken["loc"][0]]["description"]
        return f"Must be as described: {described.rstrip('.')}"

    def _log(self, error: CitegridError) -> None:
        code, status = type(error).__name__, "-"
        if isinstance(error, ApiError):
            code, status = error.code, str(error.status)
        log.info("%s: %s (HTTP %s)", self.name, code, status)


def hints(
    *, reads: bool = False, destroys: bool = False, repeatable: bool = False, reaches: bool = False
) -> ToolAnnotations:
    """Hints of a tool: what a host may tell its user, or not ask, before a tool is called."""
    return ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=None if reads else destroys,
        idempotent_hint=None if reads else repeatable,
        open_world_hint=reaches,
    )


def done(shape: BaseModel) -> CallToolResult:
    """The same JSON for hosts that read the text and for hosts that read the structure."""
    structured = shape.model_dump(mode="json")
    text = TextContent(type="text", text=written(structured))
    return CallToolResult(content=[text], structured_content=structured)


def text_of(value: Any) -> str:
    """A value of a record as text: what is no text as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def failed(text: str) -> CallToolResult:
    """Text only: some hosts check a structure against the schema of success."""
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def flat(schema: Any, definitions: Any = None) -> Any:
    """The schema without references, titles, and nulls as alternatives or defaults."""
    if isinstance(schema, list):
        return [flat(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    definitions = schema.get("$defs", definitions)
    if "$ref" in schema:
        rest = {name: value for name, value in schema.items() if name != "$ref"}
        return flat(definitions[schema["$ref"].rpartition("/")[2]] | rest, definitions)
    kept: dict[str, Any] = {}
    for name, value in schema.items():
        if name == "properties":
            kept[name] = {each: flat(of, definitions) for each, of in value.items()}
        elif name == "anyOf" and NULL in value:
            (other,) = (each for each in value if each != NULL)
            kept |= flat(other, definitions)
        elif name not in ("title", "$defs") and (name, value) != ("default", None):
            kept[name] = flat(value, definitions)
    return kept


def without_descriptions(schema: Any) -> Any:
    """The schema with the names and types of its properties alone."""
    if isinstance(schema, list):
        return [without_descriptions(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    properties = schema.get("properties", {})
    kept = {
        name: without_descriptions(value)
        for name, value in schema.items()
        if name not in ("description", "properties")
    }
    if properties:
        kept["properties"] = {name: without_descriptions(of) for name, of in properties.items()}
    return kept
