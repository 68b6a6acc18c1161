"""Handler that makes rewards available once their dispute window is over."""

from app.core import metrics
from app.core.db import Tx
from app.domains.campaigns.rewards import maturity
from app.domains.campaigns.rewards.maturity import KIND, MOST_MATURED
from app.domains.queue.jobs import schedules
from app.domains.queue.jobs.service import OPERATOR, Finish, enqueue
from workers.queue.attempt import Attempt, handles


@handles(KIND)
def mature(attempt: Attempt) -> Finish:
    """At most so many entries, one version after the other; the rest is the next job's."""
    attempt.stage("maturing", 0)
    left, hours = MOST_MATURED, attempt.settings.rewards_pending_hours
    while left > 0:
        with attempt.step() as tx:
            matured = maturity.mature(tx, hours, left)
        if not matured:
            return lambda _tx: None
        metrics.rewards_matured.inc(matured)
        left -= matured
    return _go_on


def _go_on(tx: Tx) -> None:
    enqueue(tx, KIND, OPERATOR, {}, unique_key=schedules.ONLY)
