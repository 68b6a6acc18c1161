"""Candidates of an answer: passages in their final order and their snapshots."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from app.core import db
from app.core.config.settings import Settings
from app.domains.library.passages import retrieval, snapshots
from app.domains.library.passages.store import LocatedPassage, Snapshot, located_passages
from app.engine.answer.evidence import Evidence
from app.engine.search.interface import Filter, IndexStats
from app.engine.search.query import Query
from app.engine.search.rank import PassageCandidate, RankedPassage, collapse, rescore
from app.engine.search.score_scale import pool, summed
from app.engine.semantic.embedder import Scale, embedder_for
from workers.index.embeddings import embedders_of
from workers.searches import indexes
from workers.searches.filters import from_options
from workers.searches.indexes import IndexMatches
from workers.searches.own_corpora import SearchedCorpora
from workers.searches.rerank import rerank
from workers.searches.similarity import compare
from workers.searches.web_pages import WebPages

CANDIDATES = {"quick": 40, "standard": 100, "deep": 200}
# With vectors, of so many times as many candidates those stay that words and meaning favour, but of
# no fewer than LEAST_COMPARED: of 50 the first passage answers less often, from 100 on it does not.
WIDER, LEAST_COMPARED = 2, 120
OPERATORS = SearchedCorpora()
"""Nothing that an account uploaded."""

Order = Callable[[Sequence[RankedPassage], Callable[[RankedPassage], str]], list[RankedPassage]]
"""From passages, and the host of each, to the same passages in another order."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The results of retrieval: passages in their final order, and the text they were cut from.

    All that was ranked of a source is there, near-identical texts but once; how many passages of
    one source are read for an answer is for `foremost` to say. Those with ids below zero are of the
    web, see `WebPages`. `hits` counts those of the corpora. `scale` is that of the cosines; without
    one, words judge the answer. `returning` says how many of the `engines_asked` web indexes
    returned a snapshot's page. `embedded` is the share of the candidates that had a vector. `asked`
    says whose indexes were asked; None stands for the operator's.
    """

    ranked: list[RankedPassage]
    located: dict[int, LocatedPassage]
    snapshots: dict[UUID, Snapshot]
    stats: IndexStats
    hits: int = 0
    scale: Scale | None = None
    returning: Mapping[UUID, int] = field(default_factory=dict)
    engines_asked: int = 0
    embedded: float | None = None
    warnings: tuple[str, ...] = ()
    asked: tuple[UUID | None, ...] = (None,)

    def evidence(self) -> list[Evidence]:
        """The passages as slices of their snapshots, which is what a citation will point into."""
        sources = {id: index for index, id in enumerate(self.snapshots)}
        return [self._slice(ranked, sources) for ranked in self.ranked]

    def _slice(self, ranked: RankedPassage, sources: dict[UUID, int]) -> Evidence:
        place = self.located[ranked.passage.id]
        return Evidence(
            source=sources[place.snapshot_id],
            snapshot=self.snapshots[place.snapshot_id].text,
            start=place.start_at,
            end=place.end_at,
            score=ranked.score,
            title=ranked.passage.title,
            headings=ranked.passage.headings,
            language=ranked.passage.language,
            cosine=self._cosine(ranked),
        )

    def _cosine(self, ranked: RankedPassage) -> float | None:
        if self.scale is None or ranked.cosine is None:
            return None
        return self.scale.of(ranked.cosine)


def retrieve(
    settings: Settings,
    query: Query,
    options: dict[str, Any],
    web_pages: WebPages,
    order: Order | None = None,
    corpora: SearchedCorpora = OPERATORS,
) -> Candidates:
    """Retrieve, rank, keep what the options allow. `options` are those of the request.

    Documents of the account, pages of the corpora and of the web compete on one scale. A page that
    is both is taken from the web, where it was read last. `order` has the last word on what comes
    first.
    """
    embedder = embedder_for(embedders_of(settings), query.language)
    most, pool_size = sizes(options["depth"], with_meaning=embedder is not None)
    found = _find(settings, query, pool_size, from_options(options), corpora)
    hits = [hit for matches in found for hit in matches.hits]
    stats = summed([matches.stats for matches in found])
    with db.reading() as reader:
        located = {
            place.id: place
            for place in located_passages(
                reader, [hit.passage_id for hit in hits], corpora.account_id
            )
        }
    candidates = [
        PassageCandidate(retrieval.indexed(located[hit.passage_id]), hit.score)
        for hit in hits
        if hit.passage_id in located  # its page may have been replaced a moment ago
    ]
    if web_pages.analysed or len(found) > 1:
        candidates, stats = _on_one_scale(query, candidates, stats, located, web_pages)
        candidates = candidates[:pool_size]
    places = {**located, **{place.id: place for place in web_pages.located}}

    def rank(given: Sequence[PassageCandidate]) -> list[RankedPassage]:
        return rescore(query, given, stats, most)

    compared = compare(settings, query, candidates, rank)
    reranked = rerank(settings, query, collapse(rank(compared.candidates)))
    ordered = reranked.ranked
    if order is not None:
        ordered = order(ordered, lambda x: urlsplit(places[x.passage.id].url).hostname or "")
    chosen = dict.fromkeys(places[ranked.passage.id].snapshot_id for ranked in ordered)
    kept = list(chosen)[: options["max_sources"]]
    with db.reading() as reader:
        texts = snapshots.of(reader, kept)
    read = {id: texts[id] for id in kept if id in texts}
    ranked = [r for r in ordered if places[r.passage.id].snapshot_id in read]
    return Candidates(
        ranked,
        {r.passage.id: places[r.passage.id] for r in ranked},
        read,
        stats,
        hits=sum(r.passage.id > 0 for r in ranked),
        scale=compared.scale,
        returning=web_pages.returning(),
        engines_asked=web_pages.engines_asked,
        embedded=compared.embedded,
        warnings=(*(x for y in found for x in y.warnings), *compared.warnings, *reranked.warnings),
        asked=tuple(corpora.accounts),
    )


def _find(
    settings: Settings, query: Query, k: int, where: Filter, corpora: SearchedCorpora
) -> list[IndexMatches]:
    return [
        indexes.find_in(settings, query, k, corpora.filter_of(account_id, where), account_id)
        for account_id in corpora.accounts
    ]


def sizes(depth: str, *, with_meaning: bool) -> tuple[int, int]:
    """The numbers of candidates: those ranked by sentences, and those before that."""
    most = CANDIDATES[depth]
    return most, max(most * WIDER, LEAST_COMPARED) if with_meaning else most


def _on_one_scale(
    query: Query,
    candidates: Sequence[PassageCandidate],
    stats: IndexStats,
    located: Mapping[int, LocatedPassage],
    web_pages: WebPages,
) -> tuple[list[PassageCandidate], IndexStats]:
    """All candidates scored as if all of them, and the pages read, were in one index."""
    read = {page.snapshot.url for page in web_pages.pages}
    indexed = [x.passage for x in candidates if located[x.passage.id].url not in read]
    return pool(query.lexical(), stats, indexed, web_pages.analysed)
