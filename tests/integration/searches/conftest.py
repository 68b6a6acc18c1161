"""An owner and a stranger with keys, and a page to be found."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from app.engine.sandbox.documents import Document
from app.engine.sandbox.reader import page_reader
from tests import builders
from tests.integration.searches.asking import Asking
from tests.internet import Internet, running
from tests.patience import PATIENCE_SECONDS

OWLS = """# Barn owls

The barn owl hunts at night. It weighs between 250 and 480 grams.

## Breeding

A clutch holds four to seven eggs, which hatch after 30 days. Both parents feed the young.
"""


@pytest.fixture
def ada(client: FlaskClient, settings: Settings, owner: dict[str, str]) -> Asking:
    """Who asks what is indexed here."""
    return Asking(client, settings, owner)


@pytest.fixture
def stranger(client: FlaskClient, settings: Settings) -> Asking:
    """Another account."""
    with db.transaction() as tx:
        account = builders.account(tx, "stranger@example.org")
        key = builders.api_key(tx, settings, account)
    return Asking(client, settings, {"X-API-Key": key})


@pytest.fixture
def owls(database: str) -> None:
    builders.indexed_page("https://birds.example.org/owls", OWLS)


@pytest.fixture
def answered(ada: Asking, owls: None) -> dict[str, Any]:
    """A completed search, as its owner reads it."""
    return ada.ask()


@pytest.fixture(scope="session")
def warm_reader() -> None:
    """No test's time for pages is spent on starting the process that reads them."""
    document = Document(b"Owls.", "text/plain", "utf-8", "https://example.org/")
    page_reader().read(document, time.monotonic() + PATIENCE_SECONDS)


@pytest.fixture
def internet(warm_reader: None) -> Iterator[Internet]:
    with running() as internet:
        yield internet


@pytest.fixture
def asking(ada: Asking, internet: Internet) -> Asking:
    """With both engines."""
    return ada.through(internet, "searxng", "brave")
