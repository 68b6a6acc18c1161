"""Alerts: one message when something crosses a threshold. Callers hold the transaction."""

from typing import Any, Final, NamedTuple
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.core.errors import Conflict, Invalid, NotFound, RateLimited, required
from app.core.ids import Noun
from app.domains.account.audit.service import record_event
from app.domains.queue.alerts import conditions, store, things
from app.domains.queue.alerts.conditions import About, Condition
from app.domains.queue.alerts.mail import address_store, mails
from app.domains.queue.alerts.mail.address_store import AlertAddress
from app.domains.queue.alerts.mail.terms import MailTerms, hashed
from app.domains.queue.alerts.store import Alert
from app.domains.queue.jobs.operations.queues import queue_store
from app.domains.queue.webhooks import store as webhook_store
from app.domains.queue.webhooks.service import WebhookNotFound

MOST_ALERTS: Final = 100
MOST_ASKED_BY_ACCOUNT: Final = 10
MOST_ASKED_OF_ADDRESS: Final = 3
_RETRY_SECONDS: Final = 3_600


class AlertNotFound(NotFound):
    """No alert with this id belongs to your account."""

    code = "alert_not_found"


class TooManyAlerts(Conflict):
    """An account can have 100 alerts. Delete one first."""

    code = "too_many_alerts"


class EmailNotConfigured(Conflict):
    """This server does not send e-mail. Use a webhook."""

    code = "email_not_configured"


class EmailRefused(Conflict):
    """The owner of this e-mail address does not want alerts from this server."""

    code = "email_refused"


class TooManyConfirmations(RateLimited):
    """Too many requests to confirm an e-mail address in 24 hours: 10 for an account, 3 for an
    address. Try again tomorrow."""

    code = "too_many_confirmations"


class AlertLinkInvalid(NotFound):
    """This link was used, has expired, or is incomplete."""

    code = "alert_link_invalid"


class AlertRequest(NamedTuple):
    """An alert that an account wants; one of `about_id` and `queue`, and of the two channels."""

    about: About
    about_id: UUID | None
    queue: str | None
    condition: Condition
    threshold: float | None
    email: str | None
    webhook_id: UUID | None


def create(
    tx: Tx, account_id: UUID, wanted: AlertRequest, terms: MailTerms, *, operator: bool
) -> Alert:
    """Raises Invalid, TooManyAlerts, EmailNotConfigured, EmailRefused, TooManyConfirmations."""
    _check(tx, account_id, wanted, operator=operator)
    if store.count_own(tx, account_id) >= MOST_ALERTS:
        raise TooManyAlerts
    address_id = None
    if wanted.email is not None:
        address_id = _address(tx, account_id, wanted.email, terms)
    id = ids.new()
    store.insert(
        tx,
        id=id,
        account_id=account_id,
        about=wanted.about,
        about_id=wanted.about_id,
        queue=wanted.queue,
        condition=wanted.condition,
        threshold=wanted.threshold,
        address_id=address_id,
        webhook_id=wanted.webhook_id,
        stop_token=mails.new_token(),
    )
    record_event(
        tx, "alert.created", ids.public(Noun.ALERT, id), account_id, condition=wanted.condition
    )
    return find(tx, account_id, id)


def _check(tx: Tx, account_id: UUID, wanted: AlertRequest, *, operator: bool) -> None:
    if not _is_there(tx, account_id, wanted, operator=operator):
        raise Invalid.at(f"/{wanted.about}", f"No {wanted.about} of yours has this id.")
    if found := conditions.problem(wanted.about, wanted.condition, wanted.threshold):
        field, problem = found
        raise Invalid.at(f"/{field}", problem)
    if wanted.webhook_id and not webhook_store.hold(tx, wanted.webhook_id, account_id):
        raise Invalid.at("/webhook", WebhookNotFound.message())


