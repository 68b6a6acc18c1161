"""Reads of several statements as of one moment."""

from collections.abc import Iterator
from contextlib import contextmanager

from app.core import db
from app.core.db import Reader


@contextmanager
def one_moment() -> Iterator[Reader]:
    """All statements see the same rows, whatever is committed meanwhile. In `db.transaction` each
    sees what was committed before it.
    """
    with db.transaction() as tx:
        tx.execute("set transaction isolation level repeatable read, read only")
        yield tx
