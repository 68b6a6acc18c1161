"""The documents table."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx, first, lists, many, run, value, values


@dataclass(frozen=True, slots=True)
class OwnDocument:
    """A document of an account; `bytes` and `content_hash` are of its last content."""

    id: UUID
    corpus_id: UUID
    key: str
    url: str | None
    media_type: str | None
    charset: str | None
    bytes: int
    content_hash: str | None
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
    select documents.id, documents.corpus_id, documents.key, documents.url,
           nullif(documents.media_type, '') as media_type, documents.charset, documents.bytes,
           nullif(documents.content_hash, '') as content_hash, documents.version, documents.state,
           documents.reason, snapshots.title, snapshots.language, documents.passages,
           documents.metadata, documents.uploaded_at, documents.read_at
    from documents left join snapshots on snapshots.id = documents.snapshot_id
    where documents.account_id = %(account_id)s and documents.corpus_id = %(corpus_id)s
    """

BY_KEY = _COLUMNS + " and documents.key = %(key)s"

FILTERS: Final[lists.Filters] = {"state": "documents.state = %(state)s"}


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
    given = {"account_id": account_id, "corpus_id": corpus_id, "state": state}
    return lists.newest(
        reader, OwnDocument, _COLUMNS, before, most, FILTERS, id="documents.id", **given
    )


@dataclass(frozen=True, slots=True)
class Upload:
    media_type: str
    charset: str | None
    body: bytes
    content_hash: str


@dataclass(frozen=True, slots=True)
class WebAddress:
    """In place of a content: it is to be fetched from there."""

    url: str


INSERT = """
    insert into documents (id, account_id, corpus_id, key, url, media_type, charset, bytes,
                           content_hash, body)
    values (%(id)s, %(account_id)s, %(corpus_id)s, %(key)s, %(url)s, %(media_type)s, %(charset)s,
            %(bytes)s, %(content_hash)s, %(body)s)
    """

REPLACE = """
    update documents
    set url = null, site_id = null, media_type = %(media_type)s, charset = %(charset)s,
        bytes = %(bytes)s, content_hash = %(content_hash)s, body = %(body)s, version = version + 1,
        state = 'waiting', reason = null, uploaded_at = now()
    where id = %(id)s
    returning version
    """

# What was fetched last stays known, so that the same again changes nothing.
FETCH = """
    update documents
    set content_hash = case when url = %(url)s then content_hash else '' end, url = %(url)s,
        site_id = null, body = null, charset = null, version = version + 1, state = 'waiting',
        reason = null, uploaded_at = now()
    where id = %(id)s
    returning version
    """


SET_METADATA = "update documents set metadata = %(metadata)s where id = %(id)s"


def set_metadata(tx: Tx, id: UUID, metadata: dict[str, Any]) -> None:
    run(tx, SET_METADATA, id=id, metadata=metadata)


def insert(
    tx: Tx, id: UUID, account_id: UUID, corpus_id: UUID, key: str, given: Upload | WebAddress
) -> None:
    row = {"id": id, "account_id": account_id, "corpus_id": corpus_id, "key": key}
    run(tx, INSERT, **row, **_content(given))


def replace(tx: Tx, id: UUID, given: Upload | WebAddress) -> int:
    """Returns the version that now waits to be read."""
    if isinstance(given, WebAddress):
        return int(value(tx, FETCH, id=id, url=given.url))
    return int(value(tx, REPLACE, id=id, **_content(given)))


_NOTHING_YET = {"media_type": "", "charset": None, "content_hash": "", "body": None}


def _content(given: Upload | WebAddress) -> dict[str, object]:
    if isinstance(given, WebAddress):
        return {"url": given.url, "bytes": 0, **_NOTHING_YET}
    return {
        "url": None,
        "media_type": given.media_type,
        "charset": given.charset,
        "bytes": len(given.body),
        "content_hash": given.content_hash,
        "body": given.body,
    }


# Of one corpus, or of a whole account.
SOME = """
    select id, corpus_id, bytes, passages from documents
    where account_id = %(account_id)s
      and (%(corpus_id)s::uuid is null or corpus_id = %(corpus_id)s)
    order by id limit %(most)s for update
    """

