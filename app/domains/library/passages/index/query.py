"""One reading of the index: hits, phrases, exclusions and statistics of the same moment."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, runtime_checkable

from app.core.db import Reader
from app.domains.library.passages.index import lexical_store
from app.domains.library.passages.index.bm25 import Floats, Matches
from app.domains.library.passages.index.postings import BUCKETS, FRESH, POSTING, term_of, unpacked
from app.engine.search.interface import Filter, Hit, IndexStats, LexQuery, Retriever
from app.engine.text.scripts import primary_language

Connect = Callable[[], AbstractContextManager[Reader]]
Readings = Sequence[Sequence[str]]
"""What terms a phrase may be, one sequence for each way to read it."""

_WILD = re.compile(r"[\\%_]")  # in a pattern of LIKE
# How many times as many candidates as wanted a filter is asked about. When that is many or leaves
# too few, reading all it lets through is cheaper.
_SOME, _MORE = 4, 16
_BY_ID = 4_000


class QueryMatches(Protocol):
    def lexical(
        self, query: LexQuery, k: int, where: Filter | None = None, phrases: Sequence[Readings] = ()
    ) -> list[Hit]:
        """The `k` best passages by BM25, if possible of those with each phrase's terms."""

    def stats(self, terms: Collection[str]) -> IndexStats:
        """As `Retriever.stats`."""


@runtime_checkable
class Reads(Protocol):
    """A retriever that can read at once what is asked about one query."""

    def read(self, ns: str, terms: Iterable[str]) -> QueryMatches:
        """Of a namespace, about these terms."""


class PostgresMatches:
    """The postings of some terms as one statement found them; it answers about no others."""

    def __init__(self, connect: Connect, ns: str, terms: Iterable[str]) -> None:
        self._connect, self._ns = connect, ns
        with connect() as reader:
            self._read = lexical_store.read(reader, ns, *_numbers(terms))
        self._matches = Matches(self._read)

    def lexical(
        self, query: LexQuery, k: int, where: Filter | None = None, phrases: Sequence[Readings] = ()
    ) -> list[Hit]:
        """As `QueryMatches.lexical`, which it can tell."""
        scores = self._matches.scores(
            [(term_of(lexeme), weight) for lexeme, weight in query.terms],
            [term_of(lexeme) for lexeme in query.excluded],
            [[list(map(term_of, held)) for held in readings] for readings in phrases],
        )
        if where is None or where == Filter():
            return [Hit(*hit) for hit in self._matches.best(scores, k)]
        return self._admitted(scores, k, _conditions(where))

    def _admitted(self, scores: Floats, k: int, conditions: dict[str, Any]) -> list[Hit]:
        """The best that a filter lets through: among some of the candidates, else among all."""
        for most in (times * k for times in (_SOME, _MORE) if times * k <= _BY_ID):
            candidates = self._matches.best(scores, most)
            candidate_ids = [id for id, _ in candidates]
            with self._connect() as reader:
                ids = lexical_store.admitted(reader, self._ns, candidate_ids, conditions)
            hits = [Hit(*hit) for hit in candidates if hit[0] in ids][:k]
            if len(hits) == k or len(candidates) < most:
                return hits
        with self._connect() as reader:
            packed = lexical_store.all_admitted(reader, self._ns, conditions)
        among = self._matches.among(scores, packed)
        return [Hit(*hit) for hit in self._matches.best(among, k)]

    def stats(self, terms: Collection[str]) -> IndexStats:
        return _stats(self._read, {term: self._matches.df(term_of(term)) for term in terms})


def _numbers(lexemes: Iterable[str]) -> tuple[list[int], list[int]]:
    """The distinct terms and their buckets."""
    terms = list(dict.fromkeys(map(term_of, lexemes)))
    return terms, list({term % BUCKETS for term in terms})


def _conditions(where: Filter) -> dict[str, Any]:
    metadata = where.metadata
    return {
        "include": list(where.include_domains),
        "below_include": _below(where.include_domains),
        "exclude": list(where.exclude_domains),
        "below_exclude": _below(where.exclude_domains),
        "published_after": where.published_after,
        "fetched_after": where.fetched_after,
        "languages": [primary_language(code) for code in where.languages],
        "corpora": list(where.corpora),
        "owner": metadata.account_id if metadata else None,
        "path": metadata.path if metadata else None,
        "values": metadata.values if metadata else {},
    }


def _below(domains: Iterable[str]) -> list[str]:
    """Patterns of LIKE for the subdomains."""
    return ["%." + _WILD.sub(r"\\\g<0>", domain) for domain in domains]


def counted(connect: Connect, ns: str, terms: Collection[str]) -> IndexStats | None:
    """The statistics alone, of which sizes of blocks tell all; None while there are dead in them.

    Only postings tell which ids are dead.
    """
    with connect() as reader:
        read = lexical_store.read_sizes(reader, ns, *_numbers(terms))
    if read.dead:
        return None
    added = Counter(unpacked(read.fresh, FRESH)["term"].tolist())
    merged = {
        term: int.from_bytes(size or b"") // POSTING.itemsize for term, size in read.blocks.items()
    }
    numbers = {term: term_of(term) for term in terms}
    return _stats(read, {term: merged[n] + added[n] for term, n in numbers.items()})


def _stats(read: lexical_store.SnapshotPostings, df: dict[str, int]) -> IndexStats:
    return IndexStats(read.passages, read.terms / read.passages if read.passages else 0.0, df)


class AskedAnew:
    """A retriever without snapshots is queried again for every answer."""

    def __init__(self, index: Retriever, ns: str) -> None:
        self._index, self._ns = index, ns

    def lexical(
        self, query: LexQuery, k: int, where: Filter | None = None, phrases: Sequence[Readings] = ()
    ) -> list[Hit]:
        """As `QueryMatches.lexical`, of all passages: the interface knows no phrases."""
        return self._index.lexical(self._ns, query, k, where)

    def stats(self, terms: Collection[str]) -> IndexStats:
        return self._index.stats(self._ns, terms)
