"""API keys: what programs prove themselves with."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from citegrid.noun import M, Noun, iteration, operation
from citegrid.pagination import Page, page_of, walk
from citegrid.profiles.credentials import Access
from citegrid.service import UNSET, Call, Unset, json_of, nothing
from citegrid.transport.codec import Answered
from citegrid.transport.exchange import Produce

Scope = Literal["search", "jobs", "memory", "campaigns", "nodes", "chat"]


@dataclass(frozen=True, slots=True)
class ApiKey(Answered):
    """A key without its secret."""

    id: str
    name: str
    scopes: tuple[str, ...]
    prefix: str
    last_four: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    replaced_by: str | None


@dataclass(frozen=True, slots=True)
class NewApiKey(Answered):
    """A key with its secret, which is never shown again."""

    api_key: ApiKey
    secret: str = field(repr=False)


class ApiKeys(Noun[M]):
    """`client.api_keys`; takes an access token, see `client.sign_in`."""

    @operation("GET", "/v1/api-keys", Access.ACCOUNT)
    def list(self, *, limit: int | None = None, cursor: str | None = None) -> Call[Page[ApiKey]]:
        """One page of the account's keys, newest first, ended ones too; `limit` is 1 to 200."""
        query = {"limit": limit, "cursor": cursor}
        return Call(into=page_of("api_keys", ApiKey), query=query)

    @iteration
    def iterate(self) -> Produce[ApiKey]:
        """All of the account's keys, newest first, page after page."""
        return walk(lambda cursor: ApiKeys.list.steps(self, limit=200, cursor=cursor))

    @operation("POST", "/v1/api-keys", Access.ACCOUNT, makes=True)
    def create(
        self,
        name: str,
        scopes: Sequence[Scope],
        *,
        expires_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> Call[NewApiKey]:
        """Create a key; its secret is in this answer only."""
        return Call(
            into=json_of(NewApiKey),
            body={"name": name, "scopes": tuple(scopes), "expires_at": expires_at},
            idempotency_key=idempotency_key,
        )

    @operation("PATCH", "/v1/api-keys/{key_id}", Access.ACCOUNT)
    def update(
        self,
        key_id: str,
        *,
        name: str | Unset = UNSET,
        scopes: Sequence[Scope] | Unset = UNSET,
        expires_at: datetime | Unset | None = UNSET,
    ) -> Call[ApiKey]:
        """Change what is given; `expires_at=None` lets it live on."""
        kept = scopes if isinstance(scopes, Unset) else tuple(scopes)
        return Call(
            into=json_of(ApiKey, inside="api_key"),
            path={"key_id": key_id},
            body={"name": name, "scopes": kept, "expires_at": expires_at},
        )

    @operation("DELETE", "/v1/api-keys/{key_id}", Access.ACCOUNT)
    def delete(self, key_id: str) -> Call[None]:
        """Revoke a key; one that is revoked stays so."""
        return Call(into=nothing, path={"key_id": key_id})

    @operation("POST", "/v1/api-keys/{key_id}/roll", Access.ACCOUNT, makes=True)
    def roll(
        self, key_id: str, overlap_hours: int, *, idempotency_key: str | None = None
    ) -> Call[NewApiKey]:
        """Replace a key by a new one; the old one ends after the overlap, with 0 at once."""
        return Call(
            into=json_of(NewApiKey),
            path={"key_id": key_id},
            body={"overlap_hours": overlap_hours},
            idempotency_key=idempotency_key,
        )
