"""Documents that accounts upload into corpora of their own, to be found by their searches alone.

An upload commits the document's content together with the job that reads it. The job replaces what
the document had in the index in one step, so a search finds the whole former version or the whole
new one. A version that cannot be read leaves the former one as it is.
"""

import hashlib
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

import psycopg

from app.core import ids
from app.core.db import Reader, Tx
from app.core.errors import NotFound, required
from app.core.ids import Noun
from app.domains.account.audit.service import record_event
from app.domains.library.corpora.service import CorpusExists, CorpusNotFound
from app.domains.library.documents import corpus_store, store
from app.domains.library.documents.corpus_store import OwnCorpus
from app.domains.library.documents.quota import CorpusQuotaExceeded, Quota
from app.domains.library.documents.store import DocumentSize, OwnDocument, Upload, WebAddress
from app.domains.library.passages import service as passages
from app.domains.library.passages.prepared import PreparedPage
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.kinds import EndedJob
from app.domains.queue.jobs.service import OPERATOR, enqueue, until_done
from app.domains.queue.webhooks import outbox

MOST_CORPORA: Final = 100
_DOCUMENTS_PER_STEP: Final = 50


def _not_read(tx: Tx, job: EndedJob) -> None:
    reason = "cancelled" if job.error is None else job.error["code"]
    fail(tx, job.account_id, UUID(job.payload["document_id"]), job.payload["version"], reason)


READ = kinds.register(
    "documents.read",
    queue="corpora",
    deadline_seconds=6 * 3600,  # an account may upload its ten thousand at once
    on_end=_not_read,
)
FORGET = kinds.register(
    "documents.forget", queue="corpora", deadline_seconds=3600, on_end=until_done
)
COMPACT = kinds.register("documents.compact", queue="corpora", deadline_seconds=3600, priority=90)


class DocumentNotFound(NotFound):
    """No document with this key is in the corpus."""

    code = "document_not_found"


def create(tx: Tx, account_id: UUID, name: str) -> OwnCorpus:
    """Raises CorpusExists, CorpusQuotaExceeded."""
    corpus_store.lock(tx, account_id)
    if corpus_store.holding(tx, account_id).corpora >= MOST_CORPORA:
        raise CorpusQuotaExceeded
    id = ids.new()
    if not corpus_store.insert(tx, id, account_id, name):
        raise CorpusExists
    record_event(tx, "corpus.created", ids.public(Noun.CORPUS, id), account_id, name=name)
    return find(tx, account_id, id)


def find(reader: Reader, account_id: UUID, id: UUID) -> OwnCorpus:
    """A corpus of this account. Raises CorpusNotFound, also for another account's."""
    return required(corpus_store.by_id(reader, account_id, id), CorpusNotFound)


def rename(tx: Tx, account_id: UUID, id: UUID, name: str) -> OwnCorpus:
    """Raises CorpusNotFound, CorpusExists."""
    try:
        renamed = corpus_store.rename(tx, account_id, id, name)
    except psycopg.errors.UniqueViolation:
        raise CorpusExists from None
    if not renamed:
        raise CorpusNotFound
    record_event(tx, "corpus.renamed", ids.public(Noun.CORPUS, id), account_id, name=name)
    return find(tx, account_id, id)


def delete(tx: Tx, account_id: UUID, id: UUID) -> None:
    """Hide a corpus at once, and have its documents deleted. Raises CorpusNotFound."""
    if not corpus_store.forget(tx, account_id, id):
        raise CorpusNotFound
    record_event(tx, "corpus.deleted", ids.public(Noun.CORPUS, id), account_id)
    payload = {"account_id": str(account_id), "corpus_id": str(id)}
    enqueue(tx, FORGET, OPERATOR, payload, unique_key=str(id))


def put(
    tx: Tx, account_id: UUID, corpus_id: UUID, key: str, given: Upload | WebAddress, quota: Quota
) -> tuple[OwnDocument, bool]:
    """Store a document and have it read; False: it has this content already, or waits to be
    fetched from there, and nothing is done.

    Raises CorpusNotFound, CorpusQuotaExceeded.
    """
    corpus_store.lock(tx, account_id)
    store.lock(tx, corpus_id, key)
    find(tx, account_id, corpus_id)
    former = store.by_key(tx, account_id, corpus_id, key)
    if former is not None and former.state != "failed" and _same(former, given):
        return former, False
    added = len(given.body) - (former.bytes if former else 0) if isinstance(given, Upload) else 0
    holding = corpus_store.holding(tx, account_id)
    quota.check_upload(holding, is_new=former is None, added_bytes=added)
    if former is None:
        id, version = ids.new(), 1
        store.insert(tx, id, account_id, corpus_id, key, given)
    else:
        id, version = former.id, store.replace(tx, former.id, given)
    corpus_store.count(tx, corpus_id, documents=int(former is None), bytes=added)
    corpus_store.count_upload(tx, account_id)
    enqueue(tx, READ, account_id, {"document_id": str(id), "version": version})
    return document(tx, account_id, corpus_id, key), True


def _same(former: OwnDocument, given: Upload | WebAddress) -> bool:
    if isinstance(given, WebAddress):
        return former.url == given.url and former.state == "waiting"
    there = (former.url, former.content_hash, former.media_type)
    is_same = there == (None, given.content_hash, given.media_type)
    return is_same and given.charset in (None, former.charset)


def content_hash(body: bytes) -> str:
    return f"sha256:{hashlib.sha256(body).hexdigest()}"