LOCK = """
    select id, corpus_id, bytes, passages from documents
    where corpus_id = %(corpus_id)s and key = %(key)s for update
    """

DELETE = "delete from documents where id = any(%(ids)s)"


@dataclass(frozen=True, slots=True)
class DocumentSize:
    id: UUID
    corpus_id: UUID
    bytes: int
    passages: int


def some(tx: Tx, account_id: UUID, corpus_id: UUID | None, most: int) -> list[DocumentSize]:
    """Documents of a corpus, or of all of the account's, locked."""
    return many(tx, DocumentSize, SOME, account_id=account_id, corpus_id=corpus_id, most=most)


def lock(tx: Tx, corpus_id: UUID, key: str) -> DocumentSize | None:
    """None when there is no such document. The account's corpora are locked before it."""
    return first(tx, DocumentSize, LOCK, corpus_id=corpus_id, key=key)


def delete(tx: Tx, ids: list[UUID]) -> None:
    run(tx, DELETE, ids=ids)


# The worker's side.


@dataclass(frozen=True, slots=True)
class UnreadDocument:
    id: UUID
    corpus_id: UUID
    key: str
    url: str | None
    media_type: str
    charset: str | None
    body: bytes | None


_OF_VERSION = "id = %(id)s and version = %(version)s and state = 'waiting'"

UNREAD = f"""
    select id, corpus_id, key, url, media_type, charset, body from documents
    where {_OF_VERSION} and (body is not null or url is not null)
    """  # noqa: S608 (a constant)

LOCK_UNREAD = f"""
    select id, corpus_id, bytes, passages from documents where {_OF_VERSION} for update
    """  # noqa: S608 (a constant)

READY = """
    update documents
    set state = 'ready', reason = %(lack)s, body = null, snapshot_id = %(snapshot_id)s,
        passages = %(passages)s, read_at = now()
    where id = %(id)s
    """

FETCHED = """
    update documents
    set media_type = %(media_type)s, bytes = %(bytes)s, content_hash = %(content_hash)s
    where id = %(id)s
    """

UNCHANGED = """
    update documents set state = 'ready', reason = %(lack)s, read_at = now()
    where id = %(id)s and snapshot_id is not null and content_hash = %(content_hash)s
    returning id
    """

# What an earlier version holds stays in the index.
FAILED = f"""
    update documents set state = 'failed', reason = %(reason)s, body = null, read_at = now()
    where {_OF_VERSION}
    returning corpus_id, key
    """  # noqa: S608 (a constant)

WAITING = """
    select exists (select from documents where corpus_id = %(corpus_id)s and state = 'waiting')
    """


@dataclass(frozen=True, slots=True)
class FailedDocument:
    corpus_id: UUID
    key: str


def unread(reader: Reader, id: UUID, version: int) -> UnreadDocument | None:
    """None when the version was read, replaced or deleted."""
    return first(reader, UnreadDocument, UNREAD, id=id, version=version)


def lock_unread(tx: Tx, id: UUID, version: int) -> DocumentSize | None:
    """None when the version was replaced or deleted meanwhile."""
    return first(tx, DocumentSize, LOCK_UNREAD, id=id, version=version)


def ready(tx: Tx, id: UUID, snapshot_id: UUID, passages: int, lack: str | None) -> None:
    """`lack` is the reason why parts of it have no text."""
    run(tx, READY, id=id, snapshot_id=snapshot_id, passages=passages, lack=lack)


def fetched(tx: Tx, id: UUID, upload: Upload) -> None:
    run(
        tx,
        FETCHED,
        id=id,
        media_type=upload.media_type,
        bytes=len(upload.body),
        content_hash=upload.content_hash,
    )


def unchanged(tx: Tx, id: UUID, content_hash: str, lack: str | None) -> bool:
    """True if this is what searches find of it already: then it is ready."""
    return bool(values(tx, UNCHANGED, id=id, content_hash=content_hash, lack=lack))


def fail(tx: Tx, id: UUID, version: int, reason: str) -> FailedDocument | None:
    """None when the version was read, replaced or deleted meanwhile."""
    return first(tx, FailedDocument, FAILED, id=id, version=version, reason=reason)


def any_waiting(reader: Reader, corpus_id: UUID) -> bool:
    return bool(value(reader, WAITING, corpus_id=corpus_id))
