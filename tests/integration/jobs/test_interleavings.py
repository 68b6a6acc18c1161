"""Whatever happens to jobs at the same time, none is left that no dispatcher finds."""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from app.core import db, ids
from app.domains.queue.jobs import dispatch_store, kinds
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.dispatch import selection, sweep_store
from tests.integration.jobs import rows

KIND = kinds.register(
    "test.rows.shuffled",
    queue="shuffled",
    deadline_seconds=600,
    max_attempts=10_000,
    backoff_seconds=0,
)
ACCOUNTS = [ids.new() for _ in range(4)]
DEPTH = 6
STEPS = 40


class Actor:
    """A process that does something at random, with what all of them know."""

    def __init__(self, seed: int, known: list[UUID]) -> None:
        self.random, self.known, self.last = random.Random(seed), known, UUID(int=0)
        self.worker = f"host:{seed}:1"
        self.acts: list[Callable[[], object]] = [
            self.submit, self.submit, self.choose, self.choose, self.choose_and_put_back,
            self.lose, self.work, self.work, self.work, self.sweep, self.release, self.cancel,
        ]  # fmt: skip

    def act(self) -> None:
        for _ in range(STEPS):
            self.random.choice(self.acts)()

    def submit(self) -> None:
        with db.transaction() as tx:
            for _ in range(self.random.randint(1, 3)):
                account = self.random.choice(ACCOUNTS)
                self.known.append(jobs.enqueue(tx, KIND, account, {}))

    def choose(self) -> list[UUID]:
        with db.transaction() as tx:
            dispatch_store.wake(tx)
            choice = selection.choose(tx, KIND.queue, DEPTH, 30, after=self.last)
        self.last = choice.last
        return [job.id for job in choice.jobs]

    def choose_and_put_back(self) -> None:
        chosen = self.choose()
        with db.transaction() as tx:
            dispatch_store.put_back(tx, chosen)

    def lose(self) -> None:
        with db.transaction() as tx:
            tx.execute("update jobs set dispatch_until = now() - interval '1 s' where id = %s",
                       (self.some(),))  # fmt: skip
        with db.transaction() as tx:
            sweep_store.requeue(tx, [job.id for job in sweep_store.overdue(tx, 1_000)])

    def work(self) -> None:
        """Claim; then end it well, fail, or fall silent."""
        with db.transaction() as tx:
            claimed = jobs.claim(tx, [self.some()], self.worker, self.random.choice([0.0, 30.0]))
        for job in claimed:
            outcome = self.random.random()
            if outcome < 0.4:
                rows.end(job)
            elif outcome < 0.7:
                rows.fail(job)

    def sweep(self) -> None:
        rows.sweep()

    def release(self) -> None:
        with db.transaction() as tx:
            sweep_store.release(tx, self.worker)

    def cancel(self) -> None:
        rows.cancel(self.some())

    def some(self) -> UUID:
        return self.random.choice(self.known or [UUID(int=0)])


def test_every_job_is_found_and_ended_whatever_happens_at_the_same_time() -> None:
    known: list[UUID] = []
    actors = [Actor(seed, known) for seed in range(4)]
    with ThreadPoolExecutor(len(actors)) as pool:
        for future in [pool.submit(actor.act) for actor in actors]:
            future.result()
    with db.transaction() as tx:
        dispatch_store.put_all_back(tx)
        tx.execute("update jobs set lease_until = now() where state = 'running'")
    rows.sweep()
    while rows.value("select count(*) from jobs where state = 'queued'"):
        found = actors[0].choose()
        assert found
        for id in found:
            rows.end(rows.take(id))
    assert set(map(rows.state, known)) <= jobs.FINISHED
