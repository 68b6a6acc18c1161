"""A served application with three accounts: one with everything, an operator, and a newcomer."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from uuid import UUID

from flask import Flask
from werkzeug.serving import make_server

from app.core import db
from app.core.config.settings import Settings
from app.domains.account.accounts import preferences
from app.domains.account.accounts.service import set_operator
from app.domains.account.accounts.sign_in import sessions
from app.domains.account.accounts.sign_in.credentials import Pepper
from tests import builders
from tests.browser import seeds

Who = Literal["account", "operator", "newcomer"] | None

EMAILS: Final = {
    "account": "ada@example.org",
    "operator": "operator@example.org",
    "newcomer": "newcomer@example.org",
}


@dataclass
class Site:
    """Where it is, who there is, and under which names seeds have put what they made."""

    address: str
    app: Flask
    settings: Settings
    ids: dict[str, str] = field(default_factory=dict)
    """`site.ids["answered"]` is the public id of a search that `seeds/searches.py` made."""
    accounts: dict[str, UUID] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    planted: set[str] = field(default_factory=set)

    @property
    def account(self) -> UUID:
        return self.accounts["account"]

    @property
    def operator(self) -> UUID:
        return self.accounts["operator"]

    def seed(self, *areas: str) -> None:
        """Make the data of these areas, all if none is named; once, however often it is called."""
        for area in areas or seeds.AREAS:
            if area not in self.planted:
                self.planted.add(area)
                seeds.AREAS[area].plant(self)

    def api(
        self, method: str, path: str, body: object = None, who: str = "account", **headers: str
    ) -> Any:
        """What the API answers to an account's access token."""
        if who not in self.tokens:
            with db.transaction() as tx:
                self.tokens[who] = builders.access_token(tx, self.settings, self.accounts[who])
        token = self.tokens[who]
        answer = self.app.test_client().open(
            path, method=method, json=body, headers={"Authorization": f"Bearer {token}", **headers}
        )
        assert answer.status_code < 400, answer.get_data(as_text=True)
        return answer.get_json()

    def prefer(self, who: str = "account", **chosen: Any) -> None:
        """Set what somebody prefers on pages; what is not named is as for everybody."""
        usual = {"zone": "relative", "theme": "system", "shortcuts": True, "page_size": 50}
        with db.transaction() as tx:
            preferences.save(tx, self.accounts[who], **{**usual, **chosen})


@contextmanager
def serving(app: Flask, settings: Settings) -> Iterator[Site]:
    """The application on a port of its own, with its accounts signed in."""
    server = make_server("127.0.0.1", 0, files_closed(app), threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    site = Site(f"http://127.0.0.1:{server.server_port}", app, settings)
    try:
        _enter(site)
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def files_closed(app: Flask) -> Any:
    """This server closes no body of which the browser drops the connection: files stay open."""

    def answer(environ: Any, start_response: Any) -> Any:
        body: Any = app(environ, start_response)
        if not environ["PATH_INFO"].startswith("/static/"):
            return body
        with closing(body):
            return [b"".join(body)]

    return answer


def _enter(site: Site) -> None:
    pepper, browser = Pepper.of(site.settings), sessions.Browser("Test browser", "127.0.0.0/24")
    with db.transaction() as tx:
        for who, email in EMAILS.items():
            account_id = site.accounts[who] = builders.account(tx, email)
            site.cookies[who] = sessions.start_browser(tx, pepper, account_id, browser)
        set_operator(tx, EMAILS["operator"], operator=True)
