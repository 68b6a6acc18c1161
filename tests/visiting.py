"""A browser without a browser: signed in by its cookie, its forms with the token of its session."""

import re
from typing import Any
from uuid import UUID

from flask import Flask
from werkzeug.test import TestResponse

from app.core import db
from app.core.config.settings import Settings
from app.core.http import csrf
from app.core.http.access import SESSION_COOKIE
from app.domains.account.accounts.sign_in import session_store, sessions
from app.domains.account.accounts.sign_in.credentials import Pepper

ORIGIN = "https://localhost"
FROM_HERE = {"Sec-Fetch-Site": "same-origin"}
BROWSER = sessions.Browser("a test", "127.0.0.0/24")


def part(pattern: str, answer: TestResponse) -> str:
    """What stands in a page and looks so; of a pattern with a group, the group."""
    found = re.search(pattern, answer.text)
    assert found is not None, answer.text
    return found[found.re.groups]


class Visitor:
    """Whoever is signed in to `account_id`; None: a stranger."""

    def __init__(self, app: Flask, account_id: UUID | None) -> None:
        self.client = app.test_client()
        self._settings: Settings = app.extensions["settings"]
        self.session: UUID | None = None
        if account_id is not None:
            self._sign_in(account_id)

    def _sign_in(self, account_id: UUID) -> None:
        with db.transaction() as tx:
            pepper = Pepper.of(self._settings)
            secret = sessions.start_browser(tx, pepper, account_id, BROWSER)
            self.session = session_store.of_account(tx, account_id, 1)[0].id
        self.client.set_cookie(SESSION_COOKIE, secret, domain="localhost", secure=True)

    def get(self, path: str, live: bool = False, **headers: str) -> TestResponse:
        """A page, or with `live` the part that a poll asks for."""
        sent = {"Accept": "text/html", **headers} | ({"HX-Request": "true"} if live else {})
        return self.client.get(path, base_url=ORIGIN, headers=sent)

    def csrf_token(self) -> str:
        """What forms of this session hold."""
        return csrf.token(self._settings.secret_key, self.session)

    def post(self, path: str, form: dict[str, Any] | None = None, **headers: str) -> TestResponse:
        """A form as a page of this session sends it."""
        sent = FROM_HERE | {"Accept": "text/html"} | headers
        return self.client.post(
            path, data={"csrf": self.csrf_token(), **(form or {})}, base_url=ORIGIN, headers=sent
        )
