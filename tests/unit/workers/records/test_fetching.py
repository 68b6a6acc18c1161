"""Pages are fetched ahead of their reader, and each host as it wants to be asked."""

import threading
from collections import Counter
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from app.domains.records.page_jobs.runs.page_store import JobPage
from app.engine.fetch import Response
from tests.patience import PATIENCE_SECONDS
from tests.servers import until
from workers.records.lanes import fetch
from workers.records.lanes.fetch import THREADS, Fetched, FetchQueue
from workers.records.lanes.web import HostResting


def page(n: int, host: str) -> JobPage:
    return JobPage(
        id=uuid4(), run_id=uuid4(), n=n, url=f"https://{host}/{n}", host=host, depth=0,
        state="taken", part_id=None, tries=0, outcome=None, verdict=None, snapshot_id=None,
        records=0, fetched_at=None,
    )  # fmt: skip


class Hosts:
    """Counts how many pages of a host are being fetched at once."""

    def __init__(self, resting: str = "", body: bytes = b"") -> None:
        self.resting, self.at_once, self.most = resting, Counter[str](), Counter[str]()
        self.asked, self.body = Counter[str](), body
        self.lock = threading.Lock()
        self.together = threading.Barrier(THREADS)

    def fetch(self, page: JobPage) -> Fetched:
        if page.host == self.resting:
            raise HostResting(7.0)
        with self.lock:
            self.asked[page.host] += 1
            self.at_once[page.host] += 1
            self.most[page.host] = max(self.most[page.host], self.at_once[page.host])
        with self.lock:
            self.at_once[page.host] -= 1
        return Response(200, page.url, {}, self.body, datetime.now(UTC))

    def fetch_together(self, page: JobPage) -> Fetched:
        self.together.wait(PATIENCE_SECONDS)
        return "http_404"


def nothing() -> None:
    """No check."""


def test_every_page_comes() -> None:
    pages = [page(n, f"h{n % 3}.test") for n in range(20)]
    came = [p.n for p, _ in FetchQueue(Hosts().fetch, nothing).run(pages, [], 60)]
    assert sorted(came) == list(range(20))


def test_a_host_that_needs_a_pause_is_asked_for_one_page_at_a_time() -> None:
    hosts = Hosts()
    list(FetchQueue(hosts.fetch, nothing).run([page(n, "h.test") for n in range(20)], [], 60))
    assert hosts.most["h.test"] == 1


def test_a_host_that_needs_none_is_asked_for_several_at_once() -> None:
    pages = [page(n, "h.test") for n in range(2 * THREADS)]
    came = list(FetchQueue(Hosts().fetch_together, nothing).run(pages, ["h.test"], 60))
    assert len(came) == 2 * THREADS


def test_the_pages_of_a_host_that_rests_do_not_come_and_it_is_said_for_how_long() -> None:
    fetching = FetchQueue(Hosts(resting="a.test").fetch, nothing)
    pages = [page(1, "a.test"), page(2, "b.test"), page(3, "a.test"), page(4, "b.test")]
    came = [p.n for p, _ in fetching.run(pages, [], 60)]
    assert (came, fetching.rest_seconds) == ([2, 4], 7.0)


def test_when_the_time_is_over_what_is_on_its_way_still_comes() -> None:
    pages = [page(n, f"h{n}.test") for n in range(4)] + [page(9, "h0.test")]
    came = [p.n for p, _ in FetchQueue(Hosts().fetch, nothing).run(pages, [], 0)]
    assert sorted(came) == [0, 1, 2, 3]


def test_a_slow_reader_is_fetched_ahead_of_by_so_many_pages_and_no_more() -> None:
    hosts = Hosts()
    pages = [page(n, f"h{n}.test") for n in range(3 * THREADS)]
    coming = FetchQueue(hosts.fetch, nothing).run(pages, [], 60)
    next(coming)
    assert sum(hosts.asked.values()) <= THREADS
    coming.close()


def test_nothing_more_is_fetched_while_too_many_bytes_wait_for_their_reader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fetch, "AHEAD_BYTES", 1)
    hosts, both = Hosts(body=b"a page"), threading.Barrier(2)

    def fetched(page: JobPage) -> Fetched:
        if page.n < 2:
            both.wait(PATIENCE_SECONDS)
        return hosts.fetch(page)

    queue = FetchQueue(fetched, nothing)
    coming = queue.run([page(n, f"h{n % 2}.test") for n in range(4)], [], 60)
    next(coming)
    until(lambda: queue._held_bytes() == len(b"a page"))
    next(coming)
    assert sum(hosts.asked.values()) == 2
    assert len(list(coming)) == 2


def test_a_check_that_raises_ends_the_fetching() -> None:
    def check() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        list(FetchQueue(Hosts().fetch, check).run([page(1, "a.test")], [], 60))
