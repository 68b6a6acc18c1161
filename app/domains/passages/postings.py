"""Terms of passages turned into the columns that one statement writes."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

MOST = 32_767  # counts are stored as smallint; more of a term changes no score that matters


@dataclass(slots=True)
class Postings:
    """Four columns of equal length, one entry per distinct term of a passage."""

    lexemes: list[str] = field(default_factory=list)
    passages: list[int] = field(default_factory=list)
    frequencies: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)

    def frequency_of_lexemes(self) -> Counter[str]:
        """In how many of these passages each lexeme occurs."""
        return Counter(self.lexemes)


def build(terms: Iterable[tuple[int, list[str]]]) -> Postings:
    """The postings of (passage id, its terms with repeats)."""
    postings = Postings()
    for passage, own in terms:
        counts = Counter(own)
        postings.lexemes.extend(counts)
        postings.frequencies.extend(min(count, MOST) for count in counts.values())
        postings.passages.extend([passage] * len(counts))
        postings.lengths.extend([min(len(own), MOST)] * len(counts))
    return postings
