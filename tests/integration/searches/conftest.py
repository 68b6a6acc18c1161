"""An owner and a stranger with keys, and a page to be found."""

import time
from collections.abc import Iterator

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
def stranger(settings: Settings) -> dict[str, str]:
    """Headers of another account."""
    with db.transaction() as tx:
        account = builders.account(tx, "stranger@example.org")
        return {"X-API-Key": builders.api_key(tx, settings, account)}


@pytest.fixture
def owls(database: str) -> None:
    builders.indexed_page("https://birds.example.org/owls", OWLS)


@pytest.fixture
def answered(
    client: FlaskClient, settings: Settings, owner: dict[str, str], owls: None
) -> dict[str, object]:
    """A completed search, as its owner reads it."""
    body = {"query": "How many eggs does a barn owl lay in a clutch?"}
    id = client.post("/external/v1/search", json=body, headers=owner).json["id"]
    builders.work(settings, id)
    found: dict[str, object] = client.get(f"/external/v1/search/{id}", headers=owner).json
    return found


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
def asking(
    client: FlaskClient, settings: Settings, owner: dict[str, str], internet: Internet
) -> Asking:
    """With both engines."""
    return Asking(client, internet.configured(settings, "searxng", "brave"), owner)
