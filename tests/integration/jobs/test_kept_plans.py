"""The server keeps its plans of what is done for one job: to plan it takes longer than to do it."""

import re

from app.core import db
from app.domains.queue.jobs import attempt_store, kinds
from tests.integration.jobs import rows

ENOUGH = 10
"""So often a statement is sent that the server has compared its plans (five times) and kept one."""

# Of these two alone: other tests may have had the connection before.
KEPT = """
    select count(distinct statement) from pg_prepared_statements
    where generic_plans > 0 and statement like any(%(patterns)s)
    """
PATTERNS = [
    re.sub(r"%\(\w+\)s", "$%", statement)
    for statement in (attempt_store.CLAIM_ONE, attempt_store.SUCCEED_ONE)
]


def test_a_claim_and_an_end_of_one_job_are_not_planned_anew() -> None:
    with db.single() as tx:
        for _ in range(ENOUGH):
            id = rows.promise()
            claimed = attempt_store.claim(tx, [id], kinds.names(), rows.WORKER, rows.LEASE)
            attempt_store.succeed(tx, claimed, [0.0])
        assert db.value(tx, KEPT, patterns=PATTERNS) == 2
