"""Queries and answers of the audit log."""

from marshmallow import Schema, fields, validate

from app.core.http.fields import PublicId, Time, id_pattern
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun

ACTION = r"[a-z_]+(\.[a-z_]+)?"


class AuditEventsIn(PageIn):
    action = fields.Str(
        validate=[validate.Length(max=60), validate.Regexp(rf"\A{ACTION}\Z")],
        metadata={
            "description": "A whole action, or its noun: `key` finds `key.created` too.",
            "pattern": f"^{ACTION}$",
        },
    )


class AuditEventSchema(Schema):
    id = PublicId(Noun.AUDIT_EVENT, required=True)
    at = Time(required=True)
    actor = fields.Str(
        required=True,
        metadata={
            "description": "`session`, `key` or `node` of the account, an `operator`, a command on"
            " the server (`cli`), the service itself (`system`), or nobody known (`anonymous`)."
        },
    )
    api_key = fields.Str(
        required=True,
        allow_none=True,
        metadata={
            "description": "The id of the key that acted.",
            "pattern": id_pattern(Noun.API_KEY),
        },
    )
    action = fields.Str(required=True, metadata={"description": "`noun.verb`."})
    object = fields.Str(
        required=True,
        allow_none=True,
        metadata={"description": "The id or the name of what it was done to."},
    )
    facts = fields.Dict(
        keys=fields.Str(),
        required=True,
        metadata={"description": "Names, ids and numbers; never a secret."},
    )
    address = fields.Str(
        required=True, allow_none=True, metadata={"description": "Of whoever acted."}
    )
    request_id = fields.Str(
        required=True, allow_none=True, metadata={"pattern": id_pattern(Noun.REQUEST)}
    )


AuditEventsOut = page_schema("AuditEventsOut", audit_events=AuditEventSchema)
