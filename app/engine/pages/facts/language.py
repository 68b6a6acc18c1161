"""Tell the language of a text and of its passages, or say that it cannot be told."""

import re
from collections.abc import Sequence
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from app.engine.text.scripts import script_language, shares_script, writes_alone
from app.engine.text.stopwords import STOPWORDS

_SAMPLE = 4_000
_SURE = 0.95
_OVERRULES_DECLARATION = 0.999
_SHORTEST_TO_GUESS = 40
_SHORTEST_TO_OVERRULE = 200
# Shares of function words: prose of a language has a third or more of them, a list of names none.
_OBVIOUS, _ENOUGH = 0.2, 0.15
_MOST_IDENTIFIED = 1_000  # passages of one page: about half a second
_WORD = re.compile(r"[^\W\d_]+")


def language_of(text: str, declared: str | None = None) -> str | None:
    """The ISO 639-1 code of the language of `text`; None when unsure.

    What the page declares stands unless a long text clearly speaks another language: templates
    often leave lang="en" on pages in any language, and the detector errs on short or mixed text.
    """
    sample = text[:_SAMPLE]
    letters = sum(character.isalpha() for character in sample)
    if letters < _SHORTEST_TO_GUESS:
        return declared
    language, probability = _identifier().classify(sample)
    if declared is None:
        is_sure = probability >= _SURE or writes_alone(str(language), sample)
        return str(language) if is_sure else None
    if language != declared and (
        letters < _SHORTEST_TO_OVERRULE or probability < _OVERRULES_DECLARATION
    ):
        return declared
    return str(language)


class PassageLanguages:
    """The languages of the passages of one page, which is mostly in `language`.

    A passage has another one only if it is long enough, is surely in it, and has its function words
    or its script: names, commands and figures are in the language of the page around them. Most
    passages show theirs in their function words, which costs a tenth of what the detector costs.
    """

    def __init__(self, language: str | None) -> None:
        self._language = language
        self._identified = 0

    def of(self, text: str) -> str | None:
        words = _WORD.findall(text.casefold())
        if sum(map(len, words)) < _SHORTEST_TO_OVERRULE or self._is_obvious(words):
            return self._language
        if self._identified == _MOST_IDENTIFIED:
            return self._language
        self._identified += 1
        if self._language is None:
            return language_of(text)
        language, probability = _identifier().classify(text)
        is_sure = probability >= _OVERRULES_DECLARATION and self._speaks(str(language), words)
        return str(language) if is_sure else self._language

    def _is_obvious(self, words: Sequence[str]) -> bool:
        own = self._language or ""
        return _function_words(own, words) >= _OBVIOUS or _is_script_of(own, words)

    def _speaks(self, language: str, words: Sequence[str]) -> bool:
        share = _function_words(language, words)
        if share >= _ENOUGH and share > _function_words(self._language or "", words):
            return True
        return _is_script_of(language, words) and not _is_script_of(self._language or "", words)


def _function_words(language: str, words: Sequence[str]) -> float:
    known = STOPWORDS.get(language)
    return sum(map(known.__contains__, words)) / len(words) if known else 0.0


def _is_script_of(language: str, words: Sequence[str]) -> bool:
    """True if most letters are of a script that is not Latin, and writes the language."""
    other = [word for word in words if not word.isascii()]
    if 2 * sum(map(len, other)) <= sum(map(len, words)):
        return False
    hinted = script_language("".join(other))
    return hinted is not None and shares_script(language, hinted)


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
