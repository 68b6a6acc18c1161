"""What is accepted: what has room, and can be done by its deadline."""

from dataclasses import dataclass
from uuid import UUID

import pytest

from app.core import db, ids
from app.core.errors import AppError, Overloaded, RateLimited
from app.domains.queue.jobs.admission import admission, admission_store
from app.domains.queue.jobs.admission.admission import Backpressure
from tests.integration.jobs import rows


@dataclass
class Clock:
    """What admission believes to be the time."""

    now: float = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(admission, "time", clock)
    return clock


def ask(gate: Backpressure, account: UUID | None = None, deadline: float = 60) -> None:
    with db.reading() as reader:
        gate.admit(reader, rows.PLAIN, account or ids.new(), deadline)


def fill(gate: Backpressure, account: UUID) -> int:
    """How many jobs the account gets in, one after another, until it is refused."""
    accepted = 0
    while True:
        try:
            ask(gate, account)
        except AppError:
            return accepted
        rows.promise(account=account)
        accepted += 1


def test_a_full_queue_refuses_with_503_and_an_account_with_too_much_waiting_gets_429() -> None:
    rows.promise()
    with db.reading() as reader, pytest.raises(Overloaded) as refused:
        Backpressure(queue_limit=1, account_limit=10).check(reader, rows.PLAIN, ids.new())
    assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "30"})
    with db.reading() as reader, pytest.raises(RateLimited) as limited:
        Backpressure(queue_limit=10, account_limit=1).check(reader, rows.PLAIN, rows.ACCOUNT)
    assert limited.value.status == 429


def test_a_queue_is_counted_at_most_once_a_second(clock: Clock) -> None:
    gate = Backpressure(queue_limit=5, account_limit=5)
    ask(gate)
    for _ in range(5):
        rows.promise()
    ask(gate)
    clock.now += 1.0
    with pytest.raises(Overloaded):
        ask(gate)


def test_what_was_accepted_since_the_last_count_counts() -> None:
    gate = Backpressure(queue_limit=3, account_limit=10)
    for _ in range(3):
        ask(gate)
    with pytest.raises(Overloaded):
        ask(gate)


def test_an_account_alone_leaves_half_of_the_room_and_is_told_that_it_is_its_own_doing() -> None:
    gate = Backpressure(queue_limit=40, account_limit=40)
    assert fill(gate, rows.ACCOUNT) == 20
    with pytest.raises(RateLimited):
        ask(gate, rows.ACCOUNT)


def test_four_accounts_that_take_all_they_get_leave_room_for_a_fifth() -> None:
    gate = Backpressure(queue_limit=40, account_limit=10)
    taken = [fill(gate, ids.new()) for _ in range(4)]
    assert sum(taken) < 40
    ask(gate)


def begun(n: int) -> None:
    """Let workers take the first jobs that wait."""
    with db.reading() as reader:
        waiting = db.values(
            reader, "select id from jobs where state = 'queued' order by id limit 99"
        )
    for id in waiting[:n]:
        rows.take(id)


def promise(n: int, account: UUID = rows.ACCOUNT) -> None:
    for _ in range(n):
        rows.promise(account=account)


def watched(clock: Clock, *, waiting: int, begin: int, seconds: float) -> Backpressure:
    """A gate that has seen so many of one account's waiting jobs begin within some seconds."""
    gate = Backpressure(queue_limit=1000, account_limit=1000)
    promise(waiting)
    ask(gate)
    begun(begin)
    clock.now += seconds
    return gate


def test_a_job_that_cannot_begin_by_its_deadline_is_refused_with_the_time_to_wait(
    clock: Clock,
) -> None:
    gate = watched(clock, waiting=30, begin=9, seconds=10)  # one a second, with the next
    with pytest.raises(Overloaded) as refused:
        ask(gate, rows.ACCOUNT, deadline=20)
    assert refused.value.headers == {"Retry-After": "6"}  # 21 wait, 15 s may be spent waiting
    ask(gate, ids.new(), deadline=20)  # nothing of that account waits
    ask(gate, rows.ACCOUNT, deadline=60)


def test_jobs_that_came_and_began_meanwhile_count_as_drained(clock: Clock) -> None:
    gate = watched(clock, waiting=30, begin=9, seconds=10)
    other = ids.new()
    for _ in range(10):
        rows.held(account=other)
    ask(gate, rows.ACCOUNT, deadline=20)


def test_a_queue_without_workers_accepts_nothing_it_cannot_do(clock: Clock) -> None:
    gate = watched(clock, waiting=3, begin=0, seconds=10)
    ask(gate, rows.ACCOUNT, deadline=60)
    clock.now += 50
    with pytest.raises(Overloaded):
        ask(gate, rows.ACCOUNT, deadline=60)


def test_a_queue_that_was_emptied_meanwhile_is_not_called_slow(clock: Clock) -> None:
    gate = watched(clock, waiting=2, begin=2, seconds=600)
    promise(50)
    ask(gate, rows.ACCOUNT, deadline=20)


def test_counting_accounts_finds_each_once() -> None:
    for account in (ids.new(), ids.new(), ids.new()):
        promise(2, account)
    with db.reading() as reader:
        counted = [admission_store.accounts_waiting(reader, rows.QUEUE, most) for most in (2, 9)]
    assert counted == [2, 3]
