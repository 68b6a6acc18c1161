"""/v1/corpora: documents of one's own to search."""

from typing import Any
from uuid import UUID

from flask import request, url_for
from marshmallow import missing

from app.core import db, ids
from app.core.errors import AppError, PayloadTooLarge, UnsupportedMediaType
from app.core.http import Blueprint, caller, current_settings, raises, scoped
from app.core.http.fields import RowView
from app.core.http.idempotency import once
from app.core.http.pagination import PageIn, page
from app.core.ids import Noun
from app.domains.library.corpora.service import CorpusExists, CorpusNotFound
from app.domains.library.documents import (
    batches,
    corpus_store,
    limited_keys,
    schemas,
    service,
    uploads,
)
from app.domains.library.documents.batches import BatchLine, LineResult
from app.domains.library.documents.quota import CorpusQuotaExceeded, Quota
from app.domains.library.documents.service import DocumentNotFound
from app.domains.library.documents.store import OwnDocument, Upload, WebAddress
from app.domains.queue.jobs.admission.acceptance import POLL_SECONDS, admit

corpora = Blueprint(
    "corpora",
    __name__,
    url_prefix="/v1/corpora",
    description="Your documents, searched beside what this server has indexed; only you find them.",
    preview=True,
)

_DOCUMENT = "/<corp:corpus_id>/documents/<path:key>"


@corpora.before_request
def _limit_body() -> None:
    if request.endpoint == "corpora.put_document" or request.mimetype == batches.ZIP:
        request.max_content_length = schemas.MOST_BODY_BYTES


@corpora.before_request
def _within_the_keys_corpora() -> None:
    """For a key that is limited to some, there are no others."""
    if request.endpoint != "corpora.index":  # which lists those of the key
        limited_keys.check_the_corpus()


@corpora.post("", operation="createCorpus")
@scoped("corpora")
@raises(CorpusExists, CorpusNotFound, CorpusQuotaExceeded)
@corpora.arguments(schemas.CorpusIn)
@corpora.response(201, schemas.CorpusSchema)
def create(body: dict[str, Any]) -> tuple[Any, int, dict[str, str]]:
    """Create a corpus for your documents."""
    account_id = caller().account_id

    def make(tx: db.Tx) -> dict[str, Any]:
        return {"id": ids.public(Noun.CORPUS, service.create(tx, account_id, body["name"]).id)}

    made = once(body, make)["id"]
    with db.reading() as reader:
        corpus = service.find(reader, account_id, ids.lookup(Noun.CORPUS, made))
    return corpus, 201, {"Location": url_for("corpora.show", corpus_id=made)}


@corpora.get("", operation="listCorpora")
@scoped("corpora")
@corpora.arguments(PageIn, location="query")
@corpora.response(200, schemas.CorpusPageSchema)
def index(wanted: dict[str, Any]) -> dict[str, Any]:
    """List your corpora, newest first."""
    limit = wanted["limit"]
    with db.reading() as reader:
        identity = caller()
        rows = corpus_store.page(
            reader, identity.account_id, identity.corpora, wanted.get("cursor"), limit + 1
        )
    return page("corpora", rows, limit)


@corpora.get("/<corp:corpus_id>", operation="getCorpus")
@scoped("corpora")
@raises(CorpusNotFound)
@corpora.response(200, schemas.CorpusSchema)
def show(corpus_id: UUID) -> Any:
    """Get a corpus with the number of its documents."""
    with db.reading() as reader:
        return service.find(reader, caller().account_id, corpus_id)


@corpora.patch("/<corp:corpus_id>", operation="updateCorpus")
@scoped("corpora")
@raises(CorpusNotFound, CorpusExists)
@corpora.arguments(schemas.CorpusIn)
@corpora.response(200, schemas.CorpusSchema)
def update(body: dict[str, Any], corpus_id: UUID) -> Any:
    """Rename a corpus."""
    with db.transaction() as tx:
        return service.rename(tx, caller().account_id, corpus_id, body["name"])


@corpora.delete("/<corp:corpus_id>", operation="deleteCorpus")
@scoped("corpora")
@raises(CorpusNotFound)
@corpora.response(204)
def delete(corpus_id: UUID) -> None:
    """Delete a corpus with its documents. Answers that cite them keep their sources."""
    with db.transaction() as tx:
        service.delete(tx, caller().account_id, corpus_id)


@corpora.get("/<corp:corpus_id>/documents", operation="listDocuments")
@scoped("corpora")
@raises(CorpusNotFound)
@corpora.arguments(schemas.DocumentsIn, location="query")
@corpora.response(200, schemas.DocumentPageSchema)
def list_documents(wanted: dict[str, Any], corpus_id: UUID) -> dict[str, Any]:
    """List the documents of a corpus with their states, newest first."""
    limit = wanted["limit"]
    with db.reading() as reader:
        rows = service.documents(
            reader,
            caller().account_id,
            corpus_id,
            state=wanted.get("state"),
            before=wanted.get("cursor"),
            limit=limit,
        )
    return page("documents", rows, limit)


