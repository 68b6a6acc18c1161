"""Sources that give different numbers or dates for the same question: precision before recall.

Two sentences of different sources contradict each other when both hold the same words of the
question, each states one value that the question does not, the values cannot both be true, and
nothing tells the sentences apart: no name the other source does not know, no other year, no other
condition ("formerly", "at least").
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.engine.answer.blocks.sentences import AnswerSentence
from app.engine.answer.evidence import Evidence
from app.engine.answer.sources.questions import ValueReader, value_reader
from app.engine.answer.sources.values import DateValue, Figure, years
from app.engine.search.overlap import Overlap, sigmoid
from app.engine.search.query import Query
from app.engine.text.stopwords import FUNCTION_WORDS

# Logistic weights, fitted on one half of the articles of xquad (English and German): coverage of
# the question, bigrams, passage score, coverage with the sentences around and the headings.
WEIGHTS = (3.0, 1.5, 2.5, 1.2)
BIAS = -5.6
MOST_VALUES = 3
LEAST_HELD = 0.6  # share of the question's distinct terms that both sentences hold
_AS_WELL = 0.75  # share of the first sentence's probability that the other one needs
_ALIKE = 0.3  # of the terms that are neither asked nor values, in the smaller of the two
_FEW = 2  # so few other terms say nothing
_NAME = re.compile(r"[^\W\d_][\w’'-]+")
_NUMBER_LIKE = re.compile(r".*\d")
_CONDITION = re.compile(
    r"\b(?:not|never|no longer|until|since|before|after|formerly|previously|originally|initially|"
    r"earlier|later|now|currently|today|if|unless|except|without|only|at least|at most|up to|"
    r"more than|less than|fewer than|over|under|nearly|almost|between|per|each|every|minimum|"
    r"maximum|average|estimated|planned|expected|"
    r"nicht|nie|bis|seit|vor|nach|früher|ursprünglich|zunächst|später|heute|jetzt|wenn|falls|außer|"
    r"ohne|nur|mindestens|höchstens|mehr als|weniger als|über|unter|fast|zwischen|pro|je|"
    r"ne|pas|jusqu|depuis|avant|après|sauf|moins|plus|hasta|desde|antes|después|salvo|menos|más)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence as an answer: the value it gives and how probably it is meant."""

    evidence: Evidence
    sentence: AnswerSentence
    probability: float
    value: Figure | DateValue

    @property
    def text(self) -> str:
        return self.evidence.snapshot[self.sentence.start : self.sentence.end]


def disagreeing(
    query: Query, cut: Sequence[tuple[Evidence, AnswerSentence]], overlap: Overlap
) -> list[Claim]:
    """The claims of different sources that contradict the first, which comes before them; or none.

    `cut` are the sentences of passages. There is none unless the sentence that most probably gives
    what is asked for gives one value of it. At most three claims, each of another value.
    """
    read = value_reader(query.text)
    if read is None:
        return []
    stating = _stating(query, cut, overlap, read)
    if not stating or len(stating[0][1]) > 1:
        return []
    claims = [claim for claim, values in stating if len(values) == 1]
    found = claims[:1]
    for claim in claims[1:]:
        if len(found) == MOST_VALUES or claim.probability < _AS_WELL * found[0].probability:
            break
        if all(_contradict(query, claim, x) for x in found):
            found.append(claim)
    return found if len(found) > 1 else []


def _stating(
    query: Query,
    cut: Sequence[tuple[Evidence, AnswerSentence]],
    overlap: Overlap,
    read: ValueReader,
) -> list[tuple[Claim, list[Figure | DateValue]]]:
    """The sentences that state what the question does not, with their values, the most probable
    first."""
    in_question = {value.shown for value in read(query.text, query.language)}
    top = max((evidence.score for evidence, _ in cut), default=0.0) or 1.0
    found = []
    for evidence, sentence in cut:
        text = evidence.snapshot[sentence.start : sentence.end]
        values = [x for x in read(text, evidence.language) if x.shown not in in_question]
        if values:
            probability = _probability(evidence, sentence, overlap, top)
            found.append((Claim(evidence, sentence, probability, values[0]), values))
    return sorted(found, key=lambda x: -x[0].probability)


def _probability(
    evidence: Evidence, sentence: AnswerSentence, overlap: Overlap, top: float
) -> float:
    language = evidence.language
    features = (
        overlap.coverage(sentence.terms, language),
        overlap.bigram(sentence.terms, language),
        evidence.score / top,
        overlap.coverage(sentence.context, language),
    )
    return sigmoid(BIAS + sum(w * x for w, x in zip(WEIGHTS, features, strict=True)))


def _contradict(query: Query, a: Claim, b: Claim) -> bool:
    return (
        a.evidence.source != b.evidence.source
        and _values_differ(a.value, b.value)
        and _hold_the_same(query, a, b)
        and _same_circumstances(a, b)
        and _names_known(query, a, b)
        and _names_known(query, b, a)
        and _say_the_same(query, a, b)
    )


def _values_differ(a: Figure | DateValue, b: Figure | DateValue) -> bool:
    if isinstance(a, Figure) and isinstance(b, Figure):
        return a.contradicts(b)
    return isinstance(a, DateValue) and isinstance(b, DateValue) and a.contradicts(b)


def _hold_the_same(query: Query, a: Claim, b: Claim) -> bool:
    question_terms = frozenset(query.terms_in(a.evidence.language))
    held = question_terms.intersection(a.sentence.terms)
    return len(held) >= LEAST_HELD * len(question_terms) and held == question_terms.intersection(
        b.sentence.terms
    )


def _same_circumstances(a: Claim, b: Claim) -> bool:
    """Equal conditions, and no year of which the other does not speak (unless it is the value)."""
    left = {x.casefold() for x in _CONDITION.findall(a.text)}
    if left != {x.casefold() for x in _CONDITION.findall(b.text)}:
        return False
    return isinstance(a.value, DateValue) or years(a.text) == years(b.text)


def _names_known(query: Query, a: Claim, b: Claim) -> bool:
    """True if the source of `b` knows, or the question has, every name in the sentence of `a`."""
    value = a.value.shown
    names = {x.casefold() for x in _NAME.findall(a.text.replace(value, " ")) if x[0].isupper()}
    passage = b.evidence.snapshot[b.evidence.start : b.evidence.end]
    known = {x.casefold() for x in _NAME.findall(f"{passage} {b.evidence.title} {query.text}")}
    return names - FUNCTION_WORDS <= known


def _say_the_same(query: Query, a: Claim, b: Claim) -> bool:
    """True if what the sentences say besides question and value is alike, or next to nothing."""
    question_terms = frozenset(query.terms_in(a.evidence.language))
    left, right = (
        {x for x in claim.sentence.terms if x not in question_terms and not _NUMBER_LIKE.match(x)}
        for claim in (a, b)
    )
    smaller = min(len(left), len(right))
    return max(len(left), len(right)) <= _FEW or len(left & right) >= max(1, _ALIKE * smaller)
