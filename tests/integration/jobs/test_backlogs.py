"""What waits in a queue and how fast it drains: counted while it is little, else by samples."""

import pytest

from app.core import db
from app.domains.queue.jobs.admission import load_store
from app.domains.queue.jobs.admission.backlogs import Backlog
from tests.integration.jobs import pages, rows

LIMIT = 20_000

SAMPLE = """
    insert into queue_samples
    select 10, date_bin('10 s', now(), 'epoch') - make_interval(secs => 10 * step), %(queue)s,
           %(waiting)s, 1, %(oldest)s, %(ended)s, 0, %(workers)s
    from generate_series(0, 3) as step
    """


def sample(waiting: int, ended: int, *, oldest: float = 60.0, workers: int = 1) -> None:
    """Four steps alike, the last of which has just ended."""
    facts = {"waiting": waiting, "ended": ended, "oldest": oldest, "workers": workers}
    with db.transaction() as tx:
        tx.execute("delete from queue_samples")
        tx.execute(SAMPLE, {"queue": rows.QUEUE, **facts})


def seen(backlog: Backlog | None = None, now: float = 100.0) -> Backlog:
    backlog = backlog or Backlog()
    with db.reading() as tx:
        backlog.look(tx, rows.QUEUE, LIMIT, now)
    return backlog


def test_a_queue_drains_as_fast_as_its_samples_say_while_its_workers_are_busy() -> None:
    sample(waiting=50, ended=20)
    assert seen().per_second == pytest.approx(2.0, rel=0.05)
    sample(waiting=1, ended=2, oldest=0.1)  # workers idle: that says nothing of the rate
    assert seen().per_second is None
    sample(waiting=50, ended=500, workers=0)  # what misses its deadline is no draining
    assert seen().per_second == pytest.approx(1 / 30)


def test_of_a_long_queue_the_last_sample_says_how_many_wait_beside_what_was_admitted() -> None:
    sample(waiting=7_000, ended=0)
    rows.promise_many(accounts=5, jobs=load_store.ENOUGH - 1)
    assert seen().waiting == load_store.ENOUGH - 1  # it has drained since
    rows.promise()
    backlog = seen()
    before = backlog.waiting
    assert before == pytest.approx(7_000, abs=5)
    for _ in range(500):
        backlog.admit()
    assert seen(backlog).waiting == pytest.approx(before + 500, abs=5)


def test_a_long_queue_without_samples_is_counted_and_then_left_alone() -> None:
    rows.promise_many(accounts=5, jobs=5 * load_store.COUNTED)
    backlog = seen(now=100.0)
    assert (backlog.waiting, backlog.until) == (5 * load_store.COUNTED, 105.0)


def test_accounts_are_counted_when_somebody_asks_and_again_after_a_while() -> None:
    backlog = Backlog()
    rows.promise_many(accounts=300, jobs=300)
    with db.reading() as tx:
        assert backlog.accounts(tx, rows.QUEUE, 100.0) == 300
    rows.promise_many(accounts=400, jobs=700, start=301)
    with db.reading() as tx:
        counts = [backlog.accounts(tx, rows.QUEUE, now) for now in (102.9, 103.0)]
    assert counts[0] == 300
    assert counts[1] > 300


@pytest.mark.usefixtures("new_files")
def test_a_look_reads_no_more_when_twelve_thousand_jobs_wait() -> None:
    rows.promise_many(accounts=5, jobs=load_store.COUNTED)
    sample(waiting=load_store.COUNTED, ended=10)
    few = pages_read()
    rows.promise_many(accounts=5, jobs=12_000, start=load_store.COUNTED + 1)
    assert pages_read() <= 1.5 * few


def pages_read() -> int:
    with db.transaction() as tx:
        return pages.of_jobs(tx, lambda tx: Backlog().look(tx, rows.QUEUE, LIMIT, 100.0))
