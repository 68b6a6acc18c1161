"""Pages of the database that a statement takes in hand: what it costs, on any machine."""

from collections.abc import Callable
from typing import Any

from app.core import db
from app.core.db import Tx


def read(tx: Tx, sql: Any, **params: Any) -> int:
    """The least of three looks over one connection; each is undone.

    The first over a connection also reads what is known of the tables, as one does after their
    statistics have changed; and the first after rows were written notes which are committed.
    """
    return min(_look(tx, sql, params) for _ in range(3))


def _look(tx: Tx, sql: Any, params: dict[str, Any]) -> int:
    with tx.transaction(force_rollback=True):
        explained = db.value(tx, "explain (analyze, buffers, format json) " + sql, **params)
    plan = explained[0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


# Of this transaction so far.
OF_JOBS = """
    select sum(pg_stat_get_xact_blocks_fetched(relid)) from (
        select 'jobs'::regclass as relid
        union all select indexrelid from pg_index where indrelid = 'jobs'::regclass
    ) as relations
    """


def of_jobs(tx: Tx, act: Callable[[Tx], object]) -> int:
    """Pages of `jobs` and its indexes that something takes in hand."""
    before = db.value(tx, OF_JOBS)
    act(tx)
    return int(db.value(tx, OF_JOBS) - before)
