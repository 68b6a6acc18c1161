"""Proving who one is over HTTP: for tokens of the API and for sessions of browsers."""

from collections.abc import Iterator
from contextlib import contextmanager

import redis
from flask import current_app, request

from app.core import db
from app.core.config.settings import Settings
from app.core.errors import Forbidden
from app.core.http import current_settings
from app.core.http.hosts import from_loopback, is_local
from app.domains.account.accounts.sign_in import passwords, session_store, sessions
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.account.accounts.sign_in.peppers import Peppers
from app.domains.account.accounts.sign_in.session_store import Login
from app.domains.account.accounts.sign_in.throttle import Throttle
from app.domains.account.audit.service import record_event


def extensions(settings: Settings, client: redis.Redis) -> dict[str, object]:
    """The parts of an application by which accounts sign in, under the names it keeps them by."""
    return {
        "peppers": Peppers(settings),
        "sign_in_throttle": Throttle(client),
        "password_lane": passwords.Lane(settings.password_requests),
    }


class SignUpClosed(Forbidden):
    """Only the operator can create accounts on this server."""

    code = "sign_up_closed"


def may_sign_up() -> bool:
    settings = current_settings()
    return settings.sign_up_open or (is_local(settings) and from_loopback(request))


def pepper() -> Pepper:
    """Ask before a transaction begins: the first time, the database is read."""
    peppers: Peppers = current_app.extensions["peppers"]
    return peppers.get()


@contextmanager
def proving(email: str) -> Iterator[passwords.HashingSlot]:
    """Around one attempt to prove a password. Raises Overloaded, RateLimited.

    The lane first: who is refused there made no attempt.
    """
    with password_lane().enter() as hashing, _throttle().attempt(email, request.remote_addr or ""):
        yield hashing


def password_lane() -> passwords.Lane:
    lane: passwords.Lane = current_app.extensions["password_lane"]
    return lane


def _throttle() -> Throttle:
    throttle: Throttle = current_app.extensions["sign_in_throttle"]
    return throttle


def prove(email: str, password: str) -> Login:
    """Whose password this is. Raises AuthInvalidCredentials, Overloaded, RateLimited."""
    with proving(email) as hashing:
        with db.reading() as reader:
            login = session_store.login(reader, email)
        try:
            return sessions.prove(login, password, hashing)
        except sessions.AuthInvalidCredentials:
            if login is not None:
                _record_failure(login)
            raise


def _record_failure(login: Login) -> None:
    """Records a failed attempt; how often is bounded by how attempts are slowed down."""
    with db.transaction() as tx:
        record_event(tx, "session.refused", account_id=login.id)
