"""Documents that are pages of a site: their key is the address, and the site keeps them."""

from dataclasses import dataclass
from uuid import UUID

from app.core.db import Tx, first, many, run, value
from app.domains.library.documents.store import DocumentSize


@dataclass(frozen=True, slots=True)
class PageDocument:
    """The document at the address of a page; `site_id` is None for one that was uploaded."""

    id: UUID
    site_id: UUID | None
    bytes: int
    passages: int
    content_hash: str
    title: str | None


@dataclass(frozen=True, slots=True)
class PageContent:
    """The content of a page as it came, but the hash, which is that of its text; `lack` is the
    reason why parts of it have none.
    """

    media_type: str
    bytes: int
    content_hash: str
    passages: int
    lack: str | None


LOCK = """
    select documents.id, documents.site_id, documents.bytes, documents.passages,
           documents.content_hash, snapshots.title
    from documents left join snapshots on snapshots.id = documents.snapshot_id
    where documents.corpus_id = %(corpus_id)s and documents.key = %(url)s for update of documents
    """

# Before its passages, which then have a document.
INSERT = """
    insert into documents (id, account_id, corpus_id, key, url, site_id, media_type, bytes,
                           content_hash, version)
    values (%(id)s, %(account_id)s, %(corpus_id)s, %(url)s, %(url)s, %(site_id)s, '', 0, '', 0)
    """

KEEP = """
    update documents
    set state = 'ready', reason = %(lack)s, snapshot_id = %(snapshot_id)s,
        media_type = %(media_type)s, bytes = %(bytes)s, content_hash = %(content_hash)s,
        passages = %(passages)s, version = version + 1, uploaded_at = now(), read_at = now()
    where id = %(id)s
    """

SAME = "update documents set read_at = now() where id = %(id)s"

COPY = """
    select exists (
        select from documents
        where site_id = %(site_id)s and content_hash = %(content_hash)s and key <> %(url)s
    )
    """

SOME = """
    select id, corpus_id, bytes, passages from documents where site_id = %(site_id)s
    order by id limit %(most)s for update
    """


def lock(tx: Tx, corpus_id: UUID, url: str) -> PageDocument | None:
    """The account's corpora are locked before it."""
    return first(tx, PageDocument, LOCK, corpus_id=corpus_id, url=url)


def insert(tx: Tx, id: UUID, account_id: UUID, corpus_id: UUID, site_id: UUID, url: str) -> None:
    """Make room for a page that is kept in the same transaction."""
    row = {"id": id, "account_id": account_id, "corpus_id": corpus_id}
    run(tx, INSERT, site_id=site_id, url=url, **row)


def keep(tx: Tx, id: UUID, snapshot_id: UUID, content: PageContent) -> None:
    run(
        tx,
        KEEP,
        id=id,
        snapshot_id=snapshot_id,
        media_type=content.media_type,
        bytes=content.bytes,
        content_hash=content.content_hash,
        passages=content.passages,
        lack=content.lack,
    )


def same(tx: Tx, id: UUID) -> None:
    """It was looked at, and has not changed."""
    run(tx, SAME, id=id)


def is_copy(tx: Tx, site_id: UUID, url: str, content_hash: str) -> bool:
    """True if another page of the site has the same text."""
    return bool(value(tx, COPY, site_id=site_id, url=url, content_hash=content_hash))


def some(tx: Tx, site_id: UUID, most: int) -> list[DocumentSize]:
    """Documents of a site, locked."""
    return many(tx, DocumentSize, SOME, site_id=site_id, most=most)
