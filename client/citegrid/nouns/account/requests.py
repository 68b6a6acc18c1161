"""Requests to the API, by the id that every answer carries, and audit events: who did what."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, Unpack

from citegrid.calls import Call, json_of
from citegrid.errors import Detail
from citegrid.nouns.noun import M, Noun, operation
from citegrid.nouns.pagination import Page, PageOptions, every, page_of
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject

StatusClass = Literal["2xx", "3xx", "4xx", "5xx"]
HttpMethod = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]


class RequestKey(ApiObject):
    """The API key that was used."""

    id: str
    name: str
    prefix: str
    last_four: str


class RequestCost(ApiObject):
    """The amount that the account was charged."""

    token: str
    amount: Decimal


class RequestListed(ApiObject):
    """A request as lists show it; `source` is `key`, `token` or `page`."""

    id: str
    at: datetime
    method: str
    path: str
    operation: str | None
    status: int
    code: str | None
    milliseconds: float
    source: str
    api_key: RequestKey | None
    cost: RequestCost | None
    replayed: bool


class RequestError(ApiObject):
    """The error in the answer."""

    code: str
    message: str
    details: tuple[Detail, ...] = ()
    details_omitted: int = 0


class Request(RequestListed):
    """A request; `made` is the id of what it started. Bodies are never kept."""

    route: str
    headers: Mapping[str, str]
    error: RequestError | None
    made: str | None


class Requests(Noun[M]):
    """`client.requests`; takes an access token, see `client.sign_in`."""

    @operation("GET", "/v1/requests", Access.ACCOUNT)
    def list(
        self,
        *,
        status: StatusClass | None = None,
        method: HttpMethod | None = None,
        api_key: str | None = None,
        **page: Unpack[PageOptions],
    ) -> Call[Page[RequestListed]]:
        """One page of the account's requests, newest first; `api_key` is the id of a key."""
        return Call(page_of("requests", RequestListed))

    iterate = every(list, "All of them, newest first, page after page.")

    @operation("GET", "/v1/requests/{request_id}", Access.ACCOUNT)
    def get(self, request_id: str) -> Call[Request]:
        """One request by the `request_id` of its answer."""
        return Call(json_of(Request, inside="request"))


class AuditEvent(ApiObject):
    """`action` is `noun.verb`; `actor` is `session`, `key`, `node`, `operator`, `cli`, `system` or
    `anonymous`; `api_key` is the id of the key that acted."""

    id: str
    at: datetime
    actor: str
    api_key: str | None
    action: str
    object: str | None
    facts: Mapping[str, Any]
    address: str | None
    request_id: str | None


class AuditEvents(Noun[M]):
    """`client.audit_events`; takes an access token, see `client.sign_in`."""

    @operation("GET", "/v1/audit-events", Access.ACCOUNT)
    def list(
        self, *, action: str | None = None, **page: Unpack[PageOptions]
    ) -> Call[Page[AuditEvent]]:
        """One page of the account's audit log, newest first; `action` may be a noun."""
        return Call(page_of("audit_events", AuditEvent))

    iterate = every(list, "All of them, newest first, page after page.")
