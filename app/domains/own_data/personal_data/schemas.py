"""Bodies and answers of exports and of deleting an account."""

from typing import Any, Final

from marshmallow import Schema, validate

from app.core.http import fields
from app.core.http.fields import AnswerSchema, Flag, PublicId, Time
from app.core.http.long_poll import wait_until
from app.core.ids import Noun
from app.domains.account.accounts.emails import MOST_CHARACTERS
from app.domains.account.accounts.schemas import Password
from app.domains.queue.jobs.statuses import STATUSES

ZIP: Final = "application/zip"


class ExportWaitIn(Schema):
    wait = wait_until("written")


class ExportProgressSchema(AnswerSchema):
    percent = fields.Int()
    stage = fields.Str(description="List in progress.")


class ExportFailureSchema(AnswerSchema):
    code = fields.Str()
    message = fields.Str()
    retryable = fields.Bool()


class AccountExportSchema(Schema):
    id = PublicId(Noun.EXPORT, required=True)
    status = fields.Str(required=True, validate=validate.OneOf(STATUSES))
    created_at = Time(required=True)
    completed_at = Time(required=True, allow_none=True)
    expires_at = Time(
        required=True, description="Expiry of the file. You can request another export."
    )
    progress = fields.Nested(ExportProgressSchema, required=True)
    bytes = fields.Int(required=True, allow_none=True, description="Size of the completed file.")
    lines = fields.Dict(
        keys=fields.Str(),
        values=fields.Int(),
        required=True,
        description="Lines per file in the completed export.",
    )
    error = fields.Nested(ExportFailureSchema, description="Only if failed.")


class AccountExportOut(AnswerSchema):
    export = fields.Nested(AccountExportSchema)


class DeletionIn(Schema):
    """Proof that the caller owns the account to delete."""

    # Compared with the one of the account, whatever that is: the demo account's is no address.
    email = fields.Str(required=True, validate=validate.Length(1, MOST_CHARACTERS))
    password = Password()
    give_up_balance = Flag(
        load_default=False, description="Give up the remaining credit and rewards."
    )


class DeletionSchema(AnswerSchema):
    requested_at = Time()
    erase_at = Time(description="Time of erasure. Sign in before then to keep the account.")


class DeletionOut(AnswerSchema):
    deletion = fields.Nested(DeletionSchema)


FILE: Final[dict[str, Any]] = {
    "type": "string",
    "format": "binary",
    "description": "A ZIP archive with a manifest and one NDJSON file per list.",
}
