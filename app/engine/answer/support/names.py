"""Names: those a sentence has, and whether its source has them too.

Told by capital letters, so in scripts without capitals there are none, and in German every noun
is one.
"""

import re
from collections.abc import Callable, Collection, Sequence

from app.engine.answer.quotes.folded_text import fold
from app.engine.text.scripts import WORD
from app.engine.text.stopwords import NO_STOPWORDS, STOPWORDS

Terms = Callable[[str], Collection[str]]

_WORDS = re.compile(rf"[{WORD}]+(?:[-&][{WORD}]+)*|[.!?:;…\"()]")
CAPITAL_NOUNS = frozenset({"de", "lb"})
_SHARE = 0.5  # of the names, where nouns count as such


def names(text: str, language: str) -> list[str]:
    """The names of a text in order, as they are written.

    A word at the beginning of a sentence is one only when a capital follows it or is inside it.
    """
    found: list[str] = []
    parts = _WORDS.findall(fold(text).text)
    common = STOPWORDS.get(language, NO_STOPWORDS)
    opening = True
    for word, following in zip(parts, [*parts[1:], ""], strict=True):
        telling = not opening or following[:1].isupper() or any(x.isupper() for x in word[1:])
        capital = word[0].isalpha() and word != word.lower()
        if capital and telling and word.casefold() not in common:
            found.append(word)
        opening = not word[0].isalnum()
    return found


def names_unborne(
    claim: str, quotes: Sequence[str], around: str, language: str, terms: Terms
) -> bool:
    """True if a claim has a name that its source does not.

    A name the quotes lack may stand `around` them (the title, the headings, the text before) if
    they name nobody else. Where nouns are capitalised half of them have to be in the quotes.
    """
    claimed = names(claim, language)
    quoted = {term for quote in quotes for term in terms(quote)}
    missing = [name for name in claimed if not _held(name, quoted, terms)]
    if language in CAPITAL_NOUNS:
        return len(missing) > _SHARE * len(claimed)
    if not missing:
        return False
    before = set(terms(around))
    if not all(_held(name, before, terms) for name in missing):
        return True
    own = set(terms(claim))
    return any(not _held(x, own, terms) for quote in quotes for x in names(quote, language))


def _held(name: str, among: Collection[str], terms: Terms) -> bool:
    return all(term in among for term in terms(name))
