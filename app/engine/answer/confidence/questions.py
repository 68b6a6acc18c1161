"""The kind of thing a question asks for, and whether a sentence offers something of that kind."""

import re

from app.engine.answer.confidence.question_words import EVIDENCE, QUESTIONS, AnswerKind
from app.engine.search.definition import subject_of
from app.engine.text.numbers import DIGITS

UNSURE = 0.5
_WORD = re.compile(r"[\w’'-]+")
# "How many eggs": the things counted stand behind the question word, in another number maybe.
_COUNTED = re.compile(
    r"\b(?:how many|wie ?viele|cu[aá]nt[ao]s|combien d[e’']|quant[ei])\s*(?P<noun>[^\W\d_]{3,})",
    re.IGNORECASE,
)
_ENDING = 2
_NUMERAL = re.compile(DIGITS)
_PERCENT = re.compile(
    r"percent|per cent|prozent|%|％|por ciento|pour cent|процент|百分", re.IGNORECASE
)


def asked_for(question: str) -> AnswerKind:
    """The kind of answer a question wants, by its question words."""
    if subject_of(question) is not None:
        return AnswerKind.DEFINITION
    return next((kind for kind, words in QUESTIONS if words.search(question)), AnswerKind.OTHER)


def offers(kind: AnswerKind, sentence: str, question: str) -> float:
    """Rates how well a sentence offers that kind of thing, 0 to 1; .5 when nothing can be said.

    A number counts only when the question does not hold it already.
    """
    pattern = EVIDENCE.get(kind)
    if pattern is None:
        return UNSURE
    of_numbers = kind in (AnswerKind.NUMBER, AnswerKind.DATE)
    if not pattern.search(_without_known(sentence, question) if of_numbers else sentence):
        return 0.0
    if kind is AnswerKind.NUMBER and not _of_what_is_counted(sentence, question):
        return UNSURE
    return 1.0


def _of_what_is_counted(sentence: str, question: str) -> bool:
    """True if a sentence with a number names the share, or the things, that a question counts."""
    if _PERCENT.search(question):
        return bool(_PERCENT.search(sentence))
    counted = _COUNTED.search(question)
    if counted is None:
        return True
    noun = counted["noun"].casefold()
    root = noun[: max(3, len(noun) - _ENDING)]
    return any(word.casefold().startswith(root) for word in _WORD.findall(sentence))


def _without_known(sentence: str, question: str) -> str:
    known = {word.casefold() for word in _WORD.findall(question)}
    numerals = set(_NUMERAL.findall(question))
    rest = _NUMERAL.sub(lambda x: " " if x[0] in numerals else x[0], sentence)
    return " ".join(x for x in rest.split() if x.strip(".,;:()").casefold() not in known)
