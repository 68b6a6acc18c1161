"""The queries to engines: the question within their limits, and further questions it leads to."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from app.engine.search.query import Query
from app.engine.search.score_scale import Analysed
from app.engine.text import analysis

MOST_CHARACTERS, MOST_WORDS = 400, 50  # Brave refuses more
_BESIDE_OPERATORS = 0.6  # the share of it that is the question's when there are operators
_BETWEEN = re.compile(r"\s+(?:and|und|vs\.?|versus)\s+|[?;]\s+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_][\w-]{3,30}")
_ADDED, _KEPT, _PARTS = 2, 4, 2


def restricted(text: str, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> str:
    """`text` with `site:` operators, cut to what every engine takes.

    Operators that do not fit are left out, the including ones all together: some alone would hide
    the sites of the others. Results have to be checked in any case.
    """
    operators = [f"-site:{domain}" for domain in exclude]
    if include:
        sites = " OR ".join(f"site:{domain}" for domain in include)
        operators.insert(0, f"({sites})" if len(include) > 1 else sites)
    kept = _BESIDE_OPERATORS if operators else 1.0
    words = text.split()[: int(kept * MOST_WORDS)]
    text = " ".join(words)[: int(kept * MOST_CHARACTERS)].strip()
    for operator in operators:
        longer = f"{text} {operator}".strip()
        if len(longer) <= MOST_CHARACTERS and len(longer.split()) <= MOST_WORDS:
            text = longer
    return text


def follow_ups(
    query: Query, best: Sequence[Analysed], every: Sequence[Analysed], most: int
) -> list[str]:
    """Up to `most` further queries: the parts of a question that has several, then its rarest words
    with the words that mark its best passages off from all that were read (pseudo-relevance
    feedback, Rocchio 1971)."""
    found = [*_parts(query), *_expanded(query, best, every)]
    known = " ".join(query.text.split()).casefold()
    return [x for x in dict.fromkeys(found) if x.casefold() != known][:most]


def _parts(query: Query) -> list[str]:
    parts = [" ".join(part.split()) for part in _BETWEEN.split(query.text) if part.strip()]
    telling = [x for x in parts if len(analysis.terms(x, query.language)) > 1]
    return telling[:_PARTS] if len(parts) > 1 and not query.phrases else []


def _expanded(query: Query, best: Sequence[Analysed], every: Sequence[Analysed]) -> list[str]:
    df = Counter(term for _, terms in every for term in set(terms))
    within = Counter(term for _, terms in best for term in set(terms))

    def rarity(term: str) -> float:
        return math.log((len(every) + 1) / (df[term] + 0.5))

    spelled = _spellings(best)
    own = set(query.terms)
    telling = [t for t in spelled if within[t] > 1 and t not in own and rarity(t) > 0]
    added = sorted(telling, key=lambda t: (-within[t] * rarity(t), t))[:_ADDED]
    question_terms = {
        word: terms[0]
        for word in re.findall(r"[\w-]+", query.text)
        if (terms := analysis.terms(word, query.language)) and terms[0] in own
    }
    kept = sorted(question_terms, key=lambda word: -rarity(question_terms[word]))[:_KEPT]
    if not added or not kept:
        return []
    return [
        " ".join([*(word for word in question_terms if word in kept), *(spelled[t] for t in added)])
    ]


def _spellings(passages: Sequence[Analysed]) -> dict[str, str]:
    """Returns how each term of the passages is mostly written there."""
    written: dict[str, Counter[str]] = {}
    for passage, _ in passages:
        for word in _WORD.findall(passage.text):
            terms = analysis.terms(word, passage.language)
            if len(terms) == 1:
                written.setdefault(terms[0], Counter())[word] += 1
    return {term: words.most_common(1)[0][0] for term, words in written.items()}
