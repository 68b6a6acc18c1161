"""The tools' server with the fixtures that the conformance suite calls by name; for tests only.

python -m tests.interop.conformance_server PORT
"""

import sys
from typing import Final

import anyio
import uvicorn
from citegrid.mcp import logs
from citegrid.mcp.connection import as_nobody
from citegrid.mcp.http import transported
from citegrid.mcp.server import build
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.types import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResourceContents,
)

PIXEL: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA"
    "AABJRU5ErkJggg=="
)
SILENCE: Final = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
IMAGE: Final = ImageContent(type="image", data=PIXEL, mime_type="image/png")


def embedded(uri: str, text: str, mime_type: str = "text/plain") -> EmbeddedResource:
    contents = TextResourceContents(uri=uri, text=text, mime_type=mime_type)
    return EmbeddedResource(type="resource", resource=contents)


def add_tools(server: MCPServer[None]) -> None:
    @server.tool(description="Text.")
    def test_simple_text() -> str:
        return "This is a simple text response for testing."

    @server.tool(description="An image.")
    def test_image_content() -> list[ImageContent]:
        return [IMAGE]

    @server.tool(description="Audio.")
    def test_audio_content() -> list[AudioContent]:
        return [AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")]


def add_tools_that_do_more(server: MCPServer[None]) -> None:
    @server.tool(description="A resource within a result.")
    def test_embedded_resource() -> list[EmbeddedResource]:
        return [embedded("test://embedded-resource", "This is an embedded resource content.")]

    @server.tool(description="Several blocks.")
    def test_multiple_content_types() -> list[ContentBlock]:
        data = '{"test":"data","value":123}'
        return [
            TextContent(type="text", text="Multiple content types test:"),
            IMAGE,
            embedded("test://mixed-content-resource", data, "application/json"),
        ]

    @server.tool(description="Tells its progress.")
    async def test_tool_with_progress(context: Context) -> str:
        for done in (0, 50, 100):
            await context.report_progress(done, 100, f"Completed step {done} of 100")
            await anyio.sleep(0.05)
        return "done"

    @server.tool(description="Fails.")
    def test_error_handling() -> str:
        raise ToolError("This tool intentionally returns an error for testing")


def add_resources(server: MCPServer[None]) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        return b"\x89PNG\r\n\x1a\n"

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:
        return f'{{"id": "{id}", "templateTest": true, "data": "Data for ID: {id}"}}'


def add_prompts(server: MCPServer[None]) -> None:
    @server.prompt(description="Without arguments.")
    def test_simple_prompt() -> str:
        return "This is a simple prompt for testing."

    @server.prompt(description="With arguments.")
    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @server.prompt(description="With a resource.")
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803
        return [
            UserMessage(embedded(resourceUri, "Embedded resource content for testing.")),
            UserMessage("Please process the embedded resource above."),
        ]

    @server.prompt(description="With an image.")
    def test_prompt_with_image() -> list[UserMessage]:
        return [UserMessage(IMAGE), UserMessage("Please analyze the image above.")]


def main() -> None:
    logs.configure("CRITICAL", ())  # the suite provokes errors
    server = build(as_nobody("The conformance suite brings no key."))
    add_tools(server)
    add_tools_that_do_more(server)
    add_resources(server)
    add_prompts(server)
    port = int(sys.argv[1])
    uvicorn.run(transported(server), host="127.0.0.1", port=port, log_config=None)


if __name__ == "__main__":
    main()
