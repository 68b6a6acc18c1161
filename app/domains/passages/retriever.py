"""The Postgres adapter of app.engine.retrieval.interface.Retriever."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from app.core.db import Tx
from app.domains.passages import compaction_store, lexical_store, postings
from app.domains.passages.lexical_store import Entry
from app.engine.retrieval.interface import (
    Capability,
    Filter,
    Hit,
    IndexedPassage,
    LexQuery,
    Stats,
)
from app.engine.text.analysis import Analyzer, primary_language

Connect = Callable[[], AbstractContextManager[Tx]]
Analysed = tuple[IndexedPassage, list[str]]


class PostgresRetriever:
    """BM25 in Postgres, any number of readers and writers.

    `connect` gives what each method runs in: `db.reading` for queries, `db.transaction` or
    `lambda: nullcontext(tx)` for changes. Opens nothing itself. Passage ids are unique over all
    namespaces.
    """

    capabilities: frozenset[Capability] = frozenset({"lexical", "filters", "stats"})

    def __init__(self, connect: Connect, analyzer: Analyzer) -> None:
        self._connect, self._analyzer = connect, analyzer

    def upsert(self, ns: str, passages: Iterable[IndexedPassage]) -> None:
        by_id = {passage.id: passage for passage in passages}
        analysed = analyse(by_id.values(), self._analyzer)
        with self._connect() as tx:
            write(tx, ns, analysed)

    def delete(self, ns: str, source_ids: Sequence[str]) -> None:
        with self._connect() as tx:
            lexical_store.lock(tx, ns)
            lexical_store.remove_sources(tx, ns, list(source_ids))

    def lexical(self, ns: str, query: LexQuery, k: int, where: Filter | None = None) -> list[Hit]:
        lexemes = [term for term, _ in query.terms]
        weights = [weight for _, weight in query.terms]
        with self._connect() as tx:
            rows = lexical_store.best(tx, ns, lexemes, weights, k, _conditions(query, where))
        return [Hit(passage_id, score) for passage_id, score in rows]

    def vector(
        self, ns: str, vector: Sequence[float], k: int, where: Filter | None = None
    ) -> list[Hit]:
        """None: this index holds no vectors, see `capabilities`."""
        return []

    def vectors_for(self, ns: str, ids: Sequence[int]) -> Mapping[int, Sequence[float]]:
        """None: this index holds no vectors, see `capabilities`."""
        return {}

    def stats(self, ns: str, terms: Collection[str] = ()) -> Stats:
        with self._connect() as tx:
            size = lexical_store.size(tx, ns)
            found = lexical_store.df(tx, ns, list(terms)) if terms else {}
        mean = size.terms / size.passages if size.passages else 0.0
        return Stats(size.passages, mean, {term: found.get(term, 0) for term in terms})


def _conditions(query: LexQuery, where: Filter | None) -> dict[str, Any] | None:
    """What the filtering statement is asked, or None when nothing is filtered."""
    if not query.excluded and (where is None or where == Filter()):
        return None
    where = where or Filter()
    return {
        "include": list(where.include_domains),
        "exclude": list(where.exclude_domains),
        "published_after": where.published_after,
        "fetched_after": where.fetched_after,
        "languages": [primary_language(code) for code in where.languages],
        "corpora": list(where.corpora),
        "excluded": list(query.excluded),
    }


def analyse(passages: Iterable[IndexedPassage], analyzer: Analyzer) -> list[Analysed]:
    """The terms of each passage: the costly part of indexing, to be done outside transactions."""
    return [(p, analyzer.terms(p.indexed_text, p.language)) for p in passages]


def write(tx: Tx, ns: str, analysed: list[Analysed], *, fresh: bool = False) -> None:
    """Index analysed passages; `fresh` promises that none of their ids was ever indexed."""
    lexical_store.lock(tx, ns)
    if not fresh:
        ids = [passage.id for passage, _ in analysed]
        lexical_store.remove_passages(tx, ns, ids)
        if dead := compaction_store.dead_among(tx, ids):
            compaction_store.alone(tx)
            compaction_store.purge(tx, dead)
    entries = [
        Entry(
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
    found = postings.build((passage.id, terms) for passage, terms in analysed)
    lexical_store.add(tx, ns, entries, found)
