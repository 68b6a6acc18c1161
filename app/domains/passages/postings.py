"""Terms of passages turned into the columns that one statement writes."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

MOST = 32_767  # two counts share an int; more of a term changes no score that matters


@dataclass(slots=True)
class Postings:
    """Three columns of equal length, one entry per distinct term of a passage.

    `counts` is the term's frequency in the passage << 16 | the passage's length in terms: one array
    less to unnest makes a query a third faster than two of smallint.
    """

    lexemes: list[str] = field(default_factory=list)
    passages: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)

    def frequency_of_lexemes(self) -> Counter[str]:
        """In how many of these passages each lexeme occurs."""
        return Counter(self.lexemes)


def build(terms: Iterable[tuple[int, list[str]]]) -> Postings:
    """The postings of (passage id, its terms with repeats)."""
    postings = Postings()
    for passage, own in terms:
        counts = Counter(own)
        postings.lexemes.extend(counts)
        postings.passages.extend([passage] * len(counts))
        length = min(len(own), MOST)
        postings.counts.extend(min(count, MOST) << 16 | length for count in counts.values())
    return postings
