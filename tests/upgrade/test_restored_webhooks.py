"""What receivers were sent after the moment that the database went back to."""

from pathlib import Path

import pytest

from app.core.config.settings import Settings
from app.local import backups
from app.local.embedded.postgres import Postgres
from tests.integration.webhooks.conftest import certificate as certificate
from tests.integration.webhooks.conftest import owner as owner
from tests.integration.webhooks.conftest import receiver as receiver
from tests.integration.webhooks.receivers import Owner, Receiver
from tests.upgrade.going_back import gone_back

pytestmark = pytest.mark.upgrade


def test_what_was_open_is_sent_again_with_the_id_by_which_receivers_drop_it(
    settings: Settings, postgres: Postgres, tmp_path: Path, owner: Owner, receiver: Receiver
) -> None:
    owner.endpoint()
    owner.tell()
    backup = backups.create(settings, tmp_path)
    owner.work()
    with gone_back(settings, backup, postgres) as owner.settings:
        owner.work()
    first, second = receiver.seen
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body


def test_what_was_delivered_before_the_backup_is_not_sent_again(
    settings: Settings, postgres: Postgres, tmp_path: Path, owner: Owner, receiver: Receiver
) -> None:
    owner.endpoint()
    owner.tell()
    owner.work()
    backup = backups.create(settings, tmp_path)
    with gone_back(settings, backup, postgres) as owner.settings:
        assert owner.waiting() == []
