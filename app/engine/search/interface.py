"""The interface of a retrieval engine: candidates and raw scores, nothing else.

Fusion, sentence bonus, answers and quality are computed above this interface from passage text, so
every engine yields the same order. An adapter keeps to these rules:

- A passage's lexical terms are `analysis.terms(passage.indexed_text, passage.language)`: title,
  headings and text together, each term counted, `dl` = the number of all terms with repeats.
- Scores are Okapi BM25 as in `bm25_weight` and `idf`; `IndexStats` are those of the whole
  namespace, whatever the filter.
- `upsert` of an existing id replaces it in all its parts.
- Hits come best first, ties by smaller id, at most `k`, only with a score above 0 (lexical).
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from app.engine.text.scripts import primary_language

K1, B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """One passage of one source. `domain` is the host name of the source, lower case.

    `language` is the passage's own. An `outdated` page says that there is a newer version of it.
    """

    id: int
    source_id: str
    text: str
    title: str = ""
    headings: tuple[str, ...] = ()
    language: str | None = None
    corpus: str | None = None
    url: str | None = None
    domain: str | None = None
    outdated: bool = False
    published_at: datetime | None = None
    fetched_at: datetime | None = None

    @property
    def indexed_text(self) -> str:
        """Title, the headings above the passage, and the text: what the lexical index holds."""
        return "\n".join(x for x in (*self.lines_above, self.text) if x)

    @property
    def lines_above(self) -> tuple[str, ...]:
        """The title and the headings that are indexed with the text.

        A heading that repeats the title, or with which the text begins, is not counted twice.
        """
        above = [x for x in self.headings if x != self.title and not self.text.startswith(x)]
        return tuple(x for x in (self.title, *above) if x)


@dataclass(frozen=True, slots=True)
class LexQuery:
    """Distinct terms with weights (> 0), and terms no hit may contain."""

    terms: tuple[tuple[str, float], ...]
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MetadataFilter:
    """Conditions on the metadata of documents: an SQL/JSON path and the values of its variables.

    Only the index of an account, which has documents and is always in Postgres, is asked with it.
    """

    account_id: UUID
    path: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Filter:
    """The filter of passages that may be hits; empty or None means no restriction.

    A domain covers its subdomains. A passage without the date, language or corpus that is asked for
    is not a hit. Languages are ISO 639-1 codes, compared without region.
    """

    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    published_after: datetime | None = None
    fetched_after: datetime | None = None
    languages: tuple[str, ...] = ()
    corpora: tuple[str, ...] = ()
    metadata: MetadataFilter | None = None

    def admits(self, passage: IndexedPassage) -> bool:
        """True if the filter lets a passage through, whatever `metadata` says."""
        return all(self._verdicts(passage))

    def _verdicts(self, passage: IndexedPassage) -> Iterator[bool]:
        if self.include_domains:
            yield _within(passage.domain, self.include_domains)
        yield not _within(passage.domain, self.exclude_domains)
        yield _after(passage.published_at, self.published_after)
        yield _after(passage.fetched_at, self.fetched_after)
        if self.languages:
            yield primary_language(passage.language) in map(primary_language, self.languages)
        if self.corpora:
            yield passage.corpus in self.corpora


def _within(domain: str | None, listed: tuple[str, ...]) -> bool:
    return domain is not None and any(domain == x or domain.endswith(f".{x}") for x in listed)


def _after(moment: datetime | None, bound: datetime | None) -> bool:
    return bound is None or (moment is not None and moment >= bound)


@dataclass(frozen=True, slots=True)
class Hit:
    """A candidate with the engine's raw score: BM25."""

    passage_id: int
    score: float


@dataclass(frozen=True, slots=True)
class IndexStats:
    """Passages in a namespace, their mean length in terms, and document frequencies."""

    n: int
    avgdl: float
    df: Mapping[str, int] = field(default_factory=dict)

    def idf(self, term: str) -> float:
        """ln(1 + (N - n + .5) / (n + .5)), never negative; a term not in `df` has n = 0."""
        n = self.df.get(term, 0)
        return math.log(1 + (self.n - n + 0.5) / (n + 0.5))


class Retriever(Protocol):
    """Four methods over passages, kept apart by namespace `ns`."""

    def upsert(self, ns: str, passages: Iterable[IndexedPassage]) -> None:
        """Add or replace passages by id."""

    def delete(self, ns: str, source_ids: Sequence[str]) -> None:
        """Remove every passage of the sources; unknown sources are no error."""

    def lexical(self, ns: str, query: LexQuery, k: int, where: Filter | None = None) -> list[Hit]:
        """The `k` best passages by BM25."""

    def stats(self, ns: str, terms: Collection[str] = ()) -> IndexStats:
        """Size, mean length and the document frequency of `terms` in the namespace."""


def bm25_weight(tf: int, dl: int, avgdl: float) -> float:
    """The term's share of Okapi BM25, without idf: tf (k1 + 1) / (tf + k1 (1 - b + b dl/avgdl))."""
    return tf * (K1 + 1) / (tf + K1 * (1 - B + B * dl / avgdl))
