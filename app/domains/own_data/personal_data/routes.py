"""/v1/account: taking out everything an account has, and having it deleted."""

from datetime import UTC
from typing import Any

from flask import Response, current_app, request, url_for

from app.core import db
from app.core.errors import Forbidden, Overloaded
from app.core.http import Blueprint, account_only, caller, current_settings, raises
from app.core.http.exports.slots import SlotStream
from app.core.http.idempotency import once
from app.domains.account.accounts.sign_in import sessions
from app.domains.account.accounts.sign_in.authentication import DEMO
from app.domains.account.accounts.sign_in.login import proving
from app.domains.account.accounts.sign_in.session_store import Login
from app.domains.own_data.personal_data import deletion, schemas, service
from app.domains.own_data.personal_data.presentation import WATCHED, present
from app.domains.queue.jobs.admission.acceptance import Accepted, accepted


class NotConfirmed(Forbidden):
    """The e-mail or password is wrong, so nothing was deleted. See `details`."""

    code = "deletion_not_confirmed"


personal_data = Blueprint(
    "personal-data",
    __name__,
    url_prefix="/v1/account",
    description="Export and deletion of the account.",
)


@personal_data.post("/export", operation="exportAccount")
@account_only
@personal_data.response(202, schemas.AccountExportOut)
def export() -> Accepted:
    """Export all data of the account to one file and delete the previous export.

    Returns an export in progress, if there is one. Poll the address in `Location`.
    """

    def make(tx: db.Tx) -> dict[str, Any]:
        kept_seconds = current_settings().account_export_kept_days * 86_400
        return {"export": present(service.request(tx, caller().account_id, kept_seconds))}

    return accepted(once({}, make, schemas.AccountExportOut), url_for("personal-data.show"))


@personal_data.get("/export", operation="getAccountExport")
@account_only
@raises(service.ExportNotFound)
@personal_data.arguments(schemas.ExportWaitIn, location="query")
@personal_data.response(200, schemas.AccountExportOut)
def show(wanted: dict[str, Any]) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Get the export of the account. `wait` is the maximum number of seconds to wait for it."""
    account_id = caller().account_id
    found, headers = WATCHED.show(account_id, account_id, wanted["wait"])
    return {"export": present(found)}, 200, headers


@personal_data.get("/export/file", operation="downloadAccountExport")
@account_only
@raises(service.ExportNotFound, service.ExportNotReady, Overloaded)
@personal_data.response(200, schemas.FILE, content_type=schemas.ZIP)
def download() -> Response:
    """Download the export, a ZIP archive with one NDJSON file per list."""
    return file()


def file() -> Response:
    """The caller's export as a download. Raises ExportNotFound, ExportNotReady, Overloaded."""
    with db.transaction() as tx:
        export = service.ready(tx, caller().account_id)
        if request.method == "GET":
            service.note_download(tx, export)
    name = f"citegrid-account-{export.created_at.astimezone(UTC):%Y-%m-%d}.zip"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Length": str(export.bytes),
        "X-Accel-Buffering": "no",
    }
    if request.method == "HEAD":  # its body is never iterated, nor closed
        return Response(content_type=schemas.ZIP, headers=headers)
    release = current_app.extensions["exports"].take()
    body = SlotStream(service.pieces(current_settings(), export), release)
    return Response(body, content_type=schemas.ZIP, headers=headers)


@personal_data.delete("", operation="deleteAccount")
@account_only
@raises(NotConfirmed, deletion.ObligationsOpen, deletion.BalanceRemains, Overloaded)
@personal_data.arguments(schemas.DeletionIn)
@personal_data.response(200, schemas.DeletionOut)
def delete(body: dict[str, Any]) -> dict[str, Any]:
    """Delete the account. Revokes all credentials and cancels all jobs immediately.

    All data is erased at `erase_at`; sign in before then to keep the account. A wrong `password`
    counts as a failed sign-in.
    """
    account_id = caller().account_id
    login = _proven(body)
    with db.transaction() as tx:
        sessions.hold(tx, login)
        leaving = deletion.request(
            tx,
            account_id,
            grace_seconds=current_settings().account_deletion_grace_days * 86_400,
            give_up_balance=body["give_up_balance"],
        )
    return {"deletion": leaving._asdict()}


def _proven(body: dict[str, Any]) -> Login:
    """The caller's own login, if e-mail and password are its own. Raises NotConfirmed."""
    with db.reading() as reader:
        login = sessions.login_of(reader, caller().account_id)
    if body["email"].lower() != login.email.lower():
        raise NotConfirmed.at("/email", "This is not the e-mail of the account that is signed in.")
    if login.id == DEMO:
        problem = "The demo account has no password and cannot be deleted."
        raise NotConfirmed.at("/password", problem)
    try:
        with proving(login.email) as hashing:
            return sessions.prove(login, body["password"], hashing)
    except sessions.AuthInvalidCredentials:
        raise NotConfirmed.at("/password", "This is not the password of the account.") from None
