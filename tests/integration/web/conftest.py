"""Visitors of the application that the tests of a module share."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask

from app.core import db
from app.core.config.settings import Settings
from app.domains.own_data.requests.recorder import Recorder
from tests import builders
from tests.visiting import Visitor

NEVER_SECONDS = 3600.0  # tests say when requests are written


def visitor(site: Flask) -> Visitor:
    """Signed in to a new account."""
    with db.transaction() as tx:
        account_id = builders.account(tx, f"{uuid4()}@example.org")
    return Visitor(site, account_id)


@pytest.fixture
def browser(site: Flask) -> Visitor:
    return visitor(site)


@pytest.fixture
def stranger(site: Flask) -> Visitor:
    return visitor(site)


@dataclass(frozen=True)
class Dashboard:
    """An application that keeps requests, with its owner, another account and a stranger."""

    app: Flask
    settings: Settings
    account: UUID
    owner: Visitor
    other: Visitor
    stranger: Visitor

    def api(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """What the API answers to the owner's token."""
        with db.transaction() as tx:
            token = builders.access_token(tx, self.settings, self.account)
        sent = {"Authorization": f"Bearer {token}", **headers}
        return self.app.test_client().open(path, method=method, json=body, headers=sent)

    def write_requests(self) -> None:
        """What was requested until now can be read."""
        self.app.extensions["request_recorder"].write()


@pytest.fixture(scope="module")
def dashboard(site: Flask) -> Dashboard:
    """The same one for all tests of a module."""
    site.extensions["request_recorder"] = Recorder(NEVER_SECONDS)
    with db.transaction() as tx:
        account = builders.account(tx)
        other = builders.account(tx, "other@example.org")
    return Dashboard(
        site,
        site.extensions["settings"],
        account,
        Visitor(site, account),
        Visitor(site, other),
        Visitor(site, None),
    )
