"""The Postgres adapter of app.engine.retrieval.interface.Retriever."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from app.core.db import Tx
from app.domains.passages import (
    compacting,
    generation_store,
    lexical_store,
    postings,
    scoring,
    vectors,
)
from app.domains.passages.compaction_store import alone
from app.domains.passages.lexical_store import Entry
from app.domains.passages.postings import BUCKETS, term_of
from app.domains.passages.scoring import Matches
from app.engine.retrieval.interface import (
    Capability,
    Filter,
    Hit,
    IndexedPassage,
    LexQuery,
    Stats,
)
from app.engine.semantic.embedder import Embedder
from app.engine.text.analysis import Analyzer, primary_language

Connect = Callable[[], AbstractContextManager[Tx]]
Analysed = tuple[IndexedPassage, list[str]]
Readings = Sequence[Sequence[str]]
"""What terms a phrase may be, one sequence for each way to read it."""

ANALYSIS = 1
"""Raise it with every change of `Analyzer.terms` or `indexed_text`: a rebuild is due then."""

_WIDER = 8  # how many more candidates are looked at when a filter left too few


class PostgresRetriever:
    """BM25 in Postgres, any number of readers and writers.

    `connect` gives what each method runs in: `db.reading` for queries, `db.transaction` or
    `lambda: nullcontext(tx)` for changes. Opens nothing itself. Passage ids are unique over all
    namespaces.
    """

    capabilities: frozenset[Capability] = frozenset({"lexical", "filters", "stats"})

    def __init__(
        self, connect: Connect, analyzer: Analyzer, embedder: Embedder | None = None
    ) -> None:
        self._connect, self._analyzer, self._embedder = connect, analyzer, embedder

    def upsert(self, ns: str, passages: Iterable[IndexedPassage]) -> None:
        by_id = {passage.id: passage for passage in passages}
        analysed = analyse(by_id.values(), self._analyzer)
        with self._connect() as tx:
            write(tx, ns, analysed)

    def delete(self, ns: str, source_ids: Sequence[str]) -> None:
        with self._connect() as tx:
            remove(tx, ns, source_ids)

    def lexical(
        self,
        ns: str,
        query: LexQuery,
        k: int,
        where: Filter | None = None,
        phrases: Sequence[Readings] = (),
    ) -> list[Hit]:
        """The `k` best passages by BM25; of those with all terms of a reading of each phrase."""
        terms = [(term_of(lexeme), weight) for lexeme, weight in query.terms]
        excluded = [term_of(lexeme) for lexeme in query.excluded]
        required = [[list(map(term_of, held)) for held in readings] for readings in phrases]
        others = [term for readings in required for held in readings for term in held]
        asked = [*(term for term, _ in terms), *excluded, *others]
        with self._connect() as tx:
            found = Matches(_read(tx, ns, asked)).scored(terms, excluded, required)
            if where is None or where == Filter():
                return [Hit(*hit) for hit in scoring.best(*found, k)]
            return _admitted(tx, ns, found, k, _conditions(where))

    def vector(
        self, ns: str, vector: Sequence[float], k: int, where: Filter | None = None
    ) -> list[Hit]:
        """None: vectors order what words found, see `capabilities`."""
        return []

    def vectors_for(self, ns: str, ids: Sequence[int]) -> Mapping[int, Sequence[float]]:
        """Those of the embedder's; none without one. `upsert` keeps none, see `vectors.keep`."""
        if self._embedder is None:
            return {}
        with self._connect() as tx:
            found = vectors.of(tx, self._embedder, ids)
        return {id: vector.tolist() for id, vector in found.items()}

    def stats(self, ns: str, terms: Collection[str] = ()) -> Stats:
        with self._connect() as tx:
            read = _read(tx, ns, map(term_of, terms))
        matches = Matches(read)
        mean = read.terms / read.passages if read.passages else 0.0
        return Stats(read.passages, mean, {term: matches.df(term_of(term)) for term in terms})


def _read(tx: Tx, ns: str, terms: Iterable[int]) -> lexical_store.Read:
    distinct = list(dict.fromkeys(terms))
    return lexical_store.read(tx, ns, distinct, list({term % BUCKETS for term in distinct}))


def _admitted(
    tx: Tx, ns: str, found: tuple[Any, Any], k: int, conditions: dict[str, Any]
) -> list[Hit]:
    """The best that a filter lets through, looking at more and more of the candidates."""
    most = 2 * k
    while True:
        candidates = [Hit(*hit) for hit in scoring.best(*found, most)]
        ids = lexical_store.admitted(tx, ns, [hit.passage_id for hit in candidates], conditions)
        hits = [hit for hit in candidates if hit.passage_id in ids][:k]
        if len(hits) == k or len(candidates) < most:
            return hits
        most *= _WIDER


def _conditions(where: Filter) -> dict[str, Any]:
    return {
        "include": list(where.include_domains),
        "exclude": list(where.exclude_domains),
        "published_after": where.published_after,
        "fetched_after": where.fetched_after,
        "languages": [primary_language(code) for code in where.languages],
        "corpora": list(where.corpora),
    }


def analyse(passages: Iterable[IndexedPassage], analyzer: Analyzer) -> list[Analysed]:
    """The terms of each passage: the costly part of indexing, to be done outside transactions."""
    return [(p, analyzer.terms(p.indexed_text, p.language)) for p in passages]


def remove(tx: Tx, ns: str, source_ids: Sequence[str]) -> None:
    """Take the passages of the sources out of every count and answer."""
    generation_store.share(tx, ns)
    lexical_store.remove_sources(tx, ns, list(source_ids))


def write(tx: Tx, ns: str, analysed: list[Analysed], *, fresh: bool = False) -> None:
    """Index analysed passages; `fresh` promises that none of their ids was ever indexed.

    Whoever cannot promise waits for others who cannot, and for compaction.
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
    compacting.forget(tx, ids)


def add(tx: Tx, generation: int, analysed: list[Analysed]) -> None:
    """Index analysed passages whose ids are not in the generation."""
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
    built = postings.build((passage.id, terms) for passage, terms in analysed)
    lexical_store.add(tx, generation, entries, postings.by_bucket(built))
