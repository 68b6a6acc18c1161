"""Many pages read in parallel by a deadline, without an engine: the database is a dict here."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from app.domains.library.pages.store import Copy
from app.domains.library.pages.visits import NOINDEX, SLOW, Visit
from app.engine.sandbox.visit import READ, UNCHANGED
from tests.patience import PATIENCE_SECONDS
from tests.unit.workers.searches import made
from workers import page_reader
from workers.page_reader import ReadablePage, read_pages

URLS = [f"https://e.org/{n}" for n in range(5)]


class Kept:
    """Copies by address, and their snapshots."""

    def __init__(self) -> None:
        self.copies: dict[str, Copy] = {}
        self.snapshots: dict[Any, Any] = {}
        self.recorded: list[str] = []

    def keep(self, url: str, *, fresh: bool) -> None:
        snapshot = made.snapshot(url)
        self.snapshots[snapshot.id] = snapshot
        self.copies[url] = Copy(url, snapshot.id, [], None, None, fresh)

    def record(self, _: Any, visits: Sequence[Visit]) -> None:
        self.recorded += [visit.url for visit in visits]
        for visit in visits:
            if visit.outcome == READ:
                self.keep(visit.url, fresh=True)
            elif visit.withdraws:
                self.copies.pop(visit.url, None)

    def found(self, _: Any, urls: Sequence[str], *, fresh_seconds: float) -> Mapping[str, Copy]:
        return {url: self.copies[url] for url in urls if url in self.copies}


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Kept:
    kept = Kept()
    monkeypatch.setattr(page_reader.db, "reading", no_database)
    monkeypatch.setattr(page_reader.pages, "copies", kept.found)
    monkeypatch.setattr(page_reader.pages, "record", kept.record)
    monkeypatch.setattr(page_reader.passages, "snapshots", lambda tx, ids: kept.snapshots)
    return kept


@contextmanager
def no_database() -> Iterator[None]:
    yield None


class Work(made.Work):
    step = staticmethod(no_database)


class Visitor:
    """Visits by a function of the address that gives the outcome."""

    def __init__(self, outcome: Callable[[str], str]) -> None:
        self.outcome, self.visited = outcome, list[str]()

    def warm(self) -> None:
        """Nothing to prepare."""

    def visit(self, url: str, copy: Copy | None, deadline: float) -> Visit:
        self.visited.append(url)
        return Visit(url=url, outcome=self.outcome(url), fetched_at=datetime.now(UTC))


def read(
    visitor: Visitor, seconds: float = 30.0, attempt: made.Work | None = None, **more: Any
) -> dict[str, ReadablePage | str]:
    progress = more.get("progress", lambda *_: None)
    attempt = attempt or Work()
    return read_pages(cast(Any, attempt), cast(Any, visitor), URLS, seconds, progress)


def test_every_page_is_read_and_kept(kept: Kept) -> None:
    found = read(Visitor(lambda url: READ))
    assert all(isinstance(page, ReadablePage) and not page.stale for page in found.values())
    assert kept.recorded == list(found) == URLS


def test_a_fresh_copy_is_not_visited(kept: Kept) -> None:
    kept.keep(URLS[0], fresh=True)
    visitor = Visitor(lambda url: READ)
    read(visitor)
    assert sorted(visitor.visited) == URLS[1:]


def test_what_was_not_read_says_why(kept: Kept) -> None:
    found = read(Visitor(lambda url: NOINDEX if url == URLS[1] else READ))
    assert found[URLS[1]] == NOINDEX


def test_an_old_copy_stands_in_for_a_page_that_was_not_reached(kept: Kept) -> None:
    for url in URLS:
        kept.keep(url, fresh=False)
    found = read(Visitor(lambda url: "too_costly"))
    assert all(isinstance(page, ReadablePage) and page.stale for page in found.values())
    assert kept.recorded == []


def test_a_confirmed_copy_is_not_stale(kept: Kept) -> None:
    kept.keep(URLS[0], fresh=False)
    page = read(Visitor(lambda url: UNCHANGED))[URLS[0]]
    assert isinstance(page, ReadablePage)
    assert not page.stale


def test_a_withdrawn_page_takes_its_copy_with_it(kept: Kept) -> None:
    kept.keep(URLS[0], fresh=False)
    assert read(Visitor(lambda url: "http_404"))[URLS[0]] == "http_404"


def test_pages_are_visited_at_the_same_time(kept: Kept) -> None:
    together = threading.Barrier(len(URLS), timeout=PATIENCE_SECONDS)

    def meet(url: str) -> str:
        together.wait()
        return READ

    assert all(isinstance(page, ReadablePage) for page in read(Visitor(meet)).values())


def test_a_page_that_does_not_come_by_the_deadline_is_slow_and_the_others_are_read(
    kept: Kept,
) -> None:
    over = threading.Event()

    def hang(url: str) -> str:
        if url == URLS[2]:
            over.wait(PATIENCE_SECONDS)
        return READ

    found = read(Visitor(hang), seconds=2.0)
    over.set()
    assert found[URLS[2]] == SLOW
    assert sum(isinstance(page, ReadablePage) for page in found.values()) == len(URLS) - 1


def test_an_attempt_that_is_lost_meanwhile_waits_for_no_page(kept: Kept) -> None:
    over = threading.Event()

    class Lost(Exception):
        pass

    class LostWork(Work):
        def check(self) -> None:
            raise Lost

    with pytest.raises(Lost):
        read(Visitor(lambda url: str(over.wait(600))), 600.0, LostWork())
    over.set()


def test_progress_counts_pages_done_and_names_those_read(kept: Kept) -> None:
    reported: list[tuple[int, int, list[str]]] = []
    read(
        Visitor(lambda url: NOINDEX if url == URLS[1] else READ),
        progress=lambda total, done, pages: reported.append((total, done, [x.url for x in pages])),
    )
    assert reported[-1] == (5, 5, [url for url in URLS if url != URLS[1]])
