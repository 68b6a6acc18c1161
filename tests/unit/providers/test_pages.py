"""A walk over pages sees what is there all the time exactly once."""

from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from app.domains.providers.providers.offer_pages import AVAILABILITY, OfferPage, page

IDS = st.integers(0, 2**64).map(lambda number: f"{number:020}")
STATES = st.sampled_from(AVAILABILITY)
CHANGES = st.lists(st.tuples(st.sampled_from(["come", "go", "turn"]), IDS, STATES), max_size=40)


@dataclass(frozen=True)
class Offer:
    id: str
    availability: str


def read(offers: dict[str, str], after: str | None, most: int) -> OfferPage[Offer]:
    ids = sorted(id for id in offers if after is None or id > after)[: most + 1]
    return page([Offer(id, offers[id]) for id in ids], most)


def walk(
    offers: dict[str, str], changes: Iterator[tuple[str, str, str]], most: int, always: set[str]
) -> Iterator[OfferPage[Offer]]:
    """All pages, while other offers than those in `always` come and go, and any changes state."""
    after: str | None = None
    while True:
        found = read(offers, after, most)
        yield found
        if found.next_cursor is None:
            return
        after = found.next_cursor
        for (what, id, state), _ in zip(changes, range(3), strict=False):
            if what == "turn" and offers:
                offers[min(offers, key=lambda known: (known < id, known))] = state
            elif what == "come":
                offers.setdefault(id, state)
            elif id not in always:
                offers.pop(id, None)


@given(st.dictionaries(IDS, STATES, max_size=60), st.sets(IDS), CHANGES, st.integers(1, 7))
def test_what_is_always_there_is_seen_exactly_once(
    offers: dict[str, str], strays: set[str], changes: list[tuple[str, str, str]], most: int
) -> None:
    always = set(offers)
    offers |= dict.fromkeys(strays - always, "busy")
    moves = iter([*changes, *(("go", id, "") for id in sorted(strays))])
    seen = [offer.id for found in walk(offers, moves, most, always) for offer in found.offers]
    assert len(seen) == len(set(seen))
    assert always <= set(seen)


@given(st.dictionaries(IDS, STATES, max_size=20), st.integers(1, 7))
def test_a_page_shows_first_what_can_be_used(offers: dict[str, str], most: int) -> None:
    shown = read(offers, None, most).offers
    rank = [(AVAILABILITY.index(offer.availability), offer.id) for offer in shown]
    assert rank == sorted(rank)


@given(st.dictionaries(IDS, STATES, max_size=20), st.integers(1, 7))
def test_the_cursor_is_the_greatest_id_of_the_page(offers: dict[str, str], most: int) -> None:
    found = read(offers, None, most)
    if found.has_more:
        assert found.next_cursor == max(offer.id for offer in found.offers)
    assert found.has_more == (len(offers) > most)
