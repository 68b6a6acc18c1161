"""The forms of API keys, and examples that use a new secret."""

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final

from werkzeug.datastructures import MultiDict

SCOPES: Final = (
    ("search", "search: Ask questions and read the answers."),
    ("jobs", "jobs: Extract records, monitor pages and manage webhooks."),
    ("memory", "memory: Read and change the memory of your personas."),
    (
        "campaigns",
        "campaigns: Start campaigns and read their records. Only a signed-in user can add funds.",
    ),
    ("nodes", "nodes: Register nodes and see their work and rewards."),
    ("chat", "chat: Chat with provider models. Chats are charged to your credit."),
    ("corpora", "corpora: Upload documents to search, and delete them."),
)
"""With their texts, the one that can do least first."""

LIVES: Final = {"30": "30 days", "90": "90 days", "365": "1 year", "": "Never"}
OVERLAPS: Final = {
    "0": "Immediately",
    "1": "In 1 hour",
    "24": "In 24 hours",
    "168": "In 7 days",
}

_HARMLESS: Final = (
    ("search", "/external/v1/search?limit=1"),
    ("jobs", "/v1/extract/jobs?limit=1"),
    ("memory", "/v1/personas?limit=1"),
    ("campaigns", "/v1/campaigns?limit=1"),
    ("nodes", "/v1/nodes?limit=1"),
    ("corpora", "/v1/corpora?limit=1"),
)
"""A reading call that each scope opens."""


def body(form: MultiDict[str, str]) -> dict[str, Any]:
    """As createApiKey takes it. A key ends with a day, so that a form sent twice says the same."""
    days = form.get("life", "90")
    expires_at = None
    if days in LIVES and days:
        last = datetime.now(UTC).date() + timedelta(days=int(days))
        expires_at = datetime.combine(last, time.max, UTC).isoformat()
    return {
        "name": form.get("name", ""),
        "scopes": form.getlist("scopes"),
        "corpora": form.getlist("corpora") or None,
        "expires_at": expires_at,
    }


def names(ids: Sequence[str], corpora: Sequence[tuple[str, str]]) -> list[str]:
    return [dict(corpora).get(id, "a deleted corpus") for id in ids]


def masked(key: dict[str, Any]) -> str:
    """Returns what may be shown of a key at any time."""
    return f"{key['prefix']}…{key['last_four']}"


def state(key: dict[str, Any]) -> tuple[str, str]:
    """A chip's word, and the words beside it."""
    if key["revoked_at"]:
        return "revoked", "Revoked"
    if key["expires_at"] and datetime.fromisoformat(key["expires_at"]) <= datetime.now(UTC):
        return "expired", "Replaced" if key["replaced_by"] else "Expired"
    if key["replaced_by"]:
        return "stale", "Being replaced"
    return "ready", "Active"


def works(key: dict[str, Any]) -> bool:
    """True if the API takes it now."""
    return state(key)[0] in ("ready", "stale")


def snippets(secret: str, scopes: Sequence[str], base_url: str) -> list[tuple[str, str, str]]:
    env = f"SERVICE_BASE_URL={base_url}\nSERVICE_API_KEY={secret}"
    path = next((path for scope, path in _HARMLESS if scope in scopes), None)
    if path is None:
        return [(".env", "sh", env)]
    call = f'curl -sf "{base_url}{path}" -H "X-API-Key: {secret}"'
    return [(".env", "sh", env), ("Try it with curl", "sh", call)]
