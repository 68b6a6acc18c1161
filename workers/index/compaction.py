"""Merging the postings of the index from within a job."""

from contextlib import suppress

import psycopg

from app.core import db
from app.domains.library.passages import service as passages
from app.domains.library.passages.index import compaction_store
from workers.queue.attempt import Attempt


def compact(attempt: Attempt, *, lightly: bool = False) -> None:
    """One bounded step after another; `lightly` only when much was added."""
    done: int | None = 0
    while done is not None:
        with attempt.step() as tx:
            done = passages.compact(tx, done, lightly=lightly)
    # A vacuum that takes too long, or that a database away refuses, is autovacuum's to do later.
    with suppress(psycopg.OperationalError), db.reading() as reader:
        compaction_store.vacuum(reader)
