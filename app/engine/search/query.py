"""The text a person typed, read as terms, phrases and exclusions."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from app.engine.pages.blocks.canonical import composed
from app.engine.search.interface import LexQuery
from app.engine.text import analysis
from app.engine.text.question_frames import without_frame
from app.engine.text.scripts import primary_language, script_language
from app.engine.text.stopwords import STOPWORDS

_MAX_LANGUAGES = 4
# What stands behind a number opens nothing: 27" are inches.
_QUOTED = re.compile(r"(?!(?<=\d)[\"”])[\"“”„«»]([^\"“”„«»]{2,200})[\"“”„«»]")
_EXCLUDED_PHRASE = re.compile(r"(?<!\S)-" + _QUOTED.pattern)
_EXCLUDED = re.compile(r"(?<=\s)-(?=[^\W\d_]{3})([\w.+#]+)(?!\S)")
# The hyphens of an option as keyboards and programs set them: one dash in place of two.
_TYPESET = re.compile(r"(?<![\w.+#−‐–—-])(?:([−‐]{1,2})|[–—])(?=[A-Za-z])")
_WORD = re.compile(r"[^\W\d_]+")
_SPOKEN = re.compile(r"[^\W\d_]+\b(?![+#])")  # C++ is no French "c'"


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query. Everything is computed from `text`; nothing of it is code of an engine.

    - `terms`: distinct index terms over all `languages`, in order of appearance: for recall.
    - `by_language`: the terms as one language sees them, repeats kept: for coverage, so that a word
      stemmed in two ways does not count twice. `language` is always a key.
    - `phrases`: quoted strings, folded as `fold` does; a result has to contain each of them.
    - `excluded`: terms of `-word`; a result may contain none of them.
    - `excluded_phrases`: of `-"some words"`, folded; a result may contain none of them.
    """

    text: str
    language: str
    terms: tuple[str, ...]
    phrases: tuple[str, ...]
    excluded: tuple[str, ...]
    by_language: Mapping[str, tuple[str, ...]]
    excluded_phrases: tuple[str, ...] = ()

    def terms_in(self, language: str | None) -> tuple[str, ...]:
        """The query's terms as a passage in `language` would hold them."""
        return self.by_language.get(primary_language(language), self.by_language[self.language])

    def lexical(self) -> LexQuery:
        """Returns the query for a retriever: each term weighted by how often the query says it."""
        counts = Counter(self.by_language[self.language])
        return LexQuery(
            terms=tuple((term, float(max(1, counts[term]))) for term in self.terms),
            excluded=self.excluded,
        )


def parse(text: str, languages: Sequence[str] = (), language: str | None = None) -> Query:
    """Read a query.

    A short query hardly tells its language, so it is analysed in its likely language (`language`
    when the caller knows it, else guessed from its script and its function words) and in the first
    few `languages`, those of the collection asked. Words common to both readings count once.

    `-word` excludes when a space stands before the hyphen and the word has three letters or more:
    `-v` and `--no-cache` are options, and are searched for. `-"some words"` excludes too. What
    nobody sees is left out, as it is of pages: a word that was copied from one may hold soft
    hyphens.
    """
    text = composed(text)
    asked = _EXCLUDED_PHRASE.sub(" ", text)
    excluded_words = _EXCLUDED.findall(asked)
    wanted = without_frame(_EXCLUDED.sub(" ", asked))
    wanted = _TYPESET.sub(lambda dash: "-" * len(dash[1] or "--"), wanted)
    main = primary_language(language) or guess_language(text, languages)
    codes = list(dict.fromkeys([main, *map(primary_language, languages)]))[:_MAX_LANGUAGES]
    by_language = {code: tuple(analysis.terms(wanted, code)) for code in codes}
    if not any(by_language.values()):  # only function words: "the who"
        by_language = {code: tuple(_WORD.findall(fold(wanted))) for code in codes}
    return Query(
        text=text,
        language=main,
        terms=tuple(dict.fromkeys(term for terms in by_language.values() for term in terms)),
        phrases=tuple(dict.fromkeys(fold(phrase) for phrase in _QUOTED.findall(asked))),
        excluded=tuple(
            dict.fromkeys(
                term
                for word in excluded_words
                for code in codes
                for term in analysis.terms(word, code)
            )
        ),
        by_language=MappingProxyType(by_language),
        excluded_phrases=tuple(map(fold, _EXCLUDED_PHRASE.findall(text))),
    )


def guess_language(text: str, languages: Sequence[str] = ()) -> str:
    """The likely language: by script, by function words, else the first, else English."""
    hinted = script_language(text)
    if hinted:
        return hinted
    words = set(_SPOKEN.findall(unicodedata.normalize("NFKC", text).casefold()))
    preferred = [code for code in map(primary_language, languages) if code in STOPWORDS]
    candidates = list(dict.fromkeys([*preferred, "en", *STOPWORDS]))
    best = max(candidates, key=lambda code: len(words & STOPWORDS[code]))  # ties: the earlier one
    return best if words & STOPWORDS[best] else next(iter(preferred), "en")


def fold(text: str) -> str:
    """Text for comparing phrases: NFKC, case folded, runs of white space as one space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
