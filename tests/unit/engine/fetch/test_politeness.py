"""A turn for every request, and no forbidden page."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pytest

from app.core.config.allow_list import parse_allow_list
from app.engine.fetch import FetchFailed, LocalGate, PoliteFetcher
from app.engine.sandbox import visit
from tests.patience import PATIENCE_SECONDS
from tests.unit.engine.fetch.loopback import (
    POLICY,
    Answer,
    Server,
    Wires,
    always,
    by_path,
    redirect,
    serving,
)

PAGE = "http://example.com/page"


def soon(seconds: float = PATIENCE_SECONDS) -> float:
    return time.monotonic() + seconds


@dataclass
class NotedGate:
    """A gate that is always open and writes down what it was asked."""

    turns: list[tuple[str, float]] = field(default_factory=list)
    deferred: list[tuple[str, float]] = field(default_factory=list)

    @contextmanager
    def turn(self, host: str, gap_seconds: float, deadline: float) -> Iterator[None]:
        self.turns.append((host, gap_seconds))
        yield

    def defer(self, host: str, seconds: float) -> None:
        self.deferred.append((host, seconds))


def site(page: Answer, robots: Answer | None = None) -> Answer:
    return by_path({"/robots.txt": robots or always(b"", status="404 Not Found"), "/page": page})


def polite(server: Server, gate: NotedGate) -> PoliteFetcher:
    return PoliteFetcher(Wires(server.port).fetcher(), gate)


def test_a_page_takes_a_turn_for_its_rules_and_a_turn_for_itself() -> None:
    gate = NotedGate()
    with serving(site(always())) as server:
        fetcher = polite(server, gate)
        for _ in range(2):
            assert fetcher.get(PAGE, deadline=soon()).body == b"hello"
    assert [seen.path for seen in server.seen] == ["/robots.txt", "/page", "/page"]
    assert gate.turns == [("example.com", 1.0)] * 3


@pytest.mark.parametrize("status", ["206 Partial Content", "404 Not Found"])
def test_what_is_not_the_whole_page_is_an_outcome(status: str) -> None:
    with serving(site(always(status=status))) as server:
        assert visit.fetch(polite(server, NotedGate()), PAGE, soon()) == f"http_{status[:3]}"


def test_a_crawl_delay_lengthens_the_gap() -> None:
    gate = NotedGate()
    with serving(site(always(), always(b"User-agent: *\nCrawl-delay: 5"))) as server:
        polite(server, gate).get(PAGE, deadline=soon())
    assert gate.turns[-1] == ("example.com", 5.0)


@pytest.mark.parametrize(("robots", "gap"), [(b"", 0.0), (b"User-agent: *\nCrawl-delay: 5", 5.0)])
def test_a_listed_host_has_no_gap_but_the_one_it_asks_for(robots: bytes, gap: float) -> None:
    gate = NotedGate()
    policy = replace(POLICY, allow=parse_allow_list("wiki.corp"))
    with serving(site(always(), always(robots))) as server:
        fetcher = Wires(server.port, {"wiki.corp": ["10.0.0.5"]}).fetcher(policy)
        PoliteFetcher(fetcher, gate).get("http://wiki.corp/page", deadline=soon())
    assert gate.turns[-1] == ("wiki.corp", gap)


def test_a_forbidden_page_is_not_asked_for() -> None:
    answer = site(always(), always(b"User-agent: *\nDisallow: /"))
    with serving(answer) as server, pytest.raises(FetchFailed) as caught:
        polite(server, NotedGate()).get(PAGE, deadline=soon())
    assert (caught.value.reason, caught.value.retryable) == ("robots_disallowed", False)
    assert [seen.path for seen in server.seen] == ["/robots.txt"]


def test_a_page_whose_robots_txt_does_not_answer_may_be_asked_for_later() -> None:
    pages = {"/robots.txt": always(status="503 Service Unavailable"), "/page": always()}
    with serving(by_path(pages)) as server, pytest.raises(FetchFailed) as caught:
        polite(server, NotedGate()).get(PAGE, deadline=soon())
    assert (caught.value.reason, caught.value.retryable) == ("robots_unreachable", True)


def test_a_page_that_redirects_to_a_forbidden_one_is_not_used() -> None:
    pages = {
        "/robots.txt": always(b"User-agent: *\nDisallow: /hidden"),
        "/page": redirect("/hidden"),
        "/hidden": always(),
    }
    with serving(by_path(pages)) as server, pytest.raises(FetchFailed, match="robots_disallowed"):
        polite(server, NotedGate()).get(PAGE, deadline=soon())


@pytest.mark.parametrize(("asked", "rest"), [("120", 120.0), ("999999", 3600.0)])
def test_retry_after_lets_the_host_rest(asked: str, rest: float) -> None:
    gate = NotedGate()
    headers = [f"Retry-After: {asked}"]
    with serving(site(always(status="503 Unavailable", headers=headers))) as server:
        assert polite(server, gate).get(PAGE, deadline=soon()).status == 503
    assert gate.deferred == [("example.com", rest)]


def test_a_turn_that_does_not_come_fails_the_fetch_as_a_timeout() -> None:
    gate = LocalGate()
    gate.defer("example.com", 60.0)
    with serving(site(always())) as server, pytest.raises(FetchFailed) as caught:
        PoliteFetcher(Wires(server.port).fetcher(), gate).get(PAGE, deadline=soon(0.05))
    assert (caught.value.reason, caught.value.retryable) == ("timeout", True)
    assert server.seen == []
