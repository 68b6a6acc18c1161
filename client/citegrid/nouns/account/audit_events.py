"""Audit events: who did what in the account."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from citegrid.nouns.noun import M, Noun, operation
from citegrid.nouns.pagination import Page, every, page_of
from citegrid.profiles.credentials import Access
from citegrid.service import Call
from citegrid.transport.codec import ApiObject


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
        self, *, action: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> Call[Page[AuditEvent]]:
        """One page of the account's audit log, newest first; `action` may be a noun."""
        return Call(page_of("audit_events", AuditEvent))

    iterate = every(list, "All of them, newest first, page after page.")
