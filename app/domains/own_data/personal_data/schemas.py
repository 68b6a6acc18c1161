"""Bodies and answers of exports and of deleting an account."""

from typing import Any, Final

from marshmallow import Schema, fields, validate

from app.core.http.fields import Flag, PublicId, Time
from app.core.http.long_poll import wait_until
from app.core.ids import Noun
from app.domains.account.accounts.schemas import Email, Password
from app.domains.queue.jobs.statuses import STATUSES

ZIP: Final = "application/zip"


class ExportWaitIn(Schema):
    wait = wait_until("written")


class ExportProgressSchema(Schema):
    percent = fields.Int(required=True)
    stage = fields.Str(required=True, metadata={"description": "The list that is being read."})


class ExportFailureSchema(Schema):
    code = fields.Str(required=True)
    message = fields.Str(required=True)
    retryable = fields.Bool(required=True)


class AccountExportSchema(Schema):
    id = PublicId(Noun.EXPORT, required=True)
    status = fields.Str(required=True, validate=validate.OneOf(STATUSES))
    created_at = Time(required=True)
    completed_at = Time(required=True, allow_none=True)
    expires_at = Time(
        required=True, metadata={"description": "When it is deleted; another one can be requested."}
    )
    progress = fields.Nested(ExportProgressSchema, required=True)
    bytes = fields.Int(
        required=True, allow_none=True, metadata={"description": "Of the file, when completed."}
    )
    lines = fields.Dict(
        keys=fields.Str(),
        values=fields.Int(),
        required=True,
        metadata={"description": "How many lines each file in it has, when completed."},
    )
    error = fields.Nested(ExportFailureSchema, metadata={"description": "Only when failed."})


class AccountExportOut(Schema):
    export = fields.Nested(AccountExportSchema, required=True)


class DeletionIn(Schema):
    """Who deletes an account proves that it is theirs, and says which one it is."""

    email = Email()
    password = Password()
    give_up_balance = Flag(
        load_default=False,
        metadata={"description": "Leave remaining credit and rewards to the operator."},
    )


class DeletionSchema(Schema):
    requested_at = Time(required=True)
    erase_at = Time(
        required=True,
        metadata={"description": "When everything is erased; signing in before keeps the account."},
    )


class DeletionOut(Schema):
    deletion = fields.Nested(DeletionSchema, required=True)


FILE: Final[dict[str, Any]] = {
    "type": "string",
    "format": "binary",
    "description": "A ZIP of one NDJSON file for each list, with a manifest.",
}
