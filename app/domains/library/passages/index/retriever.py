"""The Postgres adapter of app.engine.search.interface.Retriever."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager

from app.core.db import Tx
from app.domains.library.passages.index import compaction, generation_store, lexical_store, postings
from app.domains.library.passages.index.compaction_store import alone
from app.domains.library.passages.index.lexical_store import PassageEntry
from app.domains.library.passages.index.query import Connect, PostgresMatches, counted
from app.engine.search.interface import Filter, Hit, IndexedPassage, IndexStats, LexQuery
from app.engine.text import analysis
from app.engine.text.scripts import primary_language

Begin = Callable[[], AbstractContextManager[Tx]]
Analysed = tuple[IndexedPassage, list[str]]

ANALYSIS = 2
"""Raise it with every change of `analysis.terms` or `indexed_text`: a rebuild is due then."""


class PostgresRetriever:
    """BM25 in Postgres, any number of readers and writers.

    `connect` gives what a query runs in (`db.reading`), `begin` what a change runs in
    (`db.transaction`); without it nothing is changed. Opens nothing itself. Passage ids are unique
    over all namespaces.
    """

    def __init__(self, connect: Connect, *, begin: Begin | None = None) -> None:
        self._connect = connect
        self._begin = begin or _read_only

    def upsert(self, ns: str, passages: Iterable[IndexedPassage]) -> None:
        by_id = {passage.id: passage for passage in passages}
        analysed = analyse(by_id.values())
        with self._begin() as tx:
            write(tx, ns, analysed)

    def delete(self, ns: str, source_ids: Sequence[str]) -> None:
        with self._begin() as tx:
            remove(tx, ns, source_ids)

    def lexical(self, ns: str, query: LexQuery, k: int, where: Filter | None = None) -> list[Hit]:
        terms = [*(term for term, _ in query.terms), *query.excluded]
        return self.read(ns, terms).lexical(query, k, where)

    def read(self, ns: str, terms: Iterable[str]) -> PostgresMatches:
        """Read the postings of `terms` once, for all that is asked about them.

        Sums of scores are in their order: those of the query come first, as it has them.
        """
        return PostgresMatches(self._connect, ns, terms)

    def stats(self, ns: str, terms: Collection[str] = ()) -> IndexStats:
        return counted(self._connect, ns, terms) or self.read(ns, terms).stats(terms)


def _read_only() -> AbstractContextManager[Tx]:
    raise RuntimeError("this retriever was given no transactions to change the index in")


def analyse(passages: Iterable[IndexedPassage]) -> list[Analysed]:
    """The terms of each passage: the costly part of indexing, to be done outside transactions."""
    return [(p, analysis.terms(p.indexed_text, p.language)) for p in passages]


def remove(tx: Tx, ns: str, source_ids: Sequence[str]) -> None:
    """Take the passages of the sources out of every count and answer."""
    generation_store.share(tx, ns)
    lexical_store.remove_sources(tx, ns, list(source_ids))


def write(tx: Tx, ns: str, analysed: list[Analysed], *, fresh: bool = False) -> None:
    """Index analysed passages; `fresh` promises that none of their ids was ever indexed.

    Callers that cannot promise wait for others that cannot, and for compaction.
    """
    if not analysed:
        return
    generation_store.share(tx, ns)
    if not fresh:
        _make_free(tx, ns, [passage.id for passage, _ in analysed])
    for generation in generation_store.current(tx, ns, ANALYSIS):
        add(tx, generation, analysed)


def _make_free(tx: Tx, ns: str, ids: list[int]) -> None:
    """Drop every trace of the ids, also of passages that are dead: postings know only the id."""
    alone(tx)
    lexical_store.remove_passages(tx, ns, ids)
    compaction.forget(tx, ids)


def add(tx: Tx, generation: int, analysed: list[Analysed]) -> None:
    entries = [
        PassageEntry(
            passage_id=passage.id,
            source_id=passage.source_id,
            corpus=passage.corpus,
            domain=passage.domain,
            language=primary_language(passage.language) or None,
            published_at=passage.published_at,
            fetched_at=passage.fetched_at,
            length=min(len(terms), postings.MOST),
        )
        for passage, terms in analysed
    ]
    built = postings.build((passage.id, terms) for passage, terms in analysed)
    lexical_store.add(tx, generation, entries, postings.by_bucket(built))
