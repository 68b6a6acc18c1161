"""The quality of every source of an answer, from facts, and what each part of it came from."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from app.domains.library.passages.store import LocatedPassage, Snapshot
from app.domains.library.sources.store import Verdict
from app.domains.search.searches.basis import Basis, explain
from app.engine.answer.confidence import quality
from app.engine.answer.evidence import Answer
from app.engine.answer.sources.agreement import Claim, Witness, claim, supports
from app.engine.pages.passages import count_words
from app.engine.pages.site.registrable import domain_of_url
from app.engine.search.interface import IndexStats
from app.engine.search.query import Query, guess_language
from app.engine.search.rank import RankedPassage
from app.engine.text.scripts import primary_language
from app.engine.text.simhash import distance, fingerprint


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """The facts known of sources beyond their pages.

    `verdicts` and `linking` (see `corpora.linking_domains`) are by registrable domain. `returning`
    is by how many of `engines_asked` a page was found. `stats` hold the document
    frequencies of the terms of what is cited.
    """

    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    linking: Mapping[str, int | None] = field(default_factory=dict)
    returning: Mapping[UUID, int] = field(default_factory=dict)
    engines_asked: int = 0
    stats: IndexStats = field(default_factory=lambda: IndexStats(0, 0.0))


@dataclass(frozen=True, slots=True)
class Material:
    """The material that the answer was made from. `snapshots` are in the order its source indexes
    count.

    `fresh` says that the request limits the age of pages.
    """

    snapshots: Sequence[Snapshot]
    ranked: Sequence[RankedPassage]
    located: Mapping[int, LocatedPassage]
    asked_at: datetime
    source_facts: SourceFacts = field(default_factory=SourceFacts)
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class ScoredSource:
    source: int
    quality: quality.Quality
    basis: Basis


@dataclass(frozen=True, slots=True)
class _Source:
    index: int
    snapshot: Snapshot
    ranked: Sequence[RankedPassage]
    domain: str
    simhash: int

    @property
    def relevance(self) -> float:
        return max((x.relevance.probability for x in self.ranked), default=0.0)

    @property
    def rank(self) -> float:
        return max((x.score for x in self.ranked), default=0.0)


def score(query: Query, answer: Answer, material: Material) -> list[ScoredSource]:
    """The sources in their final order: the cited ones as their markers count them, then the
    others by the rank of their best passage. None is left out."""
    sources = _sources(answer, material)
    better = _distances_to_better(sources)
    witnesses = _Witnesses(sources, answer, material)
    spoken = _spoken(query)
    scored: list[tuple[_Source, quality.SourceFacts, quality.Quality]] = []
    for source in sources:
        facts = quality.SourceFacts(
            relevance=[x.relevance for x in source.ranked],
            now=material.asked_at,
            listed=material.source_facts.verdicts.get(source.domain),
            linking_domains=material.source_facts.linking.get(source.domain),
            engines_returning=material.source_facts.returning.get(source.snapshot.id),
            engines_asked=material.source_facts.engines_asked,
            identity=_identity(source.snapshot),
            published_at=source.snapshot.published_at,
            wants_fresh=material.fresh,
            content=_content(source.snapshot, spoken, better[source.index]),
            support=witnesses.support(source),
        )
        scored.append((source, facts, quality.quality(facts)))
    cited = max((citation.n for citation in answer.citations), default=0)
    ordered = scored[:cited] + sorted(scored[cited:], key=lambda x: -x[0].rank)
    numbers = {source.index: n for n, (source, _, _) in enumerate(ordered, start=1)}
    return [
        ScoredSource(
            source.index,
            rated,
            explain(
                facts,
                source.snapshot,
                source.domain,
                _place(source, material),
                sorted(numbers[x] for x in witnesses.supporters(source)),
            ),
        )
        for source, facts, rated in ordered
    ]


def _sources(answer: Answer, material: Material) -> list[_Source]:
    """In the order of the answer's source numbers."""
    ranked: defaultdict[UUID, list[RankedPassage]] = defaultdict(list)
    for x in material.ranked:
        ranked[material.located[x.passage.id].snapshot_id].append(x)
    return [
        _Source(
            index,
            snapshot := material.snapshots[index],
            ranked[snapshot.id],
            domain_of_url(snapshot.url) or snapshot.url,
            _simhash(snapshot),
        )
        for index in answer.sources
    ]