def _is_there(tx: Tx, account_id: UUID, wanted: AlertRequest, *, operator: bool) -> bool:
    """Queues are there for operators only."""
    if wanted.queue is not None:
        return operator and queue_store.by_name(tx, wanted.queue) is not None
    return wanted.about_id is not None and things.owns(
        tx, wanted.about, account_id, wanted.about_id
    )


def _address(tx: Tx, account_id: UUID, email: str, terms: MailTerms) -> UUID:
    """The address, asked to confirm unless it has done so or was asked in the last 24 hours."""
    if terms.server is None:
        raise EmailNotConfigured
    address_store.lock(tx, email)
    if address_store.refused(tx, email):
        raise EmailRefused
    known = address_store.of_account(tx, account_id, email)
    if known is not None and (known.confirmed_at is not None or known.asked_lately):
        return known.id
    if (
        address_store.asked_by(tx, account_id) >= MOST_ASKED_BY_ACCOUNT
        or address_store.asked(tx, email) >= MOST_ASKED_OF_ADDRESS
    ):
        raise TooManyConfirmations(retry_after=_RETRY_SECONDS)
    return mails.ask(tx, account_id, email, terms)


def find(reader: Reader, account_id: UUID, id: UUID) -> Alert:
    """An alert of this account. Raises AlertNotFound, also for another account's."""
    return required(store.by_id(reader, id, account_id), AlertNotFound)


def delete(tx: Tx, account_id: UUID, id: UUID) -> None:
    """Stop an alert for good; its messages that wait are not sent. Raises AlertNotFound."""
    if not store.delete(tx, id, account_id):
        raise AlertNotFound
    record_event(tx, "alert.deleted", ids.public(Noun.ALERT, id), account_id)


def forget(tx: Tx, about_id: UUID) -> None:
    store.delete_about(tx, about_id)


# What those who receive mails do, without an account.


def asked(reader: Reader, token: str) -> AlertAddress:
    """The address that a link would confirm. Raises AlertLinkInvalid."""
    return required(address_store.by_token(reader, hashed(token)), AlertLinkInvalid)


def confirm(tx: Tx, token: str) -> AlertAddress:
    """Alerts of its account reach this address from now on. Raises AlertLinkInvalid."""
    address = asked(tx, token)
    if not address_store.confirm(tx, address.id, hashed(token)):
        raise AlertLinkInvalid
    record_event(tx, "alert.email_confirmed", None, address.account_id)
    return address


class StopLink(NamedTuple):
    """The end of a link in a mail: an alert, or an address that was asked to confirm."""

    alert: Alert | None
    address: AlertAddress | None

    @property
    def email(self) -> str | None:
        found = self.alert or self.address
        return None if found is None else found.email

    @property
    def done(self) -> bool:
        if self.alert is not None:
            return self.alert.state == "stopped"
        return self.address is not None and self.address.refused_at is not None


def stop_link(reader: Reader, token: str) -> StopLink:
    """Raises AlertLinkInvalid."""
    if not mails.TOKEN.fullmatch(token):
        raise AlertLinkInvalid
    link = StopLink(store.by_stop_token(reader, token), address_store.by_stop_token(reader, token))
    if link.alert is None and link.address is None:
        raise AlertLinkInvalid
    return link


def stop(tx: Tx, token: str) -> StopLink:
    """Stop the alert, or refuse all for the address; twice is once. Raises AlertLinkInvalid."""
    link = stop_link(tx, token)
    if link.alert is not None and store.stop(tx, link.alert.id):
        record_event(
            tx, "alert.stopped", ids.public(Noun.ALERT, link.alert.id), link.alert.account_id
        )
    if link.address is not None and address_store.refuse(tx, link.address.id):
        record_event(tx, "alert.email_refused", None, link.address.account_id)
    return link


def described(alert: Alert) -> dict[str, Any]:
    """The thing that an alert is about, by the name of its sort; the others are None."""
    thing: dict[str, Any] = {"monitor": None, "campaign": None, "queue": alert.queue}
    if alert.about_id is not None:
        thing[alert.about] = ids.public(things.NOUNS[alert.about], alert.about_id)
    return thing
