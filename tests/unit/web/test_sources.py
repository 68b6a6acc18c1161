"""Sources of pages in forms."""

from typing import Any

import pytest

from app.web.pages.records.forms import sources


@pytest.mark.parametrize(
    "source",
    [
        {"type": "urls", "urls": ["https://a.example/", "https://b.example/"]},
        {"type": "sitemap", "url": "https://a.example/sitemap.xml"},
        {"type": "crawl", "url": "https://a.example/", "max_depth": 2, "include": ["/docs/"]},
        {"type": "search", "query": "desk lamps"},
    ],
)
def test_a_source_fills_the_form_that_makes_it(source: dict[str, Any]) -> None:
    form = {name: str(value) for name, value in sources.values_of(source)}
    assert sources.source_of(form) == source


def test_one_page_is_a_list_of_one() -> None:
    form = dict(sources.values_of({"type": "url", "url": "https://a.example/"}))
    assert sources.source_of(form) == {"type": "urls", "urls": ["https://a.example/"]}


@pytest.mark.parametrize("text", ["many", "[" * 100_000])
def test_what_is_no_number_is_left_for_the_operation_to_refuse(text: str) -> None:
    assert sources.number({"max_pages": text}, "max_pages") == text
