"""Two transactions at one row: the second one sees what the first one did."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from app.core import db
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.errors import AppError
from app.domains.account.accounts import deletion, service
from app.domains.account.accounts.sign_in import sessions
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.account.accounts.store import Account
from tests import servers
from tests.databases import sessions_waiting

PEPPER = Pepper.of(Settings(database_url="", redis_url="", secret_key="x" * 32))


def outcome_of_the_second(
    act: Callable[[Tx], Any], first: Callable[[Tx], Any] | None = None
) -> Exception | None:
    """`act` in two transactions, or `first` in the first one, which commits once the second one
    waits for it."""
    raised: list[Exception | None] = []

    def second() -> None:
        try:
            with db.transaction() as tx:
                act(tx)
            raised.append(None)
        except (AppError, sessions.RefreshTokenReused) as error:
            raised.append(error)

    thread = threading.Thread(target=second)
    with db.transaction() as tx:
        (first or act)(tx)
        thread.start()
        servers.until(sessions_waiting)
    thread.join()
    return raised[0]


@pytest.fixture
def account(database: str) -> Account:
    with db.transaction() as tx:
        return service.create_account(tx, "ada@example.org", "correct horse")


def test_a_refresh_token_is_used_once(account: Account) -> None:
    with db.transaction() as tx:
        issued = sessions.start(tx, PEPPER, account.id)
    second = outcome_of_the_second(lambda tx: sessions.refresh(tx, PEPPER, issued.refresh_token))
    assert isinstance(second, sessions.RefreshTokenReused)


def test_a_key_is_rolled_by_one(account: Account) -> None:
    with db.transaction() as tx:
        key = service.create_key(tx, account.id, "k", ["search"], pepper=PEPPER).api_key
    second = outcome_of_the_second(
        lambda tx: service.roll_key(tx, account.id, key.id, 1, pepper=PEPPER)
    )
    assert isinstance(second, service.ApiKeyInactive)


def test_who_signs_in_while_the_deletion_is_committed_keeps_the_account(account: Account) -> None:
    with db.reading() as reader:
        proven = sessions.login_of(reader, account.id)
    second = outcome_of_the_second(
        lambda tx: sessions.hold(tx, proven), lambda tx: deletion.request(tx, account.id, 3600)
    )
    assert second is None
    with db.reading() as reader:
        assert db.value(reader, "select erase_at from accounts") is None