def _simhash(snapshot: Snapshot) -> int:
    """The stored one; of a page that was read before they were stored, its own."""
    stored = snapshot.facts.get("simhash")
    return int(stored or fingerprint(snapshot.text, snapshot.language), 16)


def _distances_to_better(sources: Sequence[_Source]) -> dict[int, int | None]:
    """The distance of each source to the nearest more relevant one; None for the best."""
    best_first = sorted(sources, key=lambda x: -x.relevance)
    return {
        source.index: min(
            (distance(source.simhash, other.simhash) for other in best_first[:place]), default=None
        )
        for place, source in enumerate(best_first)
    }


def _spoken(query: Query) -> str | None:
    """The language of the question by its script or its function words; None if it shows none."""
    guesses = {guess_language(query.text, [preferred]) for preferred in ("en", "de")}
    return guesses.pop() if len(guesses) == 1 else None


def _identity(snapshot: Snapshot) -> quality.PublisherIdentity | None:
    """None for what is not on the web: a folder of the operator's."""
    if not snapshot.url.startswith(("http://", "https://")):
        return None
    facts = snapshot.facts
    return quality.PublisherIdentity(
        https=snapshot.url.startswith("https://"),
        author=bool(facts.get("author")),
        publisher=bool(facts.get("publisher")) if "contact" in facts else None,
        contact=facts.get("contact"),
    )


def _content(
    snapshot: Snapshot, spoken: str | None, distance_to_better: int | None
) -> quality.ContentFacts:
    language = primary_language(snapshot.language)
    return quality.ContentFacts(
        words=int(count_words(snapshot.text, most=quality.FULL_WORDS)),
        main_text_ratio=snapshot.facts.get("main_text_ratio"),
        language_matches=language == spoken if language and spoken else None,
        blocked=snapshot.facts.get("blocked"),
        distance_to_better=distance_to_better,
    )


def _place(source: _Source, material: Material) -> tuple[RankedPassage, LocatedPassage] | None:
    """The most relevant passage and where it stands."""
    best = max(source.ranked, key=lambda x: x.relevance.probability, default=None)
    return (best, material.located[best.passage.id]) if best else None


class _Witnesses:
    """The support for what is cited: sentences of one source against passages of the others."""

    def __init__(self, sources: Sequence[_Source], answer: Answer, material: Material) -> None:
        self._sources = sources
        self._passages = {
            source.index: [
                Witness(x.passage.text, x.passage.language, frozenset(term for term, _ in x.terms))
                for x in source.ranked
            ]
            for source in sources
        }
        self._claims = {source.index: self._cited(source, answer, material) for source in sources}
        self._held = {source.index: self._hold(source) for source in sources}

    def support(self, source: _Source) -> quality.Support:
        return quality.Support(
            claims=len(self._claims[source.index]),
            supported=sum(bool(holders) for holders in self._held[source.index]),
            independent_sources=1 + len(self._independent_of(source)),
        )

    def supporters(self, source: _Source) -> set[int]:
        return {index for holders in self._held[source.index] for index in holders}

    def _cited(self, source: _Source, answer: Answer, material: Material) -> list[Claim]:
        leads = dict.fromkeys(x.lead for x in answer.citations if x.source == source.index)
        language, stats = source.snapshot.language, material.source_facts.stats
        return [claim(lead, language, stats) for lead in leads]

    def _hold(self, source: _Source) -> list[list[int]]:
        """For each claim of a source, who supports it."""
        if not self._claims[source.index]:
            return []
        others = self._independent_of(source)
        return [
            [
                other.index
                for other in others
                if any(supports(x, statement) for x in self._passages[other.index])
            ]
            for statement in self._claims[source.index]
        ]

    def _independent_of(self, source: _Source) -> list[_Source]:
        return [
            other
            for other in self._sources
            if quality.independent(
                source.domain, other.domain, distance(source.simhash, other.simhash)
            )
        ]
