"""This process's database as a backup of it was, restored in place of what came after."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.core import db
from app.core.config.settings import Settings
from app.local import backups
from app.local.embedded.postgres import Postgres
from tests import servers
from tests.patience import PATIENCE_SECONDS


@contextmanager
def gone_back(settings: Settings, backup: Path, server: Postgres) -> Iterator[Settings]:
    """In the block `db` and the settings lead to a database that was restored from the backup."""
    with servers.database(server, migrated=False) as url:
        restored = replace(settings, database_url=url)
        backups.restore(restored, backup)
        db.close()
        db.open(url, wait_seconds=PATIENCE_SECONDS, forgetful=2)
        try:
            yield restored
        finally:
            db.close()
