"""The documents table."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from app.core.db import Reader, Tx, first, many, run, value, values


@dataclass(frozen=True, slots=True)
class OwnDocument:
    """A document of an account. `bytes` and `content_hash` are of what was uploaded last."""

    id: UUID
    corpus_id: UUID
    key: str
    media_type: str
    bytes: int
    content_hash: str
    version: int
    state: str
    reason: str | None
    title: str | None
    language: str | None
    passages: int
    metadata: dict[str, Any]
    uploaded_at: datetime
    read_at: datetime | None


_COLUMNS = """
    select documents.id, documents.corpus_id, documents.key, documents.media_type, documents.bytes,
           documents.content_hash, documents.version, documents.state, documents.reason,
           snapshots.title, snapshots.language, documents.passages, documents.metadata,
           documents.uploaded_at, documents.read_at
    from documents left join snapshots on snapshots.id = documents.snapshot_id
    where documents.account_id = %(account_id)s and documents.corpus_id = %(corpus_id)s
    """

BY_KEY = _COLUMNS + " and documents.key = %(key)s"

PAGE = (
    _COLUMNS
    + """
      and (%(before)s::uuid is null or documents.id < %(before)s)
      and (%(state)s::text is null or documents.state = %(state)s)
    order by documents.id desc limit %(most)s
    """
)


def by_key(reader: Reader, account_id: UUID, corpus_id: UUID, key: str) -> OwnDocument | None:
    parameters = {"account_id": account_id, "corpus_id": corpus_id, "key": key}
    return first(reader, OwnDocument, BY_KEY, **parameters)


def page(
    reader: Reader,
    account_id: UUID,
    corpus_id: UUID,
    *,
    state: str | None,
    before: UUID | None,
    most: int,
) -> list[OwnDocument]:
    """Newest first."""
    return many(
        reader,
        OwnDocument,
        PAGE,
        account_id=account_id,
        corpus_id=corpus_id,
        state=state,
        before=before,
        most=most,
    )


@dataclass(frozen=True, slots=True)
class Upload:
    """The content of a document as it came."""

    media_type: str
    charset: str | None
    body: bytes
    content_hash: str


INSERT = """
    insert into documents (id, account_id, corpus_id, key, media_type, charset, bytes, content_hash,
                           body)
    values (%(id)s, %(account_id)s, %(corpus_id)s, %(key)s, %(media_type)s, %(charset)s, %(bytes)s,
            %(content_hash)s, %(body)s)
    """

REPLACE = """
    update documents
    set media_type = %(media_type)s, charset = %(charset)s, bytes = %(bytes)s,
        content_hash = %(content_hash)s, body = %(body)s, version = version + 1,
        state = 'waiting', reason = null, uploaded_at = now()
    where id = %(id)s
    returning version
    """


SET_METADATA = "update documents set metadata = %(metadata)s where id = %(id)s"


def set_metadata(tx: Tx, id: UUID, metadata: dict[str, Any]) -> None:
    run(tx, SET_METADATA, id=id, metadata=Jsonb(metadata))


def insert(tx: Tx, id: UUID, account_id: UUID, corpus_id: UUID, key: str, upload: Upload) -> None:
    given = {"id": id, "account_id": account_id, "corpus_id": corpus_id, "key": key}
    run(tx, INSERT, **given, **_content(upload))


def replace(tx: Tx, id: UUID, upload: Upload) -> int:
    """Returns the version that now waits to be read."""
    return int(value(tx, REPLACE, id=id, **_content(upload)))


def _content(upload: Upload) -> dict[str, object]:
    return {
        "media_type": upload.media_type,
        "charset": upload.charset,
        "bytes": len(upload.body),
        "content_hash": upload.content_hash,
        "body": upload.body,
    }


# Of one corpus, or of a whole account.
SOME = """
    select id, corpus_id, bytes from documents
    where account_id = %(account_id)s
      and (%(corpus_id)s::uuid is null or corpus_id = %(corpus_id)s)
    order by id limit %(most)s for update
    """

LOCK = "select id, corpus_id, bytes from documents where id = %(id)s for update"

DELETE = "delete from documents where id = any(%(ids)s)"


@dataclass(frozen=True, slots=True)
class DocumentSize:
    id: UUID
    corpus_id: UUID
    bytes: int


def some(tx: Tx, account_id: UUID, corpus_id: UUID | None, most: int) -> list[DocumentSize]:
    """Documents of a corpus, or of all of the account's, locked."""
    return many(tx, DocumentSize, SOME, account_id=account_id, corpus_id=corpus_id, most=most)


def lock(tx: Tx, id: UUID) -> DocumentSize | None:
    return first(tx, DocumentSize, LOCK, id=id)


def delete(tx: Tx, ids: list[UUID]) -> None:
    run(tx, DELETE, ids=ids)


# The worker's side.


@dataclass(frozen=True, slots=True)
class UnreadDocument:
    """A version of a document that waits to be read."""

    id: UUID
    corpus_id: UUID
    key: str
    media_type: str
    charset: str | None
    body: bytes


_OF_VERSION = "id = %(id)s and version = %(version)s and state = 'waiting'"

UNREAD = f"""
    select id, corpus_id, key, media_type, charset, body from documents
    where {_OF_VERSION} and body is not null
    """  # noqa: S608 (a constant)

LOCK_UNREAD = f"select id from documents where {_OF_VERSION} for update"  # noqa: S608

READY = """
    update documents
    set state = 'ready', reason = null, body = null, charset = null, snapshot_id = %(snapshot_id)s,
        passages = %(passages)s, read_at = now()
    where id = %(id)s
    """

# What an earlier version holds stays in the index.
FAILED = f"""
    update documents set state = 'failed', reason = %(reason)s, body = null, read_at = now()
    where {_OF_VERSION}
    returning id, account_id, corpus_id, key
    """  # noqa: S608 (a constant)

WAITING = """
    select exists (select from documents where corpus_id = %(corpus_id)s and state = 'waiting')
    """


@dataclass(frozen=True, slots=True)
class FailedDocument:
    id: UUID
    account_id: UUID
    corpus_id: UUID
    key: str


def unread(reader: Reader, id: UUID, version: int) -> UnreadDocument | None:
    """None when the version was read, replaced or deleted."""
    return first(reader, UnreadDocument, UNREAD, id=id, version=version)


def lock_unread(tx: Tx, id: UUID, version: int) -> bool:
    """False when the version was replaced or deleted meanwhile."""
    return bool(values(tx, LOCK_UNREAD, id=id, version=version))


def ready(tx: Tx, id: UUID, snapshot_id: UUID, passages: int) -> None:
    run(tx, READY, id=id, snapshot_id=snapshot_id, passages=passages)


def failed(tx: Tx, id: UUID, version: int, reason: str) -> FailedDocument | None:
    """None when the version was read, replaced or deleted meanwhile."""
    return first(tx, FailedDocument, FAILED, id=id, version=version, reason=reason)


def any_waiting(reader: Reader, corpus_id: UUID) -> bool:
    return bool(value(reader, WAITING, corpus_id=corpus_id))
