"""Pages of offers: the next 200 by id, and inside a page those first that can be used now.

The cursor is the greatest id of the page, not the last one shown: so a walk over all pages sees
each offer that is there all the time exactly once, whatever comes, goes and changes meanwhile.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

MOST: Final = 200
AVAILABILITY: Final = ("available", "busy", "offline")
_RANK: Final = {name: rank for rank, name in enumerate(AVAILABILITY)}


class _Offered(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def availability(self) -> str: ...


Offer = TypeVar("Offer", bound=_Offered)


@dataclass(frozen=True, slots=True)
class OfferPage(Generic[Offer]):
    """`next_cursor` is None on the last page."""

    offers: list[Offer]
    next_cursor: str | None

    @property
    def has_more(self) -> bool:
        return self.next_cursor is not None


def page(offers: Sequence[Offer], most: int = MOST) -> OfferPage[Offer]:
    """The page of up to `most` + 1 offers found, which are in the order of their ids."""
    kept = offers[:most]
    cursor = kept[-1].id if len(offers) > most else None
    return OfferPage(sorted(kept, key=lambda offer: _RANK[offer.availability]), cursor)
