"""Reading what accounts uploaded into their own index, and deleting what they deleted."""

from datetime import UTC, datetime
from uuid import UUID

from app.core import db
from app.core.db import Tx
from app.domains.library.documents import service as documents
from app.domains.library.documents import store
from app.domains.library.documents.quota import Quota
from app.domains.library.pages.visits import NOINDEX
from app.domains.library.passages.prepared import prepare
from app.domains.library.sites import service as sites
from app.domains.queue.jobs.service import Finish
from app.engine.pages.page import PageUnreadable
from app.engine.sandbox.documents import Document
from app.engine.sandbox.reader import UNHURRIED, page_reader
from workers.index import embeddings
from workers.index.compaction import compact
from workers.index.web_documents import NotFetched, fetched
from workers.queue.attempt import Attempt, handles


@handles(documents.READ)
def read(attempt: Attempt) -> Finish:
    """Read one version of a document; nothing if it was replaced or deleted meanwhile."""
    document_id, version = UUID(attempt.payload["document_id"]), attempt.payload["version"]
    attempt.stage("reading", 0)
    with db.reading() as reader:
        unread = store.unread(reader, document_id, version)
    if unread is None:
        return lambda _tx: None
    try:
        if unread.url is not None:
            content, document = fetched(attempt.settings, unread.url)
        else:
            content, document = None, _uploaded(unread)
        reading = page_reader().read(document, UNHURRIED)
    except PageUnreadable as unreadable:
        return _failing(attempt, unreadable.reason.value)
    except NotFetched as refused:
        return _failing(attempt, refused.outcome)
    if content is not None and reading.page.noindex:
        return _failing(attempt, NOINDEX)
    prepared = prepare(unread.corpus_id, unread.id, document.url, reading, datetime.now(UTC))
    compact(attempt, lightly=True)  # what others added: this one's is not there yet

    quota = Quota.of(attempt.settings)

    def finish(tx: Tx) -> None:
        documents.finish(tx, attempt.account_id, version, prepared, quota, content)
        embeddings.promise(tx, attempt.settings)

    return finish


def _failing(attempt: Attempt, reason: str) -> Finish:
    document_id, version = UUID(attempt.payload["document_id"]), attempt.payload["version"]
    return lambda tx: documents.fail(tx, attempt.account_id, document_id, version, reason)


def _uploaded(unread: store.UnreadDocument) -> Document:
    return Document(unread.body or b"", unread.media_type, unread.charset, documents.url_of(unread))


@handles(documents.FORGET)
def forget(attempt: Attempt) -> Finish:
    """Delete the documents of a deleted corpus, some in each transaction."""
    account_id, corpus_id = (UUID(attempt.payload[key]) for key in ("account_id", "corpus_id"))
    attempt.stage("deleting", 0)
    with attempt.step() as tx:
        sites.forget_of_corpus(tx, account_id, corpus_id)
    attempt.drain(lambda tx: documents.forget_some(tx, account_id, corpus_id))
    compact(attempt)
    return lambda _tx: None


@handles(documents.COMPACT)
def tidy(attempt: Attempt) -> Finish:
    """Merge what uploads added, and drop what they replaced."""
    attempt.stage("merging", 0)
    compact(attempt)
    return lambda _tx: None
