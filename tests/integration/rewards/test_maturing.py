"""The schedule makes rewards available: a version after the other, each once."""

from app.core import db, ids, metrics
from app.core.config.settings import Settings
from app.domains.campaigns.rewards.maturity import KIND
from app.domains.queue.jobs import schedules
from app.domains.queue.jobs import service as jobs
from tests import builders
from tests.integration.rewards.runs import WINDOW_HOURS, Run, balance, let_pass


def test_a_job_makes_every_due_version_available(settings: Settings) -> None:
    maker = ids.new()
    with db.transaction() as tx:
        run = Run().begin(tx, "10")
        for _ in range(3):
            run.accept(tx, "1", maker)
        let_pass(tx, WINDOW_HOURS)
        run.accept(tx, "1", maker)
        job = jobs.enqueue(tx, KIND, jobs.OPERATOR, {}, unique_key=schedules.ONLY)
    builders.run(settings, [job])
    with db.transaction() as tx:
        assert (balance(tx, maker, "available"), balance(tx, maker, "pending")) == ("2.1", "0.7")
        assert "citegrid_rewards_matured_total" in metrics.exposition().decode()


def test_it_is_done_every_five_minutes(settings: Settings) -> None:
    with db.transaction() as tx:
        schedules.establish(tx)
        kinds = tx.execute("select kind, every_seconds from schedules").fetchall()
    assert ("rewards.mature", 300) in kinds
