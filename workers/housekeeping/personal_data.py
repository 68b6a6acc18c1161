"""Handlers of the work that accounts request about themselves: exports, leaving, being erased."""

import time
from uuid import UUID

import psycopg

from app.core import db, log
from app.domains.own_data.personal_data import deletion, erasure, export_store, tables
from app.domains.own_data.personal_data import service as personal_data
from app.domains.own_data.personal_data.archive import Archive
from app.domains.queue.jobs import schedules
from app.domains.queue.jobs.service import OPERATOR, DeadlineExceeded, Finish, enqueue
from workers.queue.attempt import Attempt, Lost, handles

logger = log.get(__name__)

ROWS_PER_STEP = 1_000
SLICE_SECONDS = 20.0  # then other work of the queue gets its turn


@handles(personal_data.KIND)
def export(attempt: Attempt) -> Finish:
    """Write the account's file, piece by piece; a later attempt begins again."""
    archive = Archive(personal_data.ExportWriter(attempt.settings, attempt.id, attempt.step))
    lists = len(tables.EXPORTED) + 1
    written = personal_data.write(archive, attempt.settings, attempt.account_id)
    for n, name in enumerate(written):
        attempt.stage(name, n * 100 // lists)
    size = archive.finish(personal_data.heading(attempt.account_id))
    kept_seconds = attempt.settings.account_export_kept_days * 86_400

    def complete(tx: db.Tx) -> None:
        export_store.complete(
            tx, attempt.id, bytes=size, rows_of=archive.lines, kept_seconds=kept_seconds
        )

    return complete


@handles(deletion.STOP)
def stop(attempt: Attempt) -> Finish:
    """Stop what an account that leaves has running, some in each transaction."""
    account_id = UUID(attempt.payload["account_id"])
    attempt.stage("stopping", 0)
    while _stop_some(attempt, account_id):
        pass
    return lambda _tx: None


def _stop_some(attempt: Attempt, account_id: UUID) -> int:
    """Stops some of what was started before the last credential ended, found here again."""
    with attempt.step() as tx:
        stopped = deletion.stop_some(tx, account_id)
    attempt.check()
    return stopped


@handles(personal_data.ERASE)
def erase(attempt: Attempt) -> Finish:
    """Erase the accounts whose time has come, a bounded number of rows in each transaction."""
    attempt.stage("erasing", 0)
    until = time.monotonic() + SLICE_SECONDS
    with db.reading() as reader:
        due = erasure.due(reader)
    for account_id in due:
        if not _try_to_erase(attempt, account_id, until):
            return _go_on
    return lambda _tx: None


def _try_to_erase(attempt: Attempt, account_id: UUID, until: float) -> bool:
    """As `_erase`. A fault in what one account has does not keep the others from being erased."""
    try:
        return _erase(attempt, account_id, until)
    except (Lost, DeadlineExceeded, psycopg.OperationalError):
        raise
    except Exception:
        logger.exception("account not erased", account_id=str(account_id))
        return True


def _erase(attempt: Attempt, account_id: UUID, until: float) -> bool:
    """False: there was no time for all of it. One that something still binds is left for later."""
    while _stop_some(attempt, account_id):
        if time.monotonic() >= until:
            return False
    with attempt.step() as tx:
        open_things = erasure.begin(tx, account_id)
    if open_things:
        logger.info("account not erased yet", account_id=str(account_id), why=open_things)
        return True
    while time.monotonic() < until:
        with attempt.step() as tx:
            if not erasure.step(tx, account_id, ROWS_PER_STEP):
                return True
        attempt.check()
    return False


def _go_on(tx: db.Tx) -> None:
    enqueue(tx, personal_data.ERASE, OPERATOR, {}, unique_key=schedules.ONLY)
