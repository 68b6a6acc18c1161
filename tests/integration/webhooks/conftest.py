"""A receiver, and an account that has it told things."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from tests import builders
from tests.integration.webhooks.receivers import (
    HOST,
    HURRY_SECONDS,
    Hurry,
    Owner,
    Receiver,
    fetcher,
    receiving,
)
from tests.patience import PATIENCE_SECONDS
from tests.unit.engine.fetch.certificates import Certificate, certificate_for
from workers.housekeeping import webhooks


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return certificate_for(HOST, tmp_path_factory.mktemp("tls"))


@pytest.fixture
def receiver(
    settings: Settings, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Receiver]:
    with receiving(certificate) as receiver:
        patient = fetcher(settings, receiver, certificate, PATIENCE_SECONDS)
        monkeypatch.setattr(webhooks, "fetcher_of", lambda _settings: patient)
        yield receiver


@pytest.fixture
def hurry(settings: Settings, receiver: Receiver, certificate: Certificate) -> Hurry:
    """`with hurry():` no receiver that hangs is waited for."""
    hurried = fetcher(settings, receiver, certificate, HURRY_SECONDS)

    @contextmanager
    def hurry() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(webhooks, "fetcher_of", lambda _settings: hurried)
            yield

    return hurry


@pytest.fixture
def owner(settings: Settings, client: FlaskClient) -> Owner:
    with db.transaction() as tx:
        account_id = builders.account(tx)
        key = builders.api_key(tx, settings, account_id, ("jobs",))
    return Owner(settings, client, account_id, {"X-API-Key": key})
