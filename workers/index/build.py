"""Builds an external index beside the serving one, then switches to it."""

import time

from app.core import db
from app.core.db import Tx
from app.domains.library.passages import change_store, changes
from app.domains.library.passages.index import retriever
from app.domains.library.passages.index.generation_store import NAMESPACE
from app.domains.queue.jobs.service import Finish
from app.engine.search import remote_server
from app.engine.search.remote import Addition, IndexFailed, RemoteServer
from workers.index.changes import IndexUnavailable, apply, send_some
from workers.queue.attempt import Attempt, handles

SLICE_SECONDS = 20.0  # then other work of the queue gets its turn


@handles(changes.BUILD)
def build(attempt: Attempt) -> Finish:
    """Continue the rebuild, and enqueue the rest; the last job deletes what served before."""
    server = remote_server.opened(attempt.settings)
    if server is None:
        raise IndexUnavailable(why="INDEX_URL is not set here")
    try:
        return _build(attempt, server)
    except IndexFailed as failed:
        raise IndexUnavailable(why=str(failed), retry_after=failed.retry_after) from None


def _build(attempt: Attempt, server: RemoteServer) -> Finish:
    if attempt.payload.get("switched"):
        attempt.stage("tidying", 99)
        _drop_left(attempt, server)
        return lambda _tx: None
    attempt.stage("building", 0)
    prefix = attempt.settings.index_prefix
    with attempt.step() as tx:
        index = changes.begin(tx, prefix)
    target = server.index(index.name)
    target.create()
    until = time.monotonic() + SLICE_SECONDS
    while _add(attempt, server):
        if time.monotonic() >= until:
            return _go_on
    # What it has not heard of in time it hears after it began to serve, as at any time.
    until = time.monotonic() + SLICE_SECONDS
    while time.monotonic() < until and send_some(attempt, server):
        pass
    target.serve(prefix + NAMESPACE)

    def switch(tx: Tx) -> None:
        changes.serve(tx, index)
        changes.rebuild(tx, switched=True)

    return switch


def _go_on(tx: Tx) -> None:
    changes.rebuild(tx)


def _add(attempt: Attempt, server: RemoteServer) -> bool:
    """Send the next passages; False when it has all that were there when it was begun."""
    with db.reading() as reader:
        index = changes.building(reader)
        waiting, left = changes.unbuilt(reader, index) if index else ([], 0)
    if index is None or not waiting:
        return False
    attempt.report("building", 50, passages_left=left)
    analysed = retriever.analyse(waiting)
    additions = [Addition(passage, terms, changes.BUILT) for passage, terms in analysed]
    apply(attempt, server, index.name, [*additions])
    with attempt.step() as tx:
        changes.built(tx, index, waiting[-1].id)
    return True


def _drop_left(attempt: Attempt, server: RemoteServer) -> None:
    with db.reading() as reader:
        left = change_store.left(reader)
    for id, name in left:
        server.index(name).drop()
        with attempt.step() as tx:
            change_store.forget(tx, id)
