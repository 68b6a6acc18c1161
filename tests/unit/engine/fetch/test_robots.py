"""robots.txt is found, read, kept, and believed as RFC 9309 says."""

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from app.core.config.allow_list import parse_allow_list
from app.engine.fetch import FetchFailed, MemoryCache, Robots, Rules, parse
from app.engine.fetch.robots import MAX_BYTES
from tests.unit.engine.fetch.loopback import (
    POLICY,
    PUBLIC,
    Answer,
    Wires,
    always,
    by_path,
    redirect,
    serving,
)

SITE = "http://example.com"
RULES = b"""User-agent: *
Disallow: /all

User-agent: Citegrid
Disallow: /private
Allow: /private/open
Crawl-delay: 7

Sitemap: http://example.com/sitemap.xml
Sitemap: http://example.com/news.xml
"""


@dataclass
class NotedCache:
    """A cache that tells how long it was asked to keep."""

    kept: dict[str, tuple[str, int]] = field(default_factory=dict)

    def get(self, origin: str) -> str | None:
        return self.kept[origin][0] if origin in self.kept else None

    def put(self, origin: str, text: str, ttl_seconds: int) -> None:
        self.kept[origin] = (text, ttl_seconds)


def allowed(answer: Answer, path: str = "/page") -> bool:
    with serving(answer) as server:
        return Robots(Wires(server.port).fetcher()).allowed(SITE + path)


def test_rules_that_were_read_are_not_parsed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse_rules = Protego.parse
    monkeypatch.setattr(Protego, "parse", lambda text: parsed.append(text) or parse_rules(text))
    with serving(always(b"User-agent: *\nDisallow: /seen-once")) as server:
        robots = Robots(Wires(server.port).fetcher())
        assert [robots.allowed(f"{SITE}{path}") for path in ("/a", "/seen-once")] == [True, False]
    assert len(parsed) == 1


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/", True), ("/all", True), ("/private/a", False), ("/private/open/a", True)],
)
def test_our_own_group_counts_and_the_longer_rule_wins(path: str, expected: bool) -> None:
    assert allowed(always(RULES), path) is expected


def test_delay_and_sitemaps_are_told() -> None:
    with serving(always(RULES)) as server:
        robots = Robots(Wires(server.port).fetcher())
        assert robots.crawl_delay(SITE) == 7.0
        assert robots.sitemaps(SITE) == (f"{SITE}/sitemap.xml", f"{SITE}/news.xml")


@pytest.mark.parametrize(("asked", "kept"), [("3600", 60.0), ("-1", 0.0), ("inf", 0.0)])
def test_a_crawl_delay_is_between_nothing_and_a_minute(asked: str, kept: float) -> None:
    text = f"User-agent: *\nCrawl-delay: {asked}"
    assert Rules(Protego.parse(text), unreachable=False).crawl_delay_seconds == kept


@given(st.text(alphabet="User-agent: *\nDisallow/Crawl-delay:9.e$%é\0Request-rate", max_size=200))
def test_no_robots_txt_breaks_the_reading_of_it(text: str) -> None:
    rules = Rules(Protego.parse("User-agent: *\n" + text), unreachable=False)
    assert rules.allow(parse(SITE, POLICY)) in {True, False}
    assert 0 <= rules.crawl_delay_seconds <= 60


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("404 Not Found", True),
        ("429 Too Many Requests", False),
        ("503 Service Unavailable", False),
    ],
)
def test_a_missing_file_allows_and_a_failing_server_does_not(status: str, expected: bool) -> None:
    assert allowed(always(RULES, status=status)) is expected


def test_no_answer_disallows_and_is_soon_asked_again() -> None:
    cache = NotedCache()
    with serving(lambda _, line: None) as server:
        robots = Robots(Wires(server.port).fetcher(), cache)
        assert robots.rules(parse(SITE, POLICY)).unreachable
    assert [ttl for _, ttl in cache.kept.values()] == [60]


def test_an_answer_is_kept_for_a_day_for_its_origin_only() -> None:
    cache = NotedCache()
    with serving(always(RULES)) as server:
        robots = Robots(Wires(server.port).fetcher(), cache)
        for url in (f"{SITE}/a", f"{SITE}/b", "http://www.example.com/a"):
            robots.allowed(url)
    assert [seen.url for seen in server.seen] == [
        f"{SITE}/robots.txt",
        "http://www.example.com/robots.txt",
    ]
    assert {origin: ttl for origin, (_, ttl) in cache.kept.items()} == {
        SITE: 86400,
        "http://www.example.com": 86400,
    }


def test_robots_txt_is_read_whatever_type_it_claims_and_wherever_it_moved() -> None:
    pages = {
        "/robots.txt": redirect("http://www.example.com/r"),
        "/r": always(b"\xef\xbb\xbf" + RULES, media_type="application/octet-stream"),
    }
    assert not allowed(by_path(pages), "/private/a")


def test_robots_txt_goes_through_the_same_guard() -> None:
    with serving(redirect("http://169.254.169.254/")) as server:
        wires = Wires(server.port)
        assert not Robots(wires.fetcher()).allowed(SITE)
    assert wires.dialled == [(PUBLIC, 80)]


def test_a_file_too_long_is_read_up_to_its_last_whole_line() -> None:
    rules = b"User-agent: *\nDisallow: /\n"
    cut_rule = b"Allow: /public-and-nothing-else\n"
    comment = b"#" * (MAX_BYTES - len(rules) - len(b"Allow: /") - 1) + b"\n"
    assert not allowed(always(rules + comment + cut_rule), "/secret")


def test_a_refused_url_is_refused_before_its_robots_txt_is_asked_for() -> None:
    wires = Wires(0)
    with pytest.raises(FetchFailed, match="address_not_allowed"):
        Robots(wires.fetcher()).allowed("http://10.0.0.1/")
    assert wires.dialled == []


def test_a_listed_host_is_asked_for_its_rules_too() -> None:
    policy = replace(POLICY, allow=parse_allow_list("wiki.corp:8080"))
    with serving(always(RULES)) as server:
        robots = Robots(Wires(server.port, {"wiki.corp": ["10.0.0.5"]}).fetcher(policy))
        assert not robots.allowed("http://wiki.corp:8080/private")


def test_the_memory_cache_forgets_the_oldest_when_it_is_full() -> None:
    cache = MemoryCache(max_characters=10)
    for origin in ("a", "b", "c"):
        cache.put(origin, "1234", 60)
    assert [cache.get(origin) for origin in ("a", "b", "c")] == [None, "1234", "1234"]


def test_the_memory_cache_forgets_what_has_expired() -> None:
    cache = MemoryCache()
    cache.put("a", "text", 0)
    assert cache.get("a") is None


def test_a_text_put_twice_weighs_once() -> None:
    cache = MemoryCache(max_characters=10)
    for _ in range(3):
        cache.put("a", "1234", 60)
    cache.put("b", "1234", 60)
    assert cache.get("a") == "1234"
