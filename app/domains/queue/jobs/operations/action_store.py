"""The operator_actions table: rows of the release before, which are copied into the audit log."""

from app.core.db import Tx, run

FORGET = """
    delete from operator_actions where id in (
        select id from operator_actions where at < now() - interval '1 year'
        order by at limit %(most)s for update skip locked
    )
    """


def forget(tx: Tx, most: int) -> int:
    """Delete lines older than a year, `most` at a time; returns how many."""
    return run(tx, FORGET, most=most)
