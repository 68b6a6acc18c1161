"""Pages in the index of Postgres, and an index elsewhere that follows it."""

from datetime import UTC, datetime
from uuid import UUID

from app.core import db, ids
from app.core.config.settings import Settings
from app.domains.library.passages import changes, prepared, service
from app.domains.library.passages.prepared import PreparedPage
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs import store
from app.domains.queue.jobs.kinds import Kind
from app.domains.queue.jobs.store import Job
from app.engine.pages.read import read
from app.engine.sandbox.prepare import prepare_page
from tests import builders
from tests.opensearch import Index, StandIn

CORPUS = ids.new()
ALIAS = "citegrid-corpora"


def page(words: str, source: UUID) -> PreparedPage:
    """One passage."""
    url = f"https://docs.example.org/{source}"
    said = read(f"Title\n\nThis is about {words}.\n".encode(), "text/plain", None, url)
    reading = prepare_page(said)
    return prepared.prepare(CORPUS, source, url, reading, datetime.now(UTC))


def add(words: str, source: UUID | None = None) -> UUID:
    """Make this the page of a source, of a new one if none is given; the source."""
    source = source or ids.new()
    with db.transaction() as tx:
        service.replace(tx, [page(words, source)])
    return source


def remove(source: UUID) -> None:
    with db.transaction() as tx:
        service.remove(tx, [source])


def run(settings: Settings, kind: Kind) -> Job:
    """Do one job of the kind now; what became of it."""
    with db.transaction() as tx:
        id = jobs.enqueue(tx, kind, jobs.OPERATOR, {}, unique_key="all")
    builders.run(settings, [id])
    with db.reading() as reader:
        job = store.by_id(reader, id)
    assert job is not None
    return job


def rebuild(settings: Settings) -> None:
    """Until there is nothing left to do."""
    with db.transaction() as tx:
        id = changes.rebuild(tx)
    while True:
        builders.run(settings, [id])
        with db.reading() as reader:
            job = changes.rebuild_job(reader)
        if job is None:
            return
        assert job.id != id, job.error
        id = job.id


def served(server: StandIn) -> Index:
    """What the alias stands for, with all that was written visible."""
    index = server.indexes[server.aliases[ALIAS]]
    index.refresh()
    return index


def same(server: StandIn) -> bool:
    """Whether the index that serves holds the passages of Postgres, and nothing else."""
    with db.reading() as reader:
        stored = {str(id) for id in db.values(reader, "select id from passages")}
    return set(served(server).documents) == stored
