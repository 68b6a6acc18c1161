"""After an account is erased nothing has its name, and its id is only where somebody needs it."""

from uuid import UUID

import pytest

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.db.own_data import Nameless, Retention
from app.domains.own_data.personal_data import service as personal_data
from app.domains.own_data.personal_data.tables import TABLES
from app.domains.queue.jobs import service as jobs
from tests import builders, rows_everywhere
from tests.rows_everywhere import EMAIL

STAYING = {
    table.name
    for table in TABLES
    if any(isinstance(erasure, Retention | Nameless) for erasure in table.erasures)
}


def erase(settings: Settings) -> None:
    with db.transaction() as tx:
        id = jobs.enqueue(tx, personal_data.ERASE, jobs.OPERATOR, {})
    builders.run(settings, [id])


@pytest.fixture
def everywhere(settings: Settings) -> UUID:
    """An account that every table names, and whose time has come."""
    account_id = ids.new()
    rows_everywhere.plant(settings.database_url, account_id)
    erase(settings)
    return account_id


def test_its_id_is_only_in_tables_that_say_why(everywhere: UUID, settings: Settings) -> None:
    assert rows_everywhere.holding(settings.database_url, str(everywhere)) <= STAYING


def test_its_email_and_what_it_wrote_are_nowhere(everywhere: UUID, settings: Settings) -> None:
    assert rows_everywhere.holding(settings.database_url, EMAIL) == set()
