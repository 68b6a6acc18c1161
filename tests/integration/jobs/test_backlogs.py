"""What waits in a queue and how fast it drains: counted while it is little, else by samples."""

import pytest

from app.core import db
from app.domains.queue.jobs.admission import backlogs
from app.domains.queue.jobs.admission.backlogs import Backlog
from tests.integration.jobs import rows

LIMIT = 20_000

SAMPLE = """
    insert into queue_samples
    select 10, date_bin('10 s', now(), 'epoch') - make_interval(secs => 10 * step), %(queue)s,
           %(waiting)s, 1, %(oldest)s, %(ended)s, 0, %(workers)s
    from generate_series(0, 3) as step
    """


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> int:
    """How many waiting jobs are counted at each look here."""
    monkeypatch.setattr(backlogs, "COUNTED", 100)
    return 100


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


def test_a_queue_drains_as_fast_as_its_samples_say() -> None:
    sample(waiting=50, ended=20)
    assert seen().per_second == pytest.approx(2.0, rel=0.05)


def test_samples_of_a_queue_whose_workers_idled_say_nothing_of_its_rate() -> None:
    sample(waiting=1, ended=2, oldest=0.1)
    assert seen().per_second is None


def test_what_misses_its_deadline_without_a_worker_is_no_draining() -> None:
    sample(waiting=50, ended=500, workers=0)
    assert seen().per_second == pytest.approx(1 / 30)


def test_of_a_long_queue_the_last_sample_says_how_many_wait(counted: int) -> None:
    sample(waiting=7_000, ended=0)
    rows.promise_many(accounts=5, jobs=counted)
    assert seen().waiting == pytest.approx(7_000, abs=5)


def test_what_was_admitted_since_the_sample_counts_at_the_next_look(counted: int) -> None:
    sample(waiting=7_000, ended=0)
    rows.promise_many(accounts=5, jobs=counted)
    backlog = seen()
    before = backlog.waiting
    for _ in range(500):
        backlog.admit()
    assert seen(backlog).waiting == pytest.approx(before + 500, abs=5)


def test_a_long_queue_without_samples_is_counted_and_then_left_alone(counted: int) -> None:
    rows.promise_many(accounts=5, jobs=30 * counted)
    backlog = seen(now=100.0)
    assert (backlog.waiting, backlog.until) == (30 * counted, 130.0)


def test_a_look_reads_no_more_when_twelve_thousand_jobs_wait() -> None:
    rows.promise_many(accounts=5, jobs=backlogs.COUNTED)
    sample(waiting=backlogs.COUNTED, ended=10)
    few = pages_read()
    rows.promise_many(accounts=5, jobs=12_000, start=backlogs.COUNTED + 1)
    assert pages_read() <= 1.5 * few


def pages_read() -> int:
    """Pages of `jobs` and its indexes that a look takes in hand."""
    with db.transaction() as tx:
        before = tx.execute(PAGES).fetchone()
        Backlog().look(tx, rows.QUEUE, LIMIT, 100.0)
        after = tx.execute(PAGES).fetchone()
    assert before is not None
    assert after is not None
    return int(after[0] - before[0])


# Of this transaction so far.
PAGES = """
    select sum(pg_stat_get_xact_blocks_fetched(relid)) from (
        select 'jobs'::regclass as relid
        union all select indexrelid from pg_index where indrelid = 'jobs'::regclass
    ) as relations
    """
