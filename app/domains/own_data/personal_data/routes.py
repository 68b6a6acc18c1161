"""/v1/account: taking out everything an account has, and having it deleted."""

from datetime import UTC
from typing import Any

from flask import Response, current_app, request, url_for

from app.core import db
from app.core.config.settings import Settings
from app.core.errors import Forbidden, Overloaded
from app.core.http import Blueprint, account_only, caller, raises
from app.core.http.idempotency import once
from app.core.http.released import SlotStream
from app.domains.account.accounts.sign_in import login as signing_in
from app.domains.account.accounts.sign_in import sessions
from app.domains.account.accounts.sign_in.session_store import Login
from app.domains.own_data.personal_data import deletion, schemas, service
from app.domains.own_data.personal_data.presentation import WATCHED, as_json, present
from app.domains.queue.jobs.watch import POLL_SECONDS


class NotConfirmed(Forbidden):
    """E-mail or password are not those of the account, so nothing was deleted; see `details`."""

    code = "deletion_not_confirmed"


bp = Blueprint(
    "personal-data",
    __name__,
    url_prefix="/v1/account",
    description="Everything an account has as one file, and deleting the account.",
)


def _settings() -> Settings:
    settings: Settings = current_app.extensions["settings"]
    return settings


@bp.post("/export")
@account_only
@bp.response(202, schemas.AccountExportOut)
@bp.doc(operationId="exportAccount")
def export() -> tuple[dict[str, Any], int, dict[str, str]]:
    """Write everything the account has into one file; the one before is deleted.

    While one is being written it is returned. Read it at the address in `Location`.
    """

    def make(tx: db.Tx) -> dict[str, Any]:
        kept_seconds = _settings().account_export_kept_days * 86_400
        return {"export": as_json(service.request(tx, caller().account_id, kept_seconds))}

    headers = {"Location": url_for("personal-data.show"), "Retry-After": str(POLL_SECONDS)}
    return once({}, make), 202, headers


@bp.get("/export")
@account_only
@raises(service.ExportNotFound)
@bp.arguments(schemas.ExportWaitIn, location="query")
@bp.response(200, schemas.AccountExportOut)
@bp.doc(operationId="getAccountExport")
def show(wanted: dict[str, Any]) -> tuple[dict[str, Any], int, dict[str, str]]:
    """The account's export; with `wait`, held up to so many seconds until it is written."""
    found, headers = WATCHED.show(caller().account_id, "", wanted["wait"])
    return {"export": present(found)}, 200, headers


@bp.get("/export/file")
@account_only
@raises(service.ExportNotFound, service.ExportNotReady, Overloaded)
@bp.response(200, schemas.FILE, content_type=schemas.ZIP)
@bp.doc(operationId="downloadAccountExport")
def download() -> Response:
    """The file: a ZIP of one NDJSON file for each list."""
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
    body = SlotStream(service.pieces(_settings(), export), release)
    return Response(body, content_type=schemas.ZIP, headers=headers)


@bp.delete("")
@account_only
@raises(NotConfirmed, deletion.ObligationsOpen, deletion.BalanceRemains, Overloaded)
@bp.arguments(schemas.DeletionIn)
@bp.response(200, schemas.DeletionOut)
@bp.doc(operationId="deleteAccount")
def delete(body: dict[str, Any]) -> dict[str, Any]:
    """Delete the account: keys, tokens and sign-ins end now, and all that runs is stopped.

    Everything is erased at `erase_at`; signing in before keeps the account. A wrong `password` is a
    failed attempt to sign in, and slowed down as such.
    """
    account_id = caller().account_id
    login = _proven(body)
    with db.transaction() as tx:
        sessions.hold(tx, login)
        leaving = deletion.request(
            tx,
            account_id,
            grace_seconds=_settings().account_deletion_grace_days * 86_400,
            give_up_balance=body["give_up_balance"],
        )
    return {"deletion": leaving._asdict()}


def _proven(body: dict[str, Any]) -> Login:
    """The caller's own login, if e-mail and password are its own. Raises NotConfirmed."""
    with db.reading() as reader:
        login = sessions.login_of(reader, caller().account_id)
    if body["email"].lower() != login.email.lower():
        problem = "This is not the e-mail of the account that is signed in."
        raise NotConfirmed(details=[{"field": "/email", "problem": problem}])
    try:
        with signing_in.proving(login.email) as hashing:
            return sessions.prove(login, body["password"], hashing)
    except sessions.AuthInvalidCredentials:
        problem = "This is not the password of the account."
        raise NotConfirmed(details=[{"field": "/password", "problem": problem}]) from None
