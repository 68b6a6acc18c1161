"""The gate of answers: two probabilities, and the thresholds from which an answer is shown."""

from collections.abc import Sequence

from app.engine.answer.evidence import Confidence, Evidence
from app.engine.search.overlap import sigmoid
from app.engine.search.procedure import asks_how
from app.engine.search.query import Query
from app.engine.text.scripts import UNSPACED_RUN

# Least confidence by words, by the query's language, set where about 7 % of questions are answered
# whose article is missing (xquad). Words of other languages match their sources less often than
# English ones do, which are hardly inflected and never compounded. Scripts without spaces are cut
# into bigrams, many of which lie across two words; their gate is from English text turned into such
# a script word by word, where it keeps out all but 4 in 100.
GATES = {"en": 0.55, **dict.fromkeys(("zh", "ja", "ko", "th", "lo", "km", "my"), 0.08)}
GATE = 0.32
# With meaning: one logistic of how much of the question the lead holds and of the best cosine,
# fitted on one half of xquad, on five manuals and on four collections of everyday documents, each
# kind with equal weight, with and without what answers.
LEAD, COSINE, BIAS = 5.0, 9.0, -5.9
# Below LIKELY: what is shown from here to there is a perhaps.
GATE_BY_MEANING = 0.25
# Of the threshold: from here on a model may be asked, which may decline.
WORTH_A_LOOK = 0.5
# That one of the passages shown is right. By words: if any is, a logistic of how far the first
# one's score is above the next and of whether the question is how to do something. With meaning:
# one of the first and of how far the nearest of the ten best is above the least near. Fitted on one
# half of xquad (by words also in German) and on what readers found of manuals, who want to be told
# all that is needed. Over manuals how-to answers are as often right as others.
MARGIN_BY_WORDS, ASKS_HOW_BY_WORDS, BIAS_BY_WORDS = 2.69, -1.86, 0.67
MARGIN, SPREAD, BIAS_OF_RIGHT = 2.9, 5.6, -1.1
# The probability of being right below which two passages are not enough: over manuals, where the
# third held what was asked for and the first two did not one time in ten.
ENOUGH = 0.7
# The probability of being right from which on an answer is shown as one, below as a perhaps.
LIKELY = 0.5


def by_meaning(lead: float, cosine: float) -> float:
    """The probability that the sources answer: `lead` is the most of the question that the lead of
    a passage holds, `cosine` how near the nearest passage is."""
    return sigmoid(LEAD * lead + COSINE * cosine + BIAS)


def confidence(
    query: Query, sources: float, margin: float, spread: float | None = None
) -> Confidence:
    """Both probabilities. `margin` is how far the first passage scores above the next, `spread` as
    `cosine_spread` gives it, None where words decide.

    What has no word in it ("x", "2+2") asks for nothing, though most collections have its letters.
    """
    if not has_words(query):
        return Confidence(0.0, 0.0)
    margin = min(1.0, margin)
    if spread is None:
        how = asks_how(query.text)
        right = MARGIN_BY_WORDS * margin + ASKS_HOW_BY_WORDS * how + BIAS_BY_WORDS
        return Confidence(sources * sigmoid(right), sources)
    right = MARGIN * margin + SPREAD * spread + BIAS_OF_RIGHT
    return Confidence(min(sources, sigmoid(right)), sources)


def passes(query: Query, sources: float, *, by_meaning: bool = False) -> bool:
    """True if the probability that the sources answer is enough for an answer to this query."""
    return sources >= _threshold(query, by_meaning)


def may_be_answered(query: Query, sources: float, *, by_meaning: bool = False) -> bool:
    """True if it is worth asking a model, which can tell that nothing answers."""
    return sources >= WORTH_A_LOOK * _threshold(query, by_meaning)


def _threshold(query: Query, by_meaning: bool) -> float:
    return GATE_BY_MEANING if by_meaning else GATES.get(query.language, GATE)


def best_cosine(evidence: Sequence[Evidence]) -> float | None:
    """Returns how near the nearest passage is to the question; None when it is known of too few."""
    cosines = [x.cosine for x in evidence if x.cosine is not None]
    return max(cosines) if 2 * len(cosines) > len(evidence) else None


def cosine_spread(best: Sequence[Evidence]) -> float:
    """Returns how far the nearest of the best passages is above the least near, 0 to 2."""
    cosines = [x.cosine for x in best if x.cosine is not None]
    return max(cosines) - min(cosines) if cosines else 0.0


def has_words(query: Query) -> bool:
    """True if a term of a question says something by itself; "x" and "2+2" have none.

    It is two characters with a letter, or one sign of a script that writes words with one.
    """
    return any(
        UNSPACED_RUN.search(term) or (len(term) > 1 and any(x.isalpha() for x in term))
        for term in query.terms
    )
