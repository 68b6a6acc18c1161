"""Visiting pages by a deadline: no database is asked here, and no site."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from app.domains.library.pages.visits import NOINDEX, SLOW, Visit
from app.engine.sandbox.visit import READ
from tests.patience import PATIENCE_SECONDS
from tests.unit.workers.searches import made
from workers import page_reader

URLS = [f"https://e.org/{n}" for n in range(3)]
Told = list[tuple[int, int, list[str]]]


class Lost(Exception):
    pass


class LostWork(made.Work):
    def check(self) -> None:
        raise Lost


class Visitor:
    """Reads the first page, may not read the second, and waits for the third until `over`."""

    def __init__(self) -> None:
        self.over = threading.Event()

    def visit(self, url: str, *_: object) -> Visit:
        if url == URLS[2]:
            self.over.wait(PATIENCE_SECONDS)
        outcome = NOINDEX if url == URLS[1] else READ
        return Visit(url=url, outcome=outcome, fetched_at=datetime.now(UTC))


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    visitor = Visitor()
    yield visitor
    visitor.over.set()


def visited(visitor: Visitor, urls: list[str], seconds: float, **more: Any) -> tuple[Any, Told]:
    """The outcomes by address, and what was told meanwhile."""
    told: Told = []
    work = cast(Any, more.get("work", made.Work()))
    visits = page_reader._visit(
        work, cast(Any, visitor), urls, {}, seconds,
        lambda total, done, read: told.append((total, done, [visit.url for visit in read])),
    )  # fmt: skip
    return {url: visit.outcome for url, visit in visits.items()}, told


def test_a_page_that_does_not_come_by_the_deadline_is_slow(visitor: Visitor) -> None:
    outcomes, _ = visited(visitor, URLS, 2.0)
    assert outcomes == dict(zip(URLS, [READ, NOINDEX, SLOW], strict=True))


def test_progress_counts_pages_done_and_names_those_read(visitor: Visitor) -> None:
    assert visited(visitor, URLS[:2], PATIENCE_SECONDS)[1][-1] == (2, 2, URLS[:1])


def test_an_attempt_that_is_lost_meanwhile_waits_for_no_page(visitor: Visitor) -> None:
    with pytest.raises(Lost):
        visited(visitor, URLS[2:], PATIENCE_SECONDS, work=LostWork())
