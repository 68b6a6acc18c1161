"""The adapters against engines on loopback: what they ask, what they make of hostile answers."""

import contextlib
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.origin import OriginFailed
from app.engine.web.brave import Brave
from app.engine.web.interface import EngineAnswer, HitLimits, Notice, WebEngine
from app.engine.web.searxng import SearXNG
from tests.internet import Internet, running
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port

KEY = "brave-secret"
KEYS = st.sampled_from([
    "results", "web", "url", "title", "content", "engines", "engine", "publishedDate",
    "unresponsive_engines", "page_age", "description",
])  # fmt: skip
GOOD = "https://a.example.org/x"


@pytest.fixture
def internet() -> Iterator[Internet]:
    with running() as internet:
        yield internet


@pytest.fixture
def searxng(internet: Internet) -> SearXNG:
    return SearXNG(internet.url, gap_seconds=0)


@pytest.fixture
def brave(internet: Internet) -> Brave:
    return Brave(internet.url, KEY, gap_seconds=0)


@pytest.fixture(params=["searxng", "brave"])
def either(request: pytest.FixtureRequest) -> WebEngine:
    engine: WebEngine = request.getfixturevalue(request.param)
    return engine


def search(engine: WebEngine, query: str = "owls", **how: Any) -> EngineAnswer:
    limits = HitLimits(**{"limit": 10, "freshness": None, "language": None, **how})
    return engine.search(query, limits, time.monotonic() + PATIENCE_SECONDS)


def urls(answer: EngineAnswer) -> list[str]:
    return [hit.url for hit in answer.hits]


def test_searxng_is_asked_for_json_in_the_language_and_period(
    internet: Internet, searxng: SearXNG
) -> None:
    internet.searxng(GOOD)
    search(searxng, "barn owl", language="de", freshness=timedelta(days=3))
    assert internet.queries["searxng"] == [
        {"q": "barn owl", "format": "json", "language": "de", "time_range": "week"}
    ]


def test_brave_is_asked_in_the_language_and_period(internet: Internet, brave: Brave) -> None:
    internet.brave(GOOD)
    search(brave, "barn owl", language="de", freshness=timedelta(hours=20), limit=50)
    assert internet.queries["brave"] == [
        {
            "q": "barn owl",
            "count": "20",
            "result_filter": "web",
            "text_decorations": "false",
            "search_lang": "de",
            "freshness": "pd",
        }
    ]


def test_brave_is_not_asked_in_a_language_it_refuses(internet: Internet, brave: Brave) -> None:
    search(brave, language="el")
    assert "search_lang" not in internet.queries["brave"][0]


def test_a_result_has_what_searxng_says_of_it(internet: Internet, searxng: SearXNG) -> None:
    internet.searxng(
        {
            "url": GOOD,
            "title": "Barn <b>owls</b> &amp; more",
            "content": "They\nhunt",
            "publishedDate": "2026-01-02T03:04:05",
            "engines": ["google", "Brave"],
        }
    )
    (hit,) = search(searxng).hits
    assert (hit.title, hit.snippet) == ("Barn owls & more", "They hunt")
    assert hit.published_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert hit.engines == ("google", "brave")


def test_a_result_has_what_brave_says_of_it(internet: Internet, brave: Brave) -> None:
    internet.brave(
        {"url": GOOD, "title": "Owls", "description": "Hunt", "page_age": "2026-01-02T00:00:00"}
    )
    (hit,) = search(brave).hits
    assert (hit.title, hit.snippet, hit.engines) == ("Owls", "Hunt", ("brave",))
    assert hit.published_at == datetime(2026, 1, 2, tzinfo=UTC)


def test_words_keep_the_joiners_inside_them_and_lose_soft_hyphens(
    internet: Internet, brave: Brave
) -> None:
    internet.brave(
        {
            "url": GOOD,
            "title": "\u0645\u06cc\u200c\u0631\u0648\u0645",
            "description": "Damp&shy;fer\x00\u202eeins",
        }
    )
    (hit,) = search(brave).hits
    assert hit.title == "\u0645\u06cc\u200c\u0631\u0648\u0645"
    assert hit.snippet == "Dampfer eins"


HOSTILE = [
    None,
    7,
    "https://text.example.org/",
    {},
    {"url": None},
    {"url": "javascript:alert(1)"},
    {"url": "//no-scheme.example.org/"},
    {"url": "https://user:pw@c.example.org/"},
    {"url": "https://[::1"},
    {"url": "https://a.example.org:99999/"},
    {"url": "https://a.example.org/\ud800"},
    {"url": "https://a.example.org/" + "x" * 5000},
    {"url": "https://a.example.org/\x00"},
]


