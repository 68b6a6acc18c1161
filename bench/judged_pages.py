"""The judged collections as pages of a real index, and their vectors.

Each document is a page, read and cut as any other, so that what is ranked are passages.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TypeVar
from uuid import UUID

import numpy as np

from app.core import db, ids
from app.domains.library.passages import prepared, retrieval, vector_store, vectors
from app.domains.library.passages import service as passages
from app.domains.library.passages.prepared import PreparedPage
from app.engine.pages.read import read
from app.engine.sandbox.prepare import prepare_page
from app.engine.search.interface import IndexedPassage
from app.engine.semantic.embedder import Embedder, Vectors
from bench import recombined
from bench.figures import OUT

# Where computed vectors are kept between runs.
VECTORS = Path(os.environ.get("BENCH_VECTORS", OUT / "vectors"))
T = TypeVar("T")
_CORPUS = UUID(int=1)
_AT_ONCE = 250


def index(name: str, only: frozenset[str] | None = None) -> None:
    """Write the pages of a collection, or `only` those documents, into the database's index."""
    for some in _batches(_prepared(name, only), _AT_ONCE):
        with db.transaction() as tx:
            passages.replace(tx, some)


def address(name: str, document: str) -> str:
    return f"https://{name}.example.org/{document}"


def _prepared(name: str, only: frozenset[str] | None) -> Iterator[PreparedPage]:
    for document in recombined.lines(name, "docs.jsonl"):
        empty = not document["text"].strip()  # which is no page
        if empty or (only is not None and document["id"] not in only):
            continue
        url = address(name, document["id"])
        page = read(document["text"].encode(), "text/plain", "utf-8", url)
        page = replace(page, title=document.get("title") or None, language="en")
        reading = prepare_page(page)
        yield prepared.prepare(_CORPUS, ids.new(), url, reading, datetime.now(UTC))


def embed(name: str, embedder: Embedder) -> None:
    """Give every indexed passage its vector, from those kept of former runs where possible."""
    known = _Kept(VECTORS / f"{name}-{embedder.name.replace(':', '-')}.npz")
    while True:
        with db.reading() as reader:
            newest = vector_store.newest(reader)
            missing = vectors.missing(reader, embedder, 0, newest, 10 * _AT_ONCE)
            lacking = retrieval.passages(reader, missing)
        if not lacking:
            return
        given = known.vectors(lacking, embedder)
        with db.transaction() as tx:
            vectors.keep(tx, embedder, lacking, given)


def _batches(items: Iterable[T], most: int) -> Iterator[list[T]]:
    rest = iter(items)
    while some := list(islice(rest, most)):
        yield some


class _Kept:
    """Vectors in a file, by the hash of their text."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Vectors] = {}
        if path.exists():
            with np.load(path) as file:
                self._known = dict(zip(file["texts"].tolist(), file["vectors"], strict=True))

    def vectors(self, lacking: Sequence[IndexedPassage], embedder: Embedder) -> Vectors:
        """One row for each passage."""
        texts = {_hash(passage): passage.indexed_text for passage in lacking}
        new = [name for name in texts if name not in self._known]
        for some in _batches(new, 2 * _AT_ONCE):
            given = embedder.embed([texts[name] for name in some], seconds=3600)
            self._known.update(zip(some, given, strict=True))
            self._save()
        rows: Vectors = np.stack([self._known[_hash(passage)] for passage in lacking])
        return rows

    def _save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(self._path, texts=list(self._known), vectors=np.stack(list(self._known.values())))


def _hash(passage: IndexedPassage) -> str:
    return hashlib.sha256(passage.indexed_text.encode()).hexdigest()
