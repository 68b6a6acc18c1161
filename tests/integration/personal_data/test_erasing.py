"""After an account is erased nothing has its name, and its id is only where somebody needs it."""

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


def test_an_erased_account_leaves_its_id_where_tables_say_why_and_its_email_nowhere(
    settings: Settings,
) -> None:
    account_id = ids.new()
    rows_everywhere.plant(settings.database_url, account_id)
    erase(settings)
    assert rows_everywhere.holding(settings.database_url, str(account_id)) <= STAYING
    assert rows_everywhere.holding(settings.database_url, EMAIL) == set()
