"""A receiver, and an account that has it told things."""

from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.core.config import Settings
from tests import builders
from tests.integration.webhooks.receivers import HOST, Owner, Receiver, hurried, receiving
from tests.unit.engine.fetch.certificates import Certificate, certificate_for
from workers import webhooks


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return certificate_for(HOST, tmp_path_factory.mktemp("tls"))


@pytest.fixture
def receiver(
    settings: Settings, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Receiver]:
    with receiving(certificate) as receiver:
        fetcher = hurried(settings, receiver, certificate)
        monkeypatch.setattr(webhooks, "fetcher_of", lambda _settings: fetcher)
        yield receiver


@pytest.fixture
def owner(settings: Settings, client: FlaskClient) -> Owner:
    with db.transaction() as tx:
        account_id = builders.account(tx)
        key = builders.api_key(tx, settings, account_id, ("jobs",))
    return Owner(settings, client, account_id, {"X-API-Key": key})
