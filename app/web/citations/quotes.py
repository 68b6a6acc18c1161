"""The search for a quote in the stored text of its page: at its place, elsewhere, or not at all."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

State = Literal["quote_found", "moved", "quote_not_found_in_stored_page"]
"""Words of chips. They say what was compared, which is the quote and nothing else."""

MATCHES: Final = "quote_found"
MOVED: Final = "moved"
NOT_FOUND: Final = "quote_not_found_in_stored_page"
PAGE_CHANGED: Final = "page_has_changed"


@dataclass(frozen=True, slots=True)
class CitedQuote:
    """The quote that was cut from a text, from where, and what stood before and behind it."""

    text: str
    start: int
    end: int
    prefix: str = ""
    suffix: str = ""
    lead: tuple[int, int] | None = None
    """Where in the quote the words stand that answer, if they are a part of it."""

    @classmethod
    def of(cls, cited: Mapping[str, Any]) -> "CitedQuote":
        """Of a citation, or of a value's provenance, as the API gives them."""
        start, lead = cited["start"], None
        if "lead_start" in cited:
            lead = (cited["lead_start"] - start, cited["lead_end"] - start)
        return cls(cited["quote"], start, cited["end"], cited["prefix"], cited["suffix"], lead)


@dataclass(frozen=True, slots=True)
class ShownPlace:
    """[start, end) is empty when the quote is nowhere."""

    state: State
    start: int = 0
    end: int = 0

    @property
    def found(self) -> bool:
        return self.state != NOT_FOUND

    def narrowed(self, part: tuple[int, int] | None) -> "ShownPlace":
        """The place of a part of the quote, if there is one and the quote was found."""
        if part is None or not self.found:
            return self
        return ShownPlace(self.state, self.start + part[0], self.start + part[1])


def locate(text: str, quote: CitedQuote) -> ShownPlace:
    """Finds where to mark a quote. What is not letter by letter the quote is never marked, and a
    quote that is elsewhere is known by what stood before it, behind it, or both.
    """
    if quote.text and text[quote.start : quote.end] == quote.text:
        return ShownPlace(MATCHES, quote.start, quote.end)
    for before, behind in (
        (quote.prefix, quote.suffix),
        (quote.prefix, ""),
        ("", quote.suffix),
    ):
        at = text.find(before + quote.text + behind) if quote.text and before + behind else -1
        if at >= 0:
            start = at + len(before)
            return ShownPlace(MOVED, start, start + len(quote.text))
    return ShownPlace(NOT_FOUND)


def digest(text: str) -> str:
    """The hash of a stored text, as `content_hash` gives it."""
    return f"sha256:{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()}"
