"""Corpora: sources of your own, a document each."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from math import inf
from os import PathLike
from typing import Any, Final, Literal, Unpack

from citegrid.calls import Call, Content, json_of, nothing
from citegrid.errors import ApiError, StillRunning
from citegrid.nouns.noun import M, Noun, iteration, operation, procedure
from citegrid.nouns.pagination import LONGEST_PAGE, Page, PageOptions, every, page_of
from citegrid.nouns.polling import PAUSE_SECONDS
from citegrid.nouns.search.folder import FolderFile, digest, files_of
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject
from citegrid.transport.exchange import Emit, Pause, Produce, Steps

State = Literal["waiting", "ready", "failed"]
Outcome = Literal["uploaded", "unchanged", "refused", "deleted"]
UPLOAD_SECONDS: Final = 120.0
"""How much longer than other calls an upload may take."""
TOO_LARGE: Final = "It is larger than 20 MB."
_OF_THE_DOCUMENT: Final = frozenset({400, 413, 415, 422})
"""Statuses that refuse one document and say nothing of the next."""


class Corpus(ApiObject):
    """A corpus of your account; it counts its documents, and those that are being read or were
    unreadable."""

    id: str
    name: str
    documents: int
    waiting: int
    failed: int
    bytes: int
    created_at: datetime


class Document(ApiObject):
    """A document of a corpus. `state` is `waiting`, `ready` or `failed`, and `reason` says why it
    failed, for example `encrypted`, or why some pages of a ready one are left out.

    `content_hash` is the SHA-256 of what was uploaded, or fetched from `url`; `version` grows when
    that changes, and with each fetch.
    """

    key: str
    corpus_id: str
    url: str | None
    state: str
    reason: str | None
    title: str | None
    language: str | None
    media_type: str | None
    bytes: int
    content_hash: str | None
    version: int
    passages: int
    metadata: dict[str, Any]
    uploaded_at: datetime
    read_at: datetime | None


class BatchError(ApiObject):
    """Why a document of a batch was refused."""

    code: str
    message: str


class BatchResult(ApiObject):
    """A document of a batch: `accepted`, `unchanged`, or `refused` for an `error`."""

    key: str | None
    outcome: str
    error: BatchError | None = None


class FolderUpload(ApiObject):
    """A file of a folder after its upload: `uploaded`, `unchanged`, or `refused` for a `reason`; or
    a document that is no longer in the folder: `deleted`.

    `n` counts the files from 1 to `total`.
    """

    key: str
    outcome: Outcome
    n: int
    total: int
    reason: str | None = None


class Corpora(Noun[M]):
    """`client.corpora`"""

    @operation("POST", "/v1/corpora", Access.KEY, makes=True)
    def create(self, name: str, *, idempotency_key: str | None = None) -> Call[Corpus]:
        """Preview. Create a corpus; its name is unique in the account."""
        return Call(json_of(Corpus))

    @operation("GET", "/v1/corpora", Access.KEY)
    def list(self, **page: Unpack[PageOptions]) -> Call[Page[Corpus]]:
        """Preview. One page of your corpora, newest first; `limit` is 1 to 200."""
        return Call(page_of("corpora", Corpus))

    iterate = every(list, "Preview. All of your corpora, newest first, page after page.")

    @operation("GET", "/v1/corpora/{corpus_id}", Access.KEY)
    def get(self, corpus_id: str) -> Call[Corpus]:
        """Preview. Read a corpus."""
        return Call(json_of(Corpus))

    @operation("PATCH", "/v1/corpora/{corpus_id}", Access.KEY)
    def update(self, corpus_id: str, *, name: str) -> Call[Corpus]:
        """Preview. Rename a corpus."""
        return Call(json_of(Corpus))

    @operation("DELETE", "/v1/corpora/{corpus_id}", Access.KEY)
    def delete(self, corpus_id: str) -> Call[None]:
        """Preview. Delete a corpus with its documents; answers that cite them keep their quotes."""
        return Call(nothing)

    @operation("PUT", "/v1/corpora/{corpus_id}/documents/{key}", Access.KEY)
    def upload(self, corpus_id: str, key: str, content: bytes, media_type: str) -> Call[Document]:
        """Preview. Upload a document of up to 20 MB under a key of yours, or replace the one there.

        The same content again changes nothing.
        """
        return Call(
            json_of(Document),
            body=Content(content, media_type),
            slow_seconds=UPLOAD_SECONDS,
        )

    @operation("POST", "/v1/corpora/{corpus_id}/documents", Access.KEY, repeatable=True)
    def upload_batch(
        self, corpus_id: str, documents: Sequence[Mapping[str, Any]]
    ) -> Call[tuple[BatchResult, ...]]:
        """Preview. Upload up to 500 small documents, 1 MB in all, in one request.

        Each has `key` and one of `content` (text), `content_base64` and `url`, and may have
        `media_type` and `metadata`. Returns the result of each, in order.
        """
        lines = "".join(f"{json.dumps(dict(each))}\n" for each in documents)
        return Call(
            json_of(tuple[BatchResult, ...], inside="results"),
            body=Content(lines.encode(), "application/x-ndjson"),
            slow_seconds=UPLOAD_SECONDS,
        )

    @operation("POST", "/v1/corpora/{corpus_id}/documents", Access.KEY, repeatable=True)
    def upload_zip(self, corpus_id: str, content: bytes) -> Call[tuple[BatchResult, ...]]:
        """Preview. Upload the files of a ZIP of up to 20 MB, each under its path.

        Returns the result of each, in order.
        """
        return Call(
            json_of(tuple[BatchResult, ...], inside="results"),
            body=Content(content, "application/zip"),
            slow_seconds=UPLOAD_SECONDS,
        )

    @operation("PUT", "/v1/corpora/{corpus_id}/documents/{key}", Access.KEY)
    def fetch(self, corpus_id: str, key: str, url: str) -> Call[Document]:
        """Preview. Have the server fetch a document from an address, each time anew.

        A page that has not changed stays as it is.
        """
        return Call(json_of(Document))

    @operation("GET", "/v1/corpora/{corpus_id}/documents", Access.KEY)
    def list_documents(
        self, corpus_id: str, *, state: State | None = None, **page: Unpack[PageOptions]
    ) -> Call[Page[Document]]:
        """Preview. One page of the documents of a corpus, newest first; `limit` is 1 to 200."""
        return Call(page_of("documents", Document))

    iterate_documents = every(
        list_documents, "Preview. All documents of a corpus, newest first, page after page."
    )

    @operation("GET", "/v1/corpora/{corpus_id}/documents/{key}", Access.KEY)
    def get_document(self, corpus_id: str, key: str) -> Call[Document]:
        """Preview. Read a document with its state."""
        return Call(json_of(Document))

    @operation("PATCH", "/v1/corpora/{corpus_id}/documents/{key}", Access.KEY)
    def update_document(
        self, corpus_id: str, key: str, *, metadata: Mapping[str, str | float | bool]
    ) -> Call[Document]:
        """Preview. Set the metadata of a document, by which searches can be filtered.

        It replaces what the document has: up to 20 texts, numbers or flags by name. Dates such as
        `2026-11-26` compare as dates do.
        """
        return Call(json_of(Document))

    @operation("DELETE", "/v1/corpora/{corpus_id}/documents/{key}", Access.KEY)
    def delete_document(self, corpus_id: str, key: str) -> Call[None]:
        """Preview. Delete a document; answers that cite it keep their quotes."""
        return Call(nothing)

    @iteration
    def upload_folder(
        self, corpus_id: str, folder: str | PathLike[str], *, prune: bool = False
    ) -> Produce[FolderUpload]:
        """Preview. Upload the documents of a folder and below, each under its path; reports each.

        What is there with the same content is not sent again, so an upload that was interrupted
        goes on when it is repeated. Hidden files, files of other formats, links out of the folder
        and a manual's `_sources` and `_static` are left out. With `prune`, documents that were
        uploaded and are not in the folder are deleted, unless it has none at all. Raises
        InvalidArgument if there is no such folder.
        """
        files = files_of(folder)
        known = yield from self._hashes(corpus_id)
        gone = known.keys() - {file.key for file in files} if prune and files else set[str]()
        total = len(files) + len(gone)
        for n, file in enumerate(files, start=1):
            outcome, reason = yield from self._uploaded(corpus_id, file, known.get(file.key))
            yield Emit(FolderUpload(file.key, outcome, n, total, reason))
        for n, key in enumerate(sorted(gone), start=len(files) + 1):
            yield from Corpora.delete_document.steps(self, corpus_id, key)
            yield Emit(FolderUpload(key, "deleted", n, total))

    @procedure
    def wait(self, corpus_id: str, *, timeout: float | None = None) -> Steps[Corpus]:
        """Preview. Wait until all documents of a corpus have been read, and return it.

        Raises StillRunning after `timeout` seconds.
        """
        clock = self._service.policy.clock
        deadline = inf if timeout is None else clock() + timeout
        while True:
            corpus = yield from Corpora.get.steps(self, corpus_id)
            if not corpus.waiting:
                return corpus
            if clock() >= deadline:
                raise StillRunning(corpus_id)
            yield Pause(PAUSE_SECONDS)

    def _hashes(self, corpus_id: str) -> Steps[dict[str, str]]:
        """The hash of each document that is there, by its key."""
        known: dict[str, str] = {}
        cursor: str | None = None
        while True:
            page = yield from Corpora.list_documents.steps(
                self, corpus_id, limit=LONGEST_PAGE, cursor=cursor
            )
            known |= {x.key: x.content_hash for x in page if x.content_hash and not x.url}
            if page.next_cursor is None or page.next_cursor == cursor:
                return known
            cursor = page.next_cursor

    def _uploaded(
        self, corpus_id: str, file: FolderFile, known: str | None
    ) -> Steps[tuple[Outcome, str | None]]:
        content = file.content()
        if content is None:
            return "refused", TOO_LARGE
        if digest(content) == known:
            return "unchanged", None
        try:
            yield from Corpora.upload.steps(self, corpus_id, file.key, content, file.media_type)
        except ApiError as error:
            if error.status not in _OF_THE_DOCUMENT:
                raise
            return "refused", str(error)
        return "uploaded", None