def document(reader: Reader, account_id: UUID, corpus_id: UUID, key: str) -> OwnDocument:
    """Raises CorpusNotFound, DocumentNotFound."""
    find(reader, account_id, corpus_id)
    return required(store.by_key(reader, account_id, corpus_id, key), DocumentNotFound)


def documents(
    reader: Reader,
    account_id: UUID,
    corpus_id: UUID,
    *,
    state: str | None,
    before: UUID | None,
    limit: int,
) -> list[OwnDocument]:
    """Newest first, one more than `limit`. Raises CorpusNotFound."""
    find(reader, account_id, corpus_id)
    return store.page(reader, account_id, corpus_id, state=state, before=before, most=limit + 1)


def set_metadata(
    tx: Tx, account_id: UUID, corpus_id: UUID, key: str, metadata: dict[str, Any]
) -> OwnDocument:
    """Raises CorpusNotFound, DocumentNotFound."""
    found = document(tx, account_id, corpus_id, key)
    store.set_metadata(tx, found.id, metadata)
    return document(tx, account_id, corpus_id, key)


def delete_document(tx: Tx, account_id: UUID, corpus_id: UUID, key: str) -> None:
    """Take a document out of the corpus and the index. Raises CorpusNotFound, DocumentNotFound."""
    corpus_store.lock(tx, account_id)
    find(tx, account_id, corpus_id)
    found = required(store.lock(tx, corpus_id, key), DocumentNotFound)
    waited = store.any_waiting(tx, corpus_id)
    drop(tx, account_id, [found])
    if waited:  # perhaps for this one alone
        settle(tx, account_id, corpus_id)


def drop(tx: Tx, account_id: UUID, gone: list[DocumentSize]) -> None:
    """Take locked documents out of their corpora and the index."""
    document_ids = [each.id for each in gone]
    passages.remove(tx, document_ids, account_id)
    store.delete(tx, document_ids)
    for corpus_id in {each.corpus_id for each in gone}:
        of_it = [each for each in gone if each.corpus_id == corpus_id]
        corpus_store.count(
            tx,
            corpus_id,
            documents=-len(of_it),
            bytes=-sum(each.bytes for each in of_it),
            passages=-sum(each.passages for each in of_it),
        )


# The worker's side.


def url_of(unread: store.UnreadDocument) -> str:
    """The address of an uploaded document in answers; it leads to nothing on the web."""
    return f"corpus://{ids.public(Noun.CORPUS, unread.corpus_id)}/{quote(unread.key)}"


def finish(
    tx: Tx,
    account_id: UUID,
    version: int,
    prepared: PreparedPage,
    quota: Quota,
    fetched: Upload | None = None,
) -> None:
    """Make a version that was read what searches find of its document, unless it was replaced.

    `fetched` is what came from its address, for one that has one. What would be too many passages
    or bytes fails as `quota_exceeded`.
    """
    corpus_store.lock(tx, account_id)
    former = store.lock_unread(tx, prepared.source_id, version)
    if former is None:
        return
    id, page = prepared.source_id, prepared.page
    if fetched is not None and store.unchanged(tx, id, fetched.content_hash, page.lack):
        settle(tx, account_id, prepared.corpus_id)
        return
    more = {
        "bytes": len(fetched.body) - former.bytes if fetched is not None else 0,
        "passages": len(prepared.spans) - former.passages,
    }
    if not quota.fits(corpus_store.holding(tx, account_id), **more):
        fail(tx, account_id, id, version, "quota_exceeded")
        return
    kept = passages.replace(tx, [prepared], account_id)
    store.ready(tx, id, kept[id], len(prepared.spans), page.lack)
    if fetched is not None:
        store.fetched(tx, id, fetched)
    corpus_store.count(tx, prepared.corpus_id, **more)
    settle(tx, account_id, prepared.corpus_id)


def fail(tx: Tx, account_id: UUID, document_id: UUID, version: int, reason: str) -> None:
    """Say why a version cannot be read, unless it was replaced. The former one stays as it is."""
    corpus_store.lock(tx, account_id)  # of two that fail at once, one sees that nothing waits
    failed = store.fail(tx, document_id, version, reason)
    if failed is None:
        return
    data = {
        "corpus_id": ids.public(Noun.CORPUS, failed.corpus_id),
        "key": failed.key,
        "reason": reason,
    }
    outbox.tell(tx, account_id, "document.failed", document_id, data)
    settle(tx, account_id, failed.corpus_id)


def settle(tx: Tx, account_id: UUID, corpus_id: UUID) -> None:
    """Once nothing of a corpus waits, its owner is told, and what was added is merged."""
    if not store.any_waiting(tx, corpus_id):
        data = {"id": ids.public(Noun.CORPUS, corpus_id)}
        outbox.tell(tx, account_id, "corpus.ready", corpus_id, data)
        enqueue(tx, COMPACT, OPERATOR, {}, unique_key="all")


def erase_some_of(tx: Tx, account_id: UUID) -> int:
    """Delete some of what an account has, and at the end its index; how many things went."""
    if gone := forget_some(tx, account_id, None):
        return gone
    if not passages.forget_index(tx, account_id):
        return 0
    enqueue(tx, COMPACT, OPERATOR, {}, unique_key="all")
    return 1


def forget_some(tx: Tx, account_id: UUID, corpus_id: UUID | None) -> int:
    """Delete some documents of a deleted corpus, or of all of the account's; how many went."""
    corpus_store.lock(tx, account_id)
    gone = store.some(tx, account_id, corpus_id, _DOCUMENTS_PER_STEP)
    if gone:
        drop(tx, account_id, gone)
    elif corpus_id is not None:
        corpus_store.delete(tx, corpus_id)
    return len(gone)
