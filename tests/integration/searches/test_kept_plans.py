"""The server keeps its plan of a list: to plan it takes longer than to read what it shows."""

import pytest

from app.core import db
from app.domains.queue.jobs import service as jobs
from app.domains.search.searches import service, store
from tests import builders
from tests.databases import become_owner

ENOUGH = 10
"""So often a statement is sent that the server has compared its plans (five times) and kept one."""
SEARCHES = 300

KEPT = """
    select count(*) from pg_prepared_statements
    where statement like '%%null::jsonb as result%%' and generic_plans > 0
    """


@pytest.mark.usefixtures("database")
def test_a_list_of_one_who_has_asked_much_is_not_planned_anew() -> None:
    with db.transaction() as tx:
        account = builders.account(tx)
        for _ in range(SEARCHES):
            noun = store.insertion(account, "q", {}, 3_600.0, [])
            jobs.enqueue(tx, service.KIND, account, {}, noun=noun)
        become_owner(tx)
        tx.execute("analyze jobs")
        tx.execute("analyze searches")
    with db.single() as tx:
        for _ in range(ENOUGH):
            service.recent(tx, account, status=None, contains=None, before=None, limit=1)
        assert db.value(tx, KEPT) == 1
