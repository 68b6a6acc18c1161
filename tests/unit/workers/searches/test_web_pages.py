"""What one search keeps of the pages that engines return."""

from typing import Any, cast

import pytest

from app.engine.web.engines import Report
from app.engine.web.hits import WebHit
from tests.unit.workers.searches import made
from workers.searches import web_pages
from workers.searches.engines import Engines
from workers.searches.web_pages import WebSearch

OPTIONS = {"depth": "standard"}


def searching(**options: Any) -> WebSearch:
    nothing = cast(Any, None)
    engines = Engines((), nothing)
    work = cast(Any, made.Work())
    return WebSearch(engines, nothing, work, made.query(), {**OPTIONS, **options})


def add(search: WebSearch, *pages: web_pages.WebPage) -> web_pages.WebPages:
    for page in pages:
        search._add(page)
    return search.web_pages()


def test_a_page_becomes_passages_with_ids_of_this_search_alone() -> None:
    kept = made.snapshot()
    read = add(searching(), made.web_page(kept, "one"))
    (place,) = read.located
    assert place.id < 0
    assert kept.text[place.start_at : place.end_at] == place.text
    assert read.outcomes == {"read": 1}


def test_the_terms_of_a_passage_are_found_once() -> None:
    search = searching()
    first = add(search, made.web_page(made.snapshot()))
    assert search.web_pages().analysed[0][1] is first.analysed[0][1]


def test_two_pages_with_one_text_are_one() -> None:
    other = made.snapshot("https://copy.example.org/")
    read = add(searching(), made.web_page(made.snapshot()), made.web_page(other))
    assert (len(read.pages), read.outcomes) == (1, {"read": 1, "duplicate": 1})


def test_engines_that_return_one_snapshot_are_all_counted() -> None:
    kept = made.snapshot()
    read = add(searching(), made.web_page(kept, "one"), made.web_page(kept, "two"))
    assert read.returning() == {kept.id: 2}


def test_results_the_options_forbid_and_tried_ones_are_not_returned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    urls = ["https://a.org/1", "https://b.org/2", "https://c.org/3"]
    hits = tuple(WebHit(url, "t", "s", None, ("one",)) for url in urls)
    monkeypatch.setattr(WebSearch, "_ask", lambda *_: [Report("one", "ok", hits)])
    search = searching(exclude_domains=["b.org"])
    search._tried.add("https://a.org/1")
    assert [x.url for x in search.ask("asking", ["owls"], 10)] == ["https://c.org/3"]
    assert search.web_pages().engines_asked == 1
