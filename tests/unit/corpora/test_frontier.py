"""The order and the bounds of a crawl."""

from hypothesis import given
from hypothesis import strategies as st

from app.domains.library.corpora.frontier import Frontier


def drain(frontier: Frontier) -> list[str]:
    taken = []
    while (page := frontier.take()) is not None:
        taken.append(page[0])
    return taken


def test_addresses_come_out_in_the_order_they_were_found() -> None:
    frontier = Frontier(10, 5)
    frontier.add(["b", "a"], 0)
    frontier.add(["c"], 1)
    assert drain(frontier) == ["b", "a", "c"]


def test_an_address_comes_out_once() -> None:
    frontier = Frontier(10, 5)
    frontier.add(["a", "a"], 0)
    first = drain(frontier)
    frontier.add(["a"], 1)
    assert (first, drain(frontier)) == (["a"], [])


def test_what_is_too_deep_is_passed_over() -> None:
    frontier = Frontier(10, 1)
    frontier.add(["a"], 2)
    assert drain(frontier) == []


def test_an_address_another_led_to_is_claimed_once() -> None:
    frontier = Frontier(10, 5)
    assert frontier.claim("a")
    assert not frontier.claim("a")


def test_an_address_that_waits_cannot_be_claimed() -> None:
    frontier = Frontier(10, 5)
    frontier.add(["a"], 0)
    assert not frontier.claim("a")


def test_what_a_former_attempt_did_counts_and_is_not_done_again() -> None:
    frontier = Frontier(2, 5)
    frontier.done("a")
    frontier.add(["a", "b", "c"], 0)
    assert drain(frontier) == ["b"]


def test_found_is_never_more_than_the_limit() -> None:
    frontier = Frontier(3, 5)
    frontier.add(["a", "b", "c", "d"], 0)
    assert frontier.found == 3


@given(st.integers(1, 5), st.lists(st.lists(st.text(max_size=3), max_size=40), max_size=10))
def test_neither_pages_nor_memory_exceed_their_bounds(most: int, found: list[list[str]]) -> None:
    frontier = Frontier(most, 5)
    for urls in found:
        frontier.add(urls, 1)
    assert len(frontier._found) <= 20 * most
    assert len(drain(frontier)) <= most
