"""API keys: what programs prove themselves with."""

from collections.abc import Sequence
from dataclasses import field
from datetime import datetime
from typing import Literal, Unpack

from citegrid.calls import UNSET, Call, Unset, json_of, nothing
from citegrid.nouns.noun import M, Noun, operation
from citegrid.nouns.pagination import Page, PageOptions, every, page_of
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject

Scope = Literal["search", "jobs", "memory", "campaigns", "nodes", "chat", "corpora"]


class ApiKey(ApiObject):
    """A key without its secret; `corpora` are those to which it is limited, None for no limit."""

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
    # A server of the release before has no such field; one of this release always says it.
    corpora: tuple[str, ...] | None = field(default_factory=lambda: None)


class NewApiKey(ApiObject):
    """A key with its secret, which is never shown again."""

    api_key: ApiKey
    secret: str = field(repr=False)


class ApiKeys(Noun[M]):
    """`client.api_keys`; takes an access token, see `client.sign_in`."""

    @operation("GET", "/v1/api-keys", Access.ACCOUNT)
    def list(self, **page: Unpack[PageOptions]) -> Call[Page[ApiKey]]:
        """One page of the account's keys, newest first, including revoked ones; `limit` is 1 to
        200."""
        return Call(page_of("api_keys", ApiKey))

    iterate = every(list, "All of the account's keys, newest first, page after page.")

    @operation("POST", "/v1/api-keys", Access.ACCOUNT, makes=True)
    def create(
        self,
        name: str,
        scopes: Sequence[Scope],
        *,
        expires_at: datetime | None = None,
        corpora: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Call[NewApiKey]:
        """Create a key; only this answer has its secret.

        `corpora` are names or ids of yours to which it is limited: it searches, shows and changes
        nothing else, and sees only searches of its own.
        """
        return Call(json_of(NewApiKey))

    @operation("PATCH", "/v1/api-keys/{key_id}", Access.ACCOUNT)
    def update(
        self,
        key_id: str,
        *,
        name: str | Unset = UNSET,
        scopes: Sequence[Scope] | Unset = UNSET,
        expires_at: datetime | Unset | None = UNSET,
        corpora: Sequence[str] | Unset | None = UNSET,
    ) -> Call[ApiKey]:
        """Change the given fields; `expires_at=None` removes the expiry, and `corpora=None` the
        limit."""
        return Call(json_of(ApiKey, inside="api_key"))

    @operation("DELETE", "/v1/api-keys/{key_id}", Access.ACCOUNT)
    def delete(self, key_id: str) -> Call[None]:
        """Revoke a key, permanently."""
        return Call(nothing)

    @operation("POST", "/v1/api-keys/{key_id}/roll", Access.ACCOUNT, makes=True)
    def roll(
        self, key_id: str, overlap_hours: int, *, idempotency_key: str | None = None
    ) -> Call[NewApiKey]:
        """Replace a key with a new one; the old key ends after the overlap, with 0 immediately."""
        return Call(json_of(NewApiKey))
