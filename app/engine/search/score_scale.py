"""One BM25 scale for passages of an index and passages that were read a moment ago."""

from collections import Counter
from collections.abc import Sequence

from app.engine.search.interface import IndexedPassage, IndexStats, LexQuery, bm25_weight
from app.engine.search.rank import PassageCandidate
from app.engine.text import analysis

Analysed = tuple[IndexedPassage, list[str]]


def pool(
    query: LexQuery,
    stats: IndexStats,
    indexed: Sequence[IndexedPassage],
    fetched: Sequence[Analysed],
) -> tuple[list[PassageCandidate], IndexStats]:
    """Candidates of both kinds, best first, ties by id, and the statistics they are scored with.

    `stats` are those of the index and hold the query's terms; `indexed` are its best passages. The
    fetched passages, of which `terms` are given, count as if they were in the index: N, lengths and
    document frequencies are summed, and every candidate is scored anew. Passages without a term of
    the query or with an excluded one are left out.
    """
    pooled = _summed(query, stats, fetched)
    again = [(p, analysis.terms(p.indexed_text, p.language)) for p in indexed]
    scored = [
        PassageCandidate(passage, score)
        for passage, terms in [*again, *fetched]
        if (score := bm25(query, pooled, terms)) > 0
    ]
    return sorted(scored, key=lambda x: (-x.lexical, x.passage.id)), pooled


def summed(all_stats: Sequence[IndexStats]) -> IndexStats:
    """The statistics of several indexes as if they were one."""
    n = sum(stats.n for stats in all_stats)
    length = sum(stats.n * stats.avgdl for stats in all_stats)
    df = Counter[str]()
    for stats in all_stats:
        df.update(stats.df)
    return IndexStats(n, length / n if n else 0.0, dict(df))


def _summed(query: LexQuery, stats: IndexStats, fetched: Sequence[Analysed]) -> IndexStats:
    n = stats.n + len(fetched)
    length = stats.n * stats.avgdl + sum(len(terms) for _, terms in fetched)
    bags = [frozenset(terms) for _, terms in fetched]
    df = {t: stats.df.get(t, 0) + sum(t in bag for bag in bags) for t, _ in query.terms}
    return IndexStats(n, length / n if n else 0.0, df)


def bm25(query: LexQuery, stats: IndexStats, terms: Sequence[str]) -> float:
    """The score of a text for a query; 0 if it has a term that the query excludes."""
    counts = Counter(terms)
    if any(term in counts for term in query.excluded):
        return 0.0
    return sum(
        weight * stats.idf(term) * bm25_weight(counts[term], len(terms), stats.avgdl)
        for term, weight in query.terms
        if term in counts
    )
