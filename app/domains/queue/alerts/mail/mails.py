"""Mails: promised in the transaction of what they tell, and their turn at the mail server."""

import re
import secrets
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from app.core import ids
from app.core.db import Tx
from app.domains.queue.alerts.mail import address_store, mail_store, texts
from app.domains.queue.alerts.mail.mail_store import DueMail
from app.domains.queue.alerts.mail.terms import MailTerms, hashed
from app.domains.queue.alerts.things import NOUNS
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.kinds import EndedJob
from app.domains.queue.jobs.service import enqueue

_TOKEN_BYTES: Final = 32
TOKEN: Final = re.compile(r"[\w-]{43}", re.ASCII)
"""The form of a token in a link."""


def _given_up(tx: Tx, job: EndedJob) -> None:
    error = (job.error or {}).get("code", job.state)
    mail_store.end(tx, job.id, "failed", str(error))


KIND = kinds.register(
    "alerts.mail",
    queue="webhooks",
    deadline_seconds=86_400,  # as long as a request to confirm can be used
    pauses=(5, 60, 300, 1_800, 7_200, 18_000, 28_800),
    ids_per_message=1,  # a mail server that hangs keeps nothing else waiting
    on_end=_given_up,
)


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail to be handed over. It has the same `id` at each attempt."""

    id: UUID
    to: str
    subject: str
    text: str
    stop_url: str
    at: float


def ask(tx: Tx, account_id: UUID, email: str, terms: MailTerms) -> UUID:
    """Promise a request to confirm an address of the account; returns the address."""
    id = ids.new()
    hash, stop_token = hashed(terms.token(id)), new_token()
    row = {"id": ids.new(), "account_id": account_id, "email": email}
    address_id = address_store.ask(tx, **row, token_hash=hash, stop_token=stop_token)
    _promise(tx, account_id, address_id, None, texts.REQUEST_SUBJECT, texts.request(), id)
    return address_id


def new_token() -> str:
    return secrets.token_urlsafe(_TOKEN_BYTES)


def tell(
    tx: Tx, account_id: UUID, address_id: UUID, alert_id: UUID, subject: str, body: str
) -> None:
    _promise(tx, account_id, address_id, alert_id, subject, body)


def _promise(
    tx: Tx,
    account_id: UUID,
    address_id: UUID,
    alert_id: UUID | None,
    subject: str,
    body: str,
    id: UUID | None = None,
) -> None:
    noun = mail_store.insertion(address_id, alert_id, subject, body)
    enqueue(tx, KIND, account_id, {}, id=id, noun=noun)


def begin(tx: Tx, id: UUID, terms: MailTerms) -> Letter | None:
    """The mail with its links; None if nobody wants it any more."""
    due = mail_store.due(tx, id)
    if due is None or due.status != "waiting":
        return None
    if not due.wanted:
        mail_store.end(tx, id, "failed", "not_wanted")
        return None
    if due.alert_id is not None:
        return _letter(due, terms.address(_path(due)), terms)
    if (token := terms.token_of_hash(id, due.token_hash)) is None:
        mail_store.end(tx, id, "failed", "token_replaced")
        return None
    return _letter(due, terms.address(f"/alerts/confirm/{token}"), terms)


def _letter(due: DueMail, link: str, terms: MailTerms) -> Letter:
    stop_url = terms.address(f"/alerts/stop/{due.stop_token}")
    asks = due.alert_id is None
    text = texts.whole(due.body, link, stop_url, terms.base_url, asks=asks)
    return Letter(
        id=due.id,
        to=due.email,
        subject=due.subject,
        text=text,
        stop_url=stop_url,
        at=due.created_at.timestamp(),
    )


def _path(due: DueMail) -> str:
    if due.about == "queue":
        return f"/ops/queues/{due.queue}"
    noun = NOUNS["monitor" if due.about == "monitor" else "campaign"]
    return f"/{due.about}s/{ids.public(noun, due.about_id or UUID(int=0))}"
