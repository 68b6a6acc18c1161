"""The configuration of programs and agents: the same key and address, written for each of them."""

import json
from typing import Any, Final

PLACEHOLDER: Final = "your-key"
Snippet = tuple[str, str, str]
"""Title, language, text."""


def agents(base_url: str, key: str) -> list[Snippet]:
    """Hosts of the Model Context Protocol."""
    environment = {"SERVICE_BASE_URL": base_url, "SERVICE_API_KEY": key}
    command = "/home/you/.citegrid-mcp/bin/citegrid"
    server: dict[str, Any] = {"command": command, "args": ["mcp"], "env": environment}
    asking = {
        "inputs": [
            {
                "type": "promptString",
                "id": "citegrid-key",
                "description": "Citegrid API key",
                "password": True,
            }
        ],
        "servers": {
            "citegrid": {
                "type": "stdio",
                **server,
                "env": {**environment, "SERVICE_API_KEY": "${input:citegrid-key}"},
            }
        },
    }
    return [
        ("Claude Code", "sh", _claude_code(command, base_url, key)),
        ("Claude Desktop, Cursor", "json", _pretty({"mcpServers": {"citegrid": server}})),
        ("VS Code", "json", _pretty(asking)),
    ]


def _claude_code(command: str, base_url: str, key: str) -> str:
    return (
        f"claude mcp add citegrid --env SERVICE_BASE_URL={base_url} \\\n"
        f"  --env SERVICE_API_KEY={key} -- {command} mcp"
    )


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def programs(base_url: str, key: str) -> list[Snippet]:
    """Ask a question and read the answer."""
    question = "What happens when a worker is killed?"
    python = f"""\
from citegrid import Client

with Client("{base_url}", "{key}") as client:
    result = client.searches.ask("{question}")
    print(result.answer)
    for source in result.sources:
        print(source.n, source.url)"""
    cli = f"""\
export SERVICE_BASE_URL={base_url}
export SERVICE_API_KEY={key}
citegrid ask "{question}\""""
    curl = f"""\
curl -sf "{base_url}/external/v1/search" -H "X-API-Key: {key}" \\
  -H "Content-Type: application/json" -d '{{"query": "{question}"}}'
# then, with the id of the answer:
curl -sf "{base_url}/external/v1/search/ID?wait=30" -H "X-API-Key: {key}\""""
    return [("Python", "python", python), ("Command line", "sh", cli), ("curl", "sh", curl)]


def install() -> Snippet:
    """Returns how to install what agents' hosts start, in an environment of its own."""
    text = (
        "python3 -m venv ~/.citegrid-mcp\n"
        "~/.citegrid-mcp/bin/pip install './client[mcp]'\n"
        "~/.citegrid-mcp/bin/citegrid mcp --check"
    )
    return ("Install, from this repository", "sh", text)
