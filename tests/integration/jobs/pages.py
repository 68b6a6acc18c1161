"""Pages of the database that a statement takes in hand: what it costs, on any machine."""

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