def test_what_is_no_address_is_dropped(internet: Internet, either: WebEngine) -> None:
    getattr(internet, either.name)(
        *({"url": x} if isinstance(x, str) else x for x in HOSTILE), GOOD
    )
    answer = search(either)
    assert urls(answer) == ["https://text.example.org/", GOOD]


def test_fields_of_wrong_types_leave_the_result(internet: Internet, either: WebEngine) -> None:
    wrong = {"title": {}, "content": [], "description": 1, "engines": {"a": 1}, "engine": 3}
    dates = {"publishedDate": "9999-99-99", "page_age": "0001-01-01T00:00:00+14:00"}
    getattr(internet, either.name)({"url": GOOD, **wrong, **dates})
    (hit,) = search(either).hits
    assert (hit.title, hit.snippet, hit.published_at) == ("", "", None)
    assert hit.engines == (either.name,)


def test_a_date_to_come_is_no_date(internet: Internet, brave: Brave) -> None:
    internet.brave({"url": GOOD, "page_age": "2999-01-01T00:00:00"})
    assert search(brave).hits[0].published_at is None


def test_addresses_come_once_and_no_more_than_asked_for(
    internet: Internet, either: WebEngine
) -> None:
    many = [f"https://a.example.org/{i}" for i in range(300)]
    getattr(internet, either.name)(GOOD, GOOD + "#part", *many)
    assert urls(search(either, limit=3)) == [GOOD, *many[:2]]


@pytest.mark.parametrize("body", [b"[]", b"7", b"null", b'"x"'])
def test_an_answer_that_is_no_object_is_a_failure(
    internet: Internet, either: WebEngine, body: bytes
) -> None:
    internet.replies[either.name] = lambda _: (200, {}, body)
    with pytest.raises(OriginFailed, match="broken"):
        search(either)


@pytest.mark.parametrize(
    "body", [b"{}", b'{"web": 3}', b'{"web": {"results": {}}}', b'{"web": null}']
)
def test_brave_without_a_list_found_nothing(internet: Internet, brave: Brave, body: bytes) -> None:
    internet.replies["brave"] = lambda _: (200, {}, body)
    assert search(brave).hits == ()


def test_searxng_is_believed_its_results_whatever_their_number(
    internet: Internet, searxng: SearXNG
) -> None:
    internet.searxng(GOOD, number_of_results=0)
    assert urls(search(searxng)) == [GOOD]


def test_engines_that_did_not_answer_searxng_are_told(internet: Internet, searxng: SearXNG) -> None:
    silent = [["google", "CAPTCHA"], ["bing", "timeout"], ["qwant", "HTTP error"], 7, [], [1, 2]]
    internet.searxng(GOOD, unresponsive_engines=silent)
    assert search(searxng).notices == (
        Notice("google", "blocked"),
        Notice("bing", "slow"),
        Notice("qwant", "failed"),
    )


def test_searxng_whose_engines_are_all_blocked_is_blocked(
    internet: Internet, searxng: SearXNG
) -> None:
    internet.searxng(unresponsive_engines=[["google", "Suspended: CAPTCHA"]])
    with pytest.raises(OriginFailed, match="blocked"):
        search(searxng)


def test_the_key_goes_into_a_header_and_not_into_the_address(
    internet: Internet, brave: Brave
) -> None:
    seen: list[str] = []
    kept = internet.answer

    def answer(target: str, headers: Any) -> Any:
        seen.append(headers["X-Subscription-Token"])
        return kept(target, headers)

    internet.answer = answer  # type: ignore[method-assign]
    search(brave)
    assert seen == [KEY]
    assert KEY not in str(internet.queries)


def test_no_time_left_is_slow_without_a_request(internet: Internet, brave: Brave) -> None:
    with pytest.raises(OriginFailed, match="slow"):
        brave.search("x", HitLimits(1, None, None), time.monotonic() - 1)
    assert internet.queries == {}


def test_nobody_there_is_a_failure() -> None:
    with pytest.raises(OriginFailed):
        search(SearXNG(f"http://127.0.0.1:{free_port()}", gap_seconds=0))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)


def test_no_answer_raises_anything_but_its_reason() -> None:
    with running() as internet:
        adapters = (
            SearXNG(internet.url, gap_seconds=0),
            Brave(internet.url, KEY, gap_seconds=0),
        )

        @given(JSON)
        def check(answer: Any) -> None:
            body = json.dumps(answer).encode()
            for adapter in adapters:
                internet.replies[adapter.name] = lambda _: (200, {}, body)
                with contextlib.suppress(OriginFailed):
                    assert all(hit.url.startswith("http") for hit in search(adapter).hits)

        check()