@corpora.post("/<corp:corpus_id>/documents", operation="putDocuments")
@scoped("corpora")
@raises(CorpusNotFound, UnsupportedMediaType, PayloadTooLarge)
@corpora.doc(**schemas.BATCH)
@corpora.response(200, schemas.BatchOut)
def put_documents(corpus_id: UUID) -> dict[str, Any]:
    """Upload up to 500 documents, each with its own result: lines of NDJSON, 1 MB in all, or the
    files of a ZIP, 20 MB in all.

    Send it again if it was interrupted: what is there already is unchanged.
    """
    with db.reading() as reader:
        service.find(reader, caller().account_id, corpus_id)
    batch = batches.documents(request.get_data(cache=False), request.mimetype)
    return {"results": [_put_line(corpus_id, line) for line in batch]}


def _put_line(corpus_id: UUID, line: BatchLine | LineResult) -> RowView:
    if isinstance(line, BatchLine):
        line = _put_one(corpus_id, line)
    error = line.error
    shown = missing if error is None else {"code": error.code, "message": str(error)}
    return RowView(line, error=shown)


def _put_one(corpus_id: UUID, line: BatchLine) -> LineResult:
    try:
        _, changed = _put(corpus_id, line.key, line.given, line.metadata)
    except AppError as error:
        return LineResult(line.key, "refused", error)
    return LineResult(line.key, "accepted" if changed else "unchanged")


def _put(
    corpus_id: UUID, key: str, given: Upload | WebAddress, metadata: dict[str, Any] | None = None
) -> tuple[OwnDocument, bool]:
    account_id = caller().account_id
    with db.transaction() as tx:
        admit(tx, service.READ)
        put = service.put(tx, account_id, corpus_id, key, given, Quota.of(current_settings()))
        if metadata is not None:
            service.set_metadata(tx, account_id, corpus_id, key, metadata)
        return put


@corpora.put(_DOCUMENT, operation="putDocument")
@scoped("corpora")
@raises(CorpusNotFound, CorpusQuotaExceeded, UnsupportedMediaType, PayloadTooLarge)
@corpora.doc(**schemas.CONTENT)
@corpora.response(202, schemas.DocumentSchema)
@corpora.alt_response(
    200, schema=schemas.DocumentSchema, description="The document has this content."
)
def put_document(corpus_id: UUID, key: str) -> tuple[Any, int, dict[str, str]]:
    """Upload a document, or replace it: HTML, Markdown, plain text, CSV, PDF, DOCX or EPUB.

    The key is a name of your choice, such as a path. Searches find the document when its state is
    `ready`, and the previous version until then. The same content again changes nothing. With an
    address in place of the content, the document is fetched from there, each time anew.
    """
    with db.reading() as reader:
        service.find(reader, caller().account_id, corpus_id)
    key = uploads.new_key_of(key)
    document, changed = _put(corpus_id, key, uploads.given_in(request, key))
    location = url_for("corpora.show_document", corpus_id=corpus_id, key=key)
    headers = {"Location": location, "Retry-After": str(POLL_SECONDS)}
    return document, 202 if changed else 200, headers


@corpora.get(_DOCUMENT, operation="getDocument")
@scoped("corpora")
@raises(CorpusNotFound, DocumentNotFound)
@corpora.response(200, schemas.DocumentSchema)
def show_document(corpus_id: UUID, key: str) -> Any:
    """Get a document with its state."""
    with db.reading() as reader:
        return service.document(reader, caller().account_id, corpus_id, uploads.key_of(key))


@corpora.patch(_DOCUMENT, operation="updateDocument")
@scoped("corpora")
@raises(CorpusNotFound, DocumentNotFound)
@corpora.arguments(schemas.DocumentChangeIn)
@corpora.response(200, schemas.DocumentSchema)
def update_document(body: dict[str, Any], corpus_id: UUID, key: str) -> Any:
    """Set the metadata of a document, by which searches can be filtered.

    It takes effect at once and stays when the document is replaced.
    """
    with db.transaction() as tx:
        return service.set_metadata(
            tx, caller().account_id, corpus_id, uploads.key_of(key), body["metadata"]
        )


@corpora.delete(_DOCUMENT, operation="deleteDocument")
@scoped("corpora")
@raises(CorpusNotFound, DocumentNotFound)
@corpora.response(204)
def delete_document(corpus_id: UUID, key: str) -> None:
    """Delete a document. Answers that cite it keep their sources."""
    with db.transaction() as tx:
        service.delete_document(tx, caller().account_id, corpus_id, uploads.key_of(key))
