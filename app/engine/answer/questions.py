"""What a question asks for, and whether a sentence offers something of that kind."""

import re

from app.engine.answer.question_words import EVIDENCE, QUESTIONS, Asked
from app.engine.retrieval.definition import defines, subject_of

SIGNATURE = 0.8  # what a function does is nearly as good as an instruction
UNSURE = 0.5
_SIGNATURE = re.compile(r"[^\n]*\w\([^\n]*\n")
_CAPITALISED = re.compile(r"(?<![.!?] )(?<!^)\b(?=[^\W\d_a-z])[\w’'-]{2,}")
_WORD = re.compile(r"[\w’'-]+")
_NUMERAL = re.compile(r"\d+(?:[.,]\d+)*")
_PERCENT = re.compile(
    r"percent|per cent|prozent|%|％|por ciento|pour cent|процент|百分", re.IGNORECASE
)


def asked_for(question: str) -> Asked:
    """The kind of answer a question wants, by its question words."""
    if subject_of(question) is not None:
        return Asked.DEFINITION
    return next((kind for kind, words in QUESTIONS if words.search(question)), Asked.OTHER)


def offers(kind: Asked, sentence: str, question: str) -> float:
    """How well a sentence offers that kind of thing, 0 to 1; .5 when nothing can be said.

    A number or a name counts only when the question does not hold it already. Names show by their
    capitals: of a script without them nothing is said.
    """
    if kind is Asked.DEFINITION:
        return defines(sentence, subject_of(question) or "")
    if kind in (Asked.PERSON, Asked.PLACE):
        return _offers_names(sentence, question)
    pattern = EVIDENCE.get(kind)
    if pattern is None:
        return UNSURE
    if kind is Asked.METHOD and _SIGNATURE.match(sentence):
        return SIGNATURE
    if kind in (Asked.NUMBER, Asked.DATE):
        sentence = _without_known(sentence, question)
    if not pattern.search(sentence):
        return 0.0
    wants_share = kind is Asked.NUMBER and _PERCENT.search(question)
    return UNSURE if wants_share and not _PERCENT.search(sentence) else 1.0


def _offers_names(sentence: str, question: str) -> float:
    if sentence.upper() == sentence.lower():
        return UNSURE
    known = {word.casefold() for word in _WORD.findall(question)}
    names = {x.casefold() for x in _CAPITALISED.findall(sentence) if x[0].isupper()}
    return min(1.0, len(names - known) / 2)


def _without_known(sentence: str, question: str) -> str:
    known = {word.casefold() for word in _WORD.findall(question)}
    numerals = set(_NUMERAL.findall(question))
    rest = _NUMERAL.sub(lambda x: " " if x[0] in numerals else x[0], sentence)
    return " ".join(x for x in rest.split() if x.strip(".,;:()").casefold() not in known)
