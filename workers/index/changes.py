"""Sending changes of passages to the index that follows, in the order in which they committed."""

import time

from app.core import db, log, metrics
from app.core.config.settings import Settings
from app.core.errors import AppError
from app.domains.library.passages import change_store, changes
from app.domains.library.passages.change_store import Remote
from app.domains.library.passages.index import retriever
from app.domains.queue.jobs.service import Finish
from app.engine.search import remote_server
from app.engine.search.remote import Addition, IndexFailed, RemoteServer, Removal
from workers.queue.attempt import Attempt, handles

logger = log.get(__name__)

SLICE_SECONDS = 20.0  # then other work of the queue gets its turn
_NAMED = 10  # refused passages, in the log


class IndexUnavailable(AppError):
    """The index at INDEX_URL is unavailable or rejects requests."""

    code, status, retryable = "index_unavailable", 502, True


def promise(settings: Settings) -> None:
    """Passages were stored, and that is committed: have the index that follows told, if one does.

    Whatever is not promised here is sent within a minute, see `changes.forget_sent`.
    """
    if settings.index_url:
        with db.transaction() as tx:
            changes.promise(tx)


@handles(changes.SEND)
def send(attempt: Attempt) -> Finish:
    """Send for some seconds, then enqueue the rest behind other work."""
    server = remote_server.opened(attempt.settings)
    if server is None:
        logger.error("an index follows, but INDEX_URL is not set here")
        return lambda _tx: None
    attempt.stage("sending", 0)
    sent, until = 0, time.monotonic() + SLICE_SECONDS
    while time.monotonic() < until and (some := send_some(attempt, server)):
        sent += some
        attempt.report("sending", 50, passages_sent=sent)
    return changes.promise


def send_some(attempt: Attempt, server: RemoteServer) -> int:
    """Send each index that follows its next changes; how many passages these were.

    Raises IndexUnavailable; what was sent and not noted is sent again.
    """
    with attempt.step() as tx:
        change_store.number(tx)
    with db.reading() as reader:
        following = [
            (index, changes.unsent(reader, index)) for index in change_store.current(reader)
        ]
    sent = 0
    for index, batch in following:
        if batch is not None:
            sent += _send(attempt, server, index, batch)
    return sent


def _send(attempt: Attempt, server: RemoteServer, index: Remote, batch: changes.ChangeBatch) -> int:
    analysed = retriever.analyse((passage for passage, _ in batch.added))
    additions = [
        Addition(passage, terms, version)
        for (passage, terms), (_, version) in zip(analysed, batch.added, strict=True)
    ]
    removals = [Removal(id, version) for id, version in batch.removed]
    apply(attempt, server, index.name, [*removals, *additions])
    with attempt.step() as tx:
        changes.sent(tx, index, batch.to)
    return len(additions) + len(removals) or 1  # of what is gone again there is nothing to send


def apply(
    attempt: Attempt, server: RemoteServer, name: str, some: list[Addition | Removal]
) -> None:
    """Send to the index of this name. Raises IndexUnavailable."""
    attempt.check()
    try:
        refused = server.index(name).apply(some)
    except IndexFailed as failed:
        raise IndexUnavailable(why=str(failed), retry_after=failed.retry_after) from None
    metrics.index_passages.labels("refused").inc(len(refused))
    metrics.index_passages.labels("sent").inc(len(some) - len(refused))
    if refused:
        logger.error("passages refused by the index", passages=refused[:_NAMED], all=len(refused))
