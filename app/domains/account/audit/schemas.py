"""Queries and answers of the audit log."""

from marshmallow import validate

from app.core.http import fields
from app.core.http.fields import AnswerSchema, FullMatch, PublicId, Time, id_pattern
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun

ACTION = r"[a-z_]+(\.[a-z_]+)?"


class AuditEventsIn(PageIn):
    action = fields.Str(
        validate=[validate.Length(max=60), FullMatch(rf"\A{ACTION}\Z")],
        description="An action or its noun: `key` also matches `key.created`.",
        pattern=f"^{ACTION}$",
    )


class AuditEventSchema(AnswerSchema):
    id = PublicId(Noun.AUDIT_EVENT)
    at = Time()
    actor = fields.Str(
        description="`session`, `key` or `node` of the account, `operator`, `cli` (a "
        "command on the server), `system` (the service) or `anonymous`."
    )
    api_key = fields.Str(
        allow_none=True, description="Id of the API key used.", pattern=id_pattern(Noun.API_KEY)
    )
    action = fields.Str(description="`noun.verb`.")
    object = fields.Str(allow_none=True, description="Id or name of the object.")
    facts = fields.Dict(keys=fields.Str(), description="Names, ids and numbers, without secrets.")
    address = fields.Str(allow_none=True, description="Network address of the actor.")
    request_id = fields.Str(allow_none=True, pattern=id_pattern(Noun.REQUEST))


AuditEventsOut = page_schema("AuditEventsOut", audit_events=AuditEventSchema)
