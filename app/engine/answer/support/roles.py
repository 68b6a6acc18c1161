"""The roles in a sentence: its names and numbers stand with the same words in its quote."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from app.engine.answer.quotes.folded_text import fold, tokens
from app.engine.answer.support.names import CAPITAL_NOUNS, Terms, names
from app.engine.answer.support.polarity import CLAUSE_END
from app.engine.text.stopwords import NO_STOPWORDS, STOPWORDS

_NEIGHBOURS = 2
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word by its term; `kind` is "name", "number" or empty, `clause` counts from 0."""

    term: str
    kind: str
    clause: int


def exchanged(claim: str, quote: str, language: str, terms: Terms) -> bool:
    """True if names or numbers of the claim stand in other clauses of the quote than they should.

    A rival is a name, or a number, of the quote that the claim does not have. One of the claim is
    taken for exchanged when a rival of its kind stands where its neighbours stand, and it does not:
    the two nearest words of the claim that are neither, and that the quote has. Two of the claim
    are when they never share a clause, and each shares one with a rival of the other. Exchanges
    inside one clause are not seen.
    """
    named = _named(quote, language)
    shared = _named(claim, language) & named
    claimed = _words(claim, language, terms, shared.union(_certain(claim, language)))
    quoted = _words(quote, language, terms, named)
    own = {word.term for word in claimed}
    clauses: dict[str, set[int]] = defaultdict(set)
    rivals: dict[str, set[int]] = defaultdict(set)
    for word in quoted:
        clauses[word.term].add(word.clause)
        if word.term not in own:
            rivals[word.kind].add(word.clause)
    occurrences = [(i, x) for i, x in enumerate(claimed) if x.kind and x.term in clauses]
    apart = any(
        _elsewhere(clauses[x.term], rivals[x.kind], _neighbours(claimed, i, clauses))
        for i, x in occurrences
    )
    if apart or language in CAPITAL_NOUNS:  # where every noun is a name, too much looks crossed
        return apart
    return any(
        _crossed(clauses[a.term], rivals[a.kind], clauses[b.term], rivals[b.kind])
        for (_, a), (_, b) in combinations(occurrences, 2)
    )


def _elsewhere(here: set[int], rivals: set[int], near: Sequence[set[int]]) -> bool:
    return bool(near) and all(there & rivals and not there & here for there in near)


def _crossed(a: set[int], rivals_of_a: set[int], b: set[int], rivals_of_b: set[int]) -> bool:
    return not a & b and bool(b & rivals_of_a) and bool(a & rivals_of_b)


def _named(text: str, language: str) -> set[str]:
    """Words with a capital, those that begin a sentence included: who acts often begins it.

    Where every noun has one, only those beside another: "Anna Wolf".
    """
    common = STOPWORDS.get(language, NO_STOPWORDS)
    words = _WORD.findall(fold(text).text)
    capital = [x != x.lower() and x.casefold() not in common for x in words]
    if language in CAPITAL_NOUNS:
        beside = [False, *(a and b for a, b in pairwise(capital)), False]
        capital = [a or b for a, b in pairwise(beside)]
    return {word.casefold() for word, is_name in zip(words, capital, strict=True) if is_name}


def _certain(claim: str, language: str) -> set[str]:
    """Names that are names whatever the quote says."""
    if language in CAPITAL_NOUNS:
        return set()
    return {part.casefold() for name in names(claim, language) for part in re.split("[-&]", name)}


def _words(text: str, language: str, terms: Terms, called: Collection[str]) -> list[_Word]:
    plain = fold(text).text
    ends = [match.start() for match in CLAUSE_END.finditer(plain)]
    common = STOPWORDS.get(language, NO_STOPWORDS)
    words = []
    for word, start, _ in tokens(plain):
        if word not in common:
            number = "number" if any(x.isdigit() for x in word) else ""
            kind = number or ("name" if word in called else "")
            clause = sum(end < start for end in ends)
            words.append(_Word(next(iter(terms(word)), word), kind, clause))
    return words


def _neighbours(
    claimed: Sequence[_Word], at: int, clauses: Mapping[str, set[int]]
) -> list[set[int]]:
    """The clauses of the nearest words that are neither names nor numbers."""
    order = sorted(range(len(claimed)), key=lambda i: (abs(i - at), i))
    plain = [claimed[i].term for i in order if not claimed[i].kind]
    return [clauses[term] for term in plain if term in clauses][:_NEIGHBOURS]
