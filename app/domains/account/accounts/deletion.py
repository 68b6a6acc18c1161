"""Accounts that are to be deleted: requested now, erased after a grace; signing in keeps them.

What else an account has is stopped and erased by the domain of personal data.
"""

from datetime import datetime
from functools import partial
from typing import NamedTuple
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx, one, run, send, value, values
from app.core.ids import Noun
from app.domains.account.accounts.sign_in import callers, sessions
from app.domains.account.audit.service import record_event


class PendingDeletion(NamedTuple):
    requested_at: datetime
    erase_at: datetime


REQUEST = """
    update accounts
    set deletion_requested_at = coalesce(deletion_requested_at, now()),
        erase_at = least(erase_at, now() + make_interval(secs => %(grace_seconds)s))
    where id = %(id)s and erased_at is null
    returning deletion_requested_at as requested_at, erase_at
    """
REVOKE_KEYS = """
    update api_keys set revoked_at = now()
    where account_id = %(id)s and revoked_at is null returning id
    """


def request(tx: Tx, id: UUID, grace_seconds: float) -> PendingDeletion:
    """Erase the account after the grace; every key and sign-in of it ends now.

    One that is leaving already is erased no later than before. Raises LookupError.
    """
    leaving = one(tx, PendingDeletion, REQUEST, id=id, grace_seconds=grace_seconds)
    for key_id in values(tx, REVOKE_KEYS, id=id):
        tx.after_commit.append(partial(callers.cache.forget, key_id))
    sessions.end_all(tx, id)
    return leaving


KEEP = """
    update accounts set deletion_requested_at = null, erase_at = null
    where id = %(id)s and erase_at is not null and erasing_at is null
    """


def keep(tx: Tx, id: UUID) -> bool:
    """The account stays after all. False: it was not leaving, or is being erased already."""
    if run(tx, KEEP, id=id) == 0:
        return False
    record_event(tx, "account.kept", ids.public(Noun.ACCOUNT, id), id)
    return True


# Whoever signs in to keep it waits until the transaction ends.
IS_LEAVING = "select true from accounts where id = %(id)s and erase_at is not null for share"


def is_leaving(tx: Tx, id: UUID) -> bool:
    """True if the account is to be erased, or was; it is not kept before the transaction ends."""
    return bool(value(tx, IS_LEAVING, id=id))


# One that was erased within the hour is looked at again: a request may have been written late.
DUE = """
    select id from accounts
    where erase_at <= now() and (erased_at is null or erased_at > now() - interval '1 hour')
    order by erase_at
    """


def due(reader: Reader) -> list[UUID]:
    """Accounts to be erased, the longest due first."""
    return values(reader, DUE)


LOCK = "select erase_at <= now() as due from accounts where id = %(id)s for update"
BEGIN = "update accounts set erasing_at = coalesce(erasing_at, now()) where id = %(id)s"


def lock(tx: Tx, id: UUID) -> bool:
    """True if it is to be erased; until the transaction ends nobody signs in to keep it."""
    return bool(values(tx, LOCK, id=id) == [True])


def begin(tx: Tx, id: UUID) -> None:
    """From now on nobody signs in, and nothing keeps it."""
    send(tx, BEGIN, id=id)


WAS_ERASED = "select erased_at is not null from accounts where id = %(id)s"


def was_erased(reader: Reader, id: UUID) -> bool:
    """True if it was erased before, and is looked at again."""
    return bool(value(reader, WAS_ERASED, id=id))


ERASE = """
    update accounts
    set email = 'erased ' || id, password_hash = 'erased', operator = false,
        disabled_at = coalesce(disabled_at, now()), erased_at = coalesce(erased_at, now())
    where id = %(id)s
    """


def erase(tx: Tx, id: UUID) -> None:
    """Erases the account; an id without a name is left."""
    send(tx, ERASE, id=id)
