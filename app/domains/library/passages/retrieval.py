"""The passages that a query finds in the index, as ranking reads them."""

import re
from collections.abc import Iterable, Sequence
from uuid import UUID

from app.core.db import Reader
from app.domains.library.passages import store
from app.domains.library.passages.index.generation_store import namespace_of
from app.domains.library.passages.index.query import (
    AskedAnew,
    Connect,
    QueryMatches,
    Readings,
    Reads,
)
from app.domains.library.passages.prepared import domain_of
from app.domains.library.passages.store import LocatedPassage
from app.engine.search.interface import Filter, Hit, IndexedPassage, IndexStats, Retriever
from app.engine.search.query import Query, fold
from app.engine.search.rank import has_phrases
from app.engine.text import analysis

_QUOTES = re.compile(r"[\"“”„«»]")
_LOOKED_THROUGH, _AT_ONCE = 5_000, 250


def find(
    index: Retriever,
    reading: Connect,
    query: Query,
    k: int,
    where: Filter | None = None,
    account_id: UUID | None = None,
) -> tuple[list[Hit], IndexStats]:
    """The `k` best passages by BM25; with quoted phrases, of those that hold each of them.

    Of what the operator indexed, or of what the account uploaded. With the statistics the scores
    were computed from, for the terms of the query.

    Of the passages that hold the words of all phrases the best 5,000 are looked through, whatever
    their place among all; besides them the `k` best of all, for phrases that begin or end within a
    word.
    """
    lexical, required = query.lexical(), _phrase_terms(query)
    read = _read(index, namespace_of(account_id), query, required)
    hits, stats = read.lexical(lexical, k, where), read.stats(query.terms)
    if not query.phrases:
        return hits, stats
    wider = read.lexical(lexical, _LOOKED_THROUGH, where, required) if required else []
    matches: set[Hit] = set()
    for first in range(0, len(wider), _AT_ONCE):
        matches.update(_holding(reading, wider[first : first + _AT_ONCE], query, account_id))
        if len(matches) >= k:
            break
    others = [hit for hit in hits if hit not in matches]
    matches.update(_holding(reading, others, query, account_id))
    return sorted(matches, key=lambda hit: (-hit.score, hit.passage_id))[:k], stats


def _read(index: Retriever, ns: str, query: Query, required: Sequence[Readings]) -> QueryMatches:
    """Most read everything they will need at once; one may not be able to."""
    if not isinstance(index, Reads):
        return AskedAnew(index, ns)
    held = [term for readings in required for terms in readings for term in terms]
    return index.read(ns, [*query.terms, *query.excluded, *held])


def _phrase_terms(query: Query) -> list[list[tuple[str, ...]]]:
    """For each phrase its terms, once for each language in which they differ.

    A phrase of function words alone has none and is left out.
    """
    as_typed = {fold(piece): piece for piece in _QUOTES.split(query.text)}
    read = [
        dict.fromkeys(
            tuple(analysis.terms(as_typed.get(phrase, phrase), code)) for code in query.by_language
        )
        for phrase in query.phrases
    ]
    return [[terms for terms in found if terms] for found in read if any(found)]


def _holding(
    reading: Connect, hits: Sequence[Hit], query: Query, account_id: UUID | None
) -> Iterable[Hit]:
    with reading() as reader:
        found = store.located_passages(reader, [hit.passage_id for hit in hits], account_id)
    texts = {passage.id: indexed(passage) for passage in found}
    return [
        hit for hit in hits if hit.passage_id in texts and has_phrases(query, texts[hit.passage_id])
    ]


def passages(reader: Reader, passage_ids: Sequence[int]) -> list[IndexedPassage]:
    """Passages as ranking reads them, in the order asked; the gone are left out."""
    return [indexed(found) for found in store.all_located(reader, list(passage_ids))]


def indexed(passage: LocatedPassage) -> IndexedPassage:
    return IndexedPassage(
        id=passage.id,
        source_id=str(passage.source_id),
        text=passage.text,
        title=passage.title or "",
        headings=tuple(passage.headings),
        language=passage.language,
        corpus=str(passage.corpus_id),
        url=passage.url,
        domain=domain_of(passage.url),
        outdated=passage.outdated,
        published_at=passage.published_at,
        fetched_at=passage.fetched_at,
    )
