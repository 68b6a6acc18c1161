"""An account with alerts, on a server that sends e-mail to a mailbox."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from app.core.config.settings import Settings
from tests.integration.alerts.mailbox import AlertOwner, Mailbox, serving


@pytest.fixture
def mail_server() -> Iterator[tuple[Mailbox, int]]:
    with serving() as served:
        yield served


@pytest.fixture
def mailbox(mail_server: tuple[Mailbox, int]) -> Mailbox:
    return mail_server[0]


@pytest.fixture
def settings(settings: Settings, mail_server: tuple[Mailbox, int]) -> Settings:
    return replace(
        settings,
        smtp_url=f"smtp://127.0.0.1:{mail_server[1]}",
        mail_from="Citegrid <alerts@citegrid.example.org>",
    )


@pytest.fixture
def owner(settings: Settings, client: FlaskClient, mailbox: Mailbox) -> AlertOwner:
    return AlertOwner.of(settings, client, mailbox)
