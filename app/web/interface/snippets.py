"""Snippets for programs that do what a page does: title, text to copy, language."""

from typing import Final

_KEY: Final = '-H "X-API-Key: $SERVICE_API_KEY"'

ASKING: Final = (
    (
        "curl",
        "sh",
        f'curl -s "$SERVICE_BASE_URL/external/v1/search" {_KEY} \\\n'
        """  -H "Content-Type: application/json" -d '{"query": "How do I start?"}'""",
    ),
    (
        "Python",
        "python",
        """from citegrid import Client

with Client() as client:
    print(client.searches.ask("How do I start?").answer)""",
    ),
    ("Command line", "sh", 'citegrid ask "How do I start?"'),
)


def reading_a_search(id: str) -> tuple[tuple[str, str, str], ...]:
    """The answer with every quote."""
    return (
        ("curl", "sh", f'curl -s "$SERVICE_BASE_URL/external/v1/search/{id}" \\\n  {_KEY}'),
        ("Command line", "sh", f"citegrid search get {id} --sources"),
    )
