"""What a choice reads follows from its room, whatever the planner expects of the rows."""

import pytest

from app.core import db
from tests.databases import become_owner
from tests.integration.jobs import rows
from tests.integration.jobs.test_turns import pages_read

JOBS = 12_000


def settle() -> None:
    with db.transaction() as tx:
        become_owner(tx)
        tx.execute("analyze jobs")


@pytest.mark.usefixtures("new_files")
def test_a_choice_reads_no_more_when_the_planner_would_rather_join_whole_tables() -> None:
    rows.promise_many(accounts=1, jobs=JOBS)
    settle()
    assert pages_read(64, joining=True) <= 1.5 * pages_read(64)


@pytest.mark.usefixtures("new_files")
def test_a_choice_among_many_jobs_of_many_accounts_reads_no_more() -> None:
    rows.promise_many(accounts=100, jobs=200)
    settle()
    few = pages_read(64)
    rows.promise_many(accounts=100, jobs=JOBS, start=201)
    settle()
    assert pages_read(64) <= 1.5 * few
