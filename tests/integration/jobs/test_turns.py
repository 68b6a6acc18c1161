"""Accounts take turns: whoever has least out is next, however few slots are free at a time."""

from datetime import UTC, datetime, timedelta
from itertools import groupby
from uuid import UUID

import pytest

from app.core import db, ids
from app.domains.queue.jobs import dispatch_store, kinds
from app.domains.queue.jobs.dispatch import selection
from tests.databases import become_owner
from tests.integration.jobs import pages, rows


class Slot:
    """One worker: takes what is sent, ends it at once, and only then is there room for more."""

    def __init__(self) -> None:
        self.last = selection.NOBODY

    def serve(self, times: int) -> list[UUID]:
        """The accounts that were served, one after the other."""
        return [self._serve_one() for _ in range(times)]

    def _serve_one(self) -> UUID:
        with db.transaction() as tx:
            choice = selection.choose(tx, rows.QUEUE, 1, 30, after=self.last)
        self.last = choice.last
        (chosen,) = choice.jobs
        rows.end(rows.take(chosen.id))
        return chosen.account_id


def pages_read(most: int, *, joining: bool = False) -> int:
    """How many pages of the database a choice looks at; it is undone.

    `joining`: by a planner that would rather read two tables than look up row by row.
    """
    with db.forgettable() as tx, tx.transaction():
        if joining:
            tx.execute("set local enable_nestloop = off")
        return pages.read(
            tx,
            dispatch_store.CHOOSE,
            queue=rows.QUEUE,
            kinds=kinds.names(),
            depth=64,
            most=most,
            lost=30.0,
            after=selection.NOBODY,
            newcomers=dispatch_store.NEWCOMERS,
        )


@pytest.mark.parametrize("quiet_is", [0, 1])
def test_one_job_waits_for_one_of_a_busy_account_when_slots_are_freed_one_by_one(
    quiet_is: int,
) -> None:
    accounts = [ids.new(), ids.new()]
    quiet, busy = accounts[quiet_is], accounts[1 - quiet_is]
    for _ in range(40):
        rows.promise(account=busy)
    slot = Slot()
    slot.serve(3)
    rows.promise(account=quiet)
    assert quiet in slot.serve(2)


def test_twelve_accounts_share_one_slot_in_turns() -> None:
    accounts = [ids.new() for _ in range(12)]
    for account in accounts:
        for _ in range(1 + 9 * (account == accounts[0])):
            rows.promise(account=account)
    assert set(Slot().serve(12)) == set(accounts)


def test_who_has_jobs_out_waits_for_those_who_have_none() -> None:
    holding, quiet = ids.new(), ids.new()
    for _ in range(3):
        rows.take(rows.promise(account=holding))
    for _ in range(5):
        rows.promise(account=holding)
        rows.promise(account=quiet)
    with db.transaction() as tx:
        chosen = selection.choose(tx, rows.QUEUE, 4, 30, after=quiet).jobs
    served = [job.account_id for job in chosen]
    assert served == [quiet, quiet, quiet, holding]


def test_all_slots_are_used_when_only_busy_accounts_wait() -> None:
    rows.held()
    for _ in range(3):
        rows.promise()
    assert len(rows.dispatch(depth=3)) == 3


def test_jobs_are_sent_in_the_order_of_turns() -> None:
    accounts = sorted(ids.new() for _ in range(3))
    for account in accounts:
        rows.promise(account=account)
        rows.promise(account=account)
    served = [job.account_id for job in rows.dispatch()]
    assert [account for account, _ in groupby(served)] == accounts * 2


def test_the_next_choice_begins_behind_whoever_was_served_last() -> None:
    accounts = sorted(ids.new() for _ in range(3))
    for account in accounts:
        rows.promise(account=account)
    with db.transaction() as tx:
        choice = selection.choose(tx, rows.QUEUE, 2, 30, after=accounts[1])
    assert [job.account_id for job in choice.jobs] == [accounts[2], accounts[0]]
    assert choice.last == accounts[0]


@pytest.fixture
def stale_statistics() -> None:
    """As they are when all jobs were running a moment ago."""
    held = [rows.held() for _ in range(4)]
    with db.transaction() as tx:
        become_owner(tx)
        tx.execute("analyze jobs")
    for job in held:
        rows.end(job)


@pytest.mark.usefixtures("new_files", "stale_statistics")
def test_a_choice_costs_no_more_when_twenty_thousand_accounts_wait() -> None:
    rows.promise_many(accounts=20_000, jobs=20_000)
    assert pages_read(most=1) < 300


@pytest.mark.usefixtures("new_files", "stale_statistics")
def test_jobs_of_the_future_cost_a_choice_nothing() -> None:
    rows.promise_many(accounts=1, jobs=5_000, later=timedelta(hours=1))
    rows.promise(account=UUID(int=2**128 - 1))
    assert pages_read(most=1) < 200


def test_a_retry_and_a_job_of_the_future_are_chosen_once_their_time_has_come() -> None:
    retried = rows.held()
    rows.fail(retried)
    id = rows.promise(run_at=datetime.now(UTC) + timedelta(hours=1))
    assert (rows.wake(), rows.dispatch()) == (0, [])
    for each in (retried.id, id):
        rows.past("run_at", each)
    assert rows.wake() == 2
    assert {job.id for job in rows.dispatch()} == {retried.id, id}


def test_what_is_past_its_deadline_is_not_sent() -> None:
    late, timely = rows.promise(), rows.promise()
    rows.past("deadline_at", late)
    assert [job.id for job in rows.dispatch(depth=1)] == [timely]
