"""An account with a key and a token."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from app.core.http import public
from app.domains.account.accounts.sign_in import sessions
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.wsgi import create_app
from tests import builders
from tests.caller import Caller


@pytest.fixture
def ada(client: FlaskClient, owner: dict[str, str]) -> Caller:
    """Who has a key for searches."""
    return Caller(client, owner)


@pytest.fixture
def signed_in(settings: Settings) -> dict[str, str]:
    """Headers with the access token of another account."""
    with db.transaction() as tx:
        account = builders.account(tx, "signed-in@example.org")
        token = sessions.start(tx, Pepper.of(settings), account).access_token
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def broken(settings: Settings) -> Flask:
    """An application with a view that raises something nobody expected, at /broken."""

    def view() -> str:
        raise RuntimeError("internal detail 4711")

    app = create_app(settings)
    app.add_url_rule("/broken", "broken", public(view))
    return app
