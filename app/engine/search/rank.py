"""The final order of candidates: min-max fusion and the sentence bonus, then duplicates folded."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import ceil, floor

from app.engine.pages.passages import count_words
from app.engine.pages.sentences import sentences
from app.engine.search.definition import defines, subject_of
from app.engine.search.demotion import Demotion
from app.engine.search.interface import IndexedPassage, IndexStats
from app.engine.search.overlap import Overlap, Relevance
from app.engine.search.procedure import asks_how, instructs
from app.engine.search.query import Query, fold
from app.engine.search.question_echo import restates
from app.engine.text import analysis

# Weights that held on all five collections they were tried on.
LEXICAL_BONUS = 0.3
FUSED_BONUS = 0.15
# The share of the cosine, as that of telling what to do by 400 questions on twenty manuals; from .7
# to .9 two judged collections lose a little with each tenth (docs/explanation/findings.md).
FUSION = 0.83
# Parts of the bonus: how much of the question one sentence holds, neighbours that are neighbours
# there too, and how much the title and the headings hold.
SENTENCE, BIGRAM, HEADED = 1.0, 1.0, 0.5
DEFINITION_BONUS = 0.6  # for holding the very sentence that "What is X?" asks for
RESTATING = 0.6  # what a passage keeps of its score that quotes the question, say in an example
# For saying enough to answer, which a name or a line of links does not.
LENGTH, FULL_WORDS = 0.1, 120
# For telling one what to do, where the question is how to do something.
INSTRUCTION = 0.25
# What a passage keeps of its score that has none of the identifiers of the question: what is said
# of `smtp_limit` is not true of `smtpd_limit`, however alike they are.
UNNAMED = 0.6
NEAR_IDENTICAL = 0.9  # Jaccard similarity of term bags
# A hundred candidates per query come from few passages again and again. Some 2 KB each.
REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class PassageCandidate:
    """A passage with the engine's BM25 score, and its cosine when vectors are in use."""

    passage: IndexedPassage
    lexical: float
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A candidate in its final place. `score` is comparable within one result only."""

    passage: IndexedPassage
    score: float
    relevance: Relevance
    terms: frozenset[tuple[str, int]]
    cosine: float | None = None


def rescore(
    query: Query,
    candidates: Sequence[PassageCandidate],
    stats: IndexStats,
    most: int | None = None,
) -> list[RankedPassage]:
    """Order candidates, best first, ties by passage id.

    Without cosines: min-max BM25 + .3 (best sentence coverage + bigram match). With them:
    .17 min-max BM25 + .83 min-max cosine + .15 of the same bonus; a candidate without a cosine
    takes the one of those seen that stands where it stands itself by BM25. Both: + .1 for 120
    words or more, in proportion for less, and where the question is how to do something up to
    + .25 for telling what to do. Candidates that miss a quoted phrase of the query are left out,
    and of the others all but the `most` best before the bonus.
    """
    kept = [x for x in candidates if has_phrases(query, x.passage)]
    lexical = spread([x.lexical for x in kept])
    base, bonus = lexical, LEXICAL_BONUS
    if any(x.cosine is not None for x in kept):
        cosines = spread(_cosines(kept))
        base = [(1 - FUSION) * a + FUSION * b for a, b in zip(lexical, cosines, strict=True)]
        bonus = FUSED_BONUS
    overlap = Overlap(query, stats)
    standing = Demotion(query, [x.passage for x in kept])
    best = sorted(zip(kept, base, strict=True), key=lambda x: (-x[1], x[0].passage.id))
    ranked = [_rank(x, score, bonus, query, overlap, standing) for x, score in best[:most]]
    return sorted(ranked, key=lambda x: (-x.score, x.passage.id))


def has_phrases(query: Query, passage: IndexedPassage) -> bool:
    """True if a passage, its title or its headings hold each phrase and no excluded one."""
    if not query.phrases and not query.excluded_phrases:
        return True
    text = fold(passage.indexed_text)
    return all(phrase in text for phrase in query.phrases) and not any(
        phrase in text for phrase in query.excluded_phrases
    )


def _cosines(candidates: Sequence[PassageCandidate]) -> list[float]:
    """The cosine of each, known or likely; at least one must be known."""
    seen = sorted(x.cosine for x in candidates if x.cosine is not None)
    by_words = sorted(x.lexical for x in candidates)
    return [
        _quantile(seen, _share_below(by_words, x.lexical)) if x.cosine is None else x.cosine
        for x in candidates
    ]


def _share_below(ordered: Sequence[float], x: float) -> float:
    """The place of one of the numbers among all of them, 0 to 1; equals share theirs."""
    place = (bisect_left(ordered, x) + bisect_right(ordered, x) - 1) / 2
    return place / max(1, len(ordered) - 1)


def _quantile(ordered: Sequence[float], share: float) -> float:
    at = share * (len(ordered) - 1)
    below, above = ordered[floor(at)], ordered[ceil(at)]
    return below + (at - floor(at)) * (above - below)


def spread(values: Sequence[float]) -> list[float]:
    """The values between 0 for the least and 1 for the greatest; all 1 where they are equal."""
    if not values:
        return []
    low, high = min(values), max(values)
    return [(x - low) / (high - low) if high > low else 1.0 for x in values]


def _rank(
    candidate: PassageCandidate,
    base: float,
    bonus: float,
    query: Query,
    overlap: Overlap,
    standing: Demotion,
) -> RankedPassage:
    passage = candidate.passage
    said = sentence_terms(passage.text, passage.language)
    above = analysis.terms("\n".join([passage.title, *passage.headings]), passage.language)
    relevance = overlap.relevance(above, said, passage.language)
    bag = Counter(chain.from_iterable(said))
    headed = overlap.coverage(above, passage.language)
    parts = SENTENCE * relevance.best_sentence + BIGRAM * relevance.bigram + HEADED * headed
    score = base + bonus * parts
    score += DEFINITION_BONUS * _definition(query, passage)
    score += LENGTH * min(1.0, count_words(passage.text, FULL_WORDS) / FULL_WORDS)
    if asks_how(query.text):
        score += INSTRUCTION * instructs(passage.text)
    score *= standing.of(passage)
    if restates(passage.text, query.text):
        score *= RESTATING
    identifiers = {term for term in query.terms if _is_identifier(term)}
    if identifiers and identifiers.isdisjoint(bag) and identifiers.isdisjoint(above):
        score *= UNNAMED
    return RankedPassage(passage, score, relevance, frozenset(bag.items()), candidate.cosine)


@lru_cache(maxsize=REMEMBERED)
def sentence_terms(text: str, language: str | None) -> tuple[tuple[str, ...], ...]:
    """The terms of each sentence of `text`. The text is the key, so none is ever stale."""
    return tuple(tuple(analysis.terms(text[a:b], language)) for a, b in sentences(text, language))


def _is_identifier(term: str) -> bool:
    """True of `max_connections`, `--force` and `os.environ`, neither of words nor of `3.11`."""
    return not term.isalnum() and term.isascii() and any(x.isalpha() for x in term)


def _definition(query: Query, passage: IndexedPassage) -> float:
    """Rates how surely a passage defines what the query asks about; 0 if it asks none."""
    subject = subject_of(query.text)
    if subject is None:
        return 0.0
    heading = (passage.title, *passage.headings)[-1]
    blocks = passage.text.split("\n\n")
    return max((defines(block, subject, heading) for block in blocks), default=0.0)


def collapse(ranked: Sequence[RankedPassage]) -> list[RankedPassage]:
    """The same order without repeats: of near-identical texts the first stays."""
    by_size: defaultdict[int, list[RankedPassage]] = defaultdict(list)
    kept: list[RankedPassage] = []
    for x in ranked:
        size = len(x.terms)
        sizes = range(int(NEAR_IDENTICAL * size), int(size / NEAR_IDENTICAL) + 2)
        if not any(_same_text(x, y) for other in sizes for y in by_size.get(other, ())):
            kept.append(x)
            by_size[size].append(x)
    return kept


def _same_text(a: RankedPassage, b: RankedPassage) -> bool:
    shared = len(a.terms & b.terms)
    return shared >= NEAR_IDENTICAL * (len(a.terms) + len(b.terms) - shared)
