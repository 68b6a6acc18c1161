"""The further context for a model beyond the passages found: what it would search for.

Nothing of the web is asked for again: the index is searched, and the pages that were read for the
question.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.core.config.settings import Settings
from app.engine.answer.evidence import Confidence
from app.engine.answer.extracts import extractive
from app.engine.search.interface import IndexStats
from app.engine.search.query import Query, parse
from app.engine.search.rank import RankedPassage
from workers.searches.candidates import OPERATORS, Candidates, Order, retrieve
from workers.searches.own_corpora import SearchedCorpora
from workers.searches.web_pages import WebPages


@dataclass(frozen=True, slots=True)
class PooledCandidates:
    """Candidates of a question and of further searches for it.

    `confidence` is that of the search whose sources most probably answer it, `answered` whether one
    of them has an answer.
    """

    candidates: Candidates
    confidence: Confidence
    answered: bool


@dataclass(frozen=True, slots=True)
class FurtherContext:
    """Of one search; `options` are those of its request."""

    settings: Settings
    options: dict[str, Any]
    web_pages: WebPages
    order: Order | None = None
    corpora: SearchedCorpora = OPERATORS

    def search(
        self, query: Query, candidates: Candidates, texts: Sequence[str]
    ) -> PooledCandidates:
        """Search for `texts` as well, under the restrictions of the query."""
        further = [self._query(query, text) for text in texts]
        found = [
            retrieve(self.settings, x, self.options, self.web_pages, self.order, self.corpora)
            for x in further
        ]
        answers = [
            extractive.answer(x, y.evidence(), y.stats) for x, y in zip(further, found, strict=True)
        ]
        return PooledCandidates(
            pooled([candidates, *found], self.options["max_sources"]),
            max((x.confidence for x in answers), key=lambda x: x.sources, default=Confidence(0, 0)),
            any(x.answered for x in answers),
        )

    def _query(self, query: Query, text: str) -> Query:
        parsed = parse(text, list(query.by_language), query.language)
        return replace(
            parsed,
            phrases=query.phrases,
            excluded=query.excluded,
            excluded_phrases=query.excluded_phrases,
        )


def pooled(lists: Sequence[Candidates], most_sources: int) -> Candidates:
    """One list of several, by the sum of 1 / rank: what several found comes before what one did."""
    scores: dict[int, float] = defaultdict(float)
    ranked: dict[int, RankedPassage] = {}
    for candidates in lists:
        for rank, x in enumerate(candidates.ranked, start=1):
            scores[x.passage.id] += 1 / rank
            ranked.setdefault(x.passage.id, x)
    ordered = sorted(ranked, key=lambda id: -scores[id])
    located = {id: place for x in reversed(lists) for id, place in x.located.items()}
    texts = {id: text for x in reversed(lists) for id, text in x.snapshots.items()}
    sources = list(dict.fromkeys(located[id].snapshot_id for id in ordered))[:most_sources]
    kept = [id for id in ordered if located[id].snapshot_id in set(sources)]
    return replace(
        lists[0],
        ranked=[replace(ranked[id], score=scores[id]) for id in kept],
        located={id: located[id] for id in kept},
        snapshots={id: texts[id] for id in sources},
        stats=_stats(lists),
        hits=sum(id > 0 for id in kept),
        warnings=tuple(dict.fromkeys(warning for x in lists for warning in x.warnings)),
    )


def _stats(lists: Iterable[Candidates]) -> IndexStats:
    every = [x.stats for x in lists]
    df: Mapping[str, int] = {term: n for stats in every for term, n in stats.df.items()}
    return IndexStats(every[0].n, every[0].avgdl, df)
