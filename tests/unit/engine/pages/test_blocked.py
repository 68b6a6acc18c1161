"""Pages without a text of their own, and pages that only look like it."""

import pytest

from app.engine.pages.formats.html import read_html
from app.engine.pages.page import Page

URL = "https://example.org/page"
PROSE = "<p>A paragraph of prose about owls and their young, long enough to be read by anybody.</p>"


def read(body: str, title: str = "A page", head: str = "") -> Page:
    return read_html(f"<html><head><title>{title}</title>{head}</head><body>{body}</body>", URL)


@pytest.mark.parametrize(
    "title", ["404 - Not Found", "Page not found", "Seite nicht gefunden", "页面不存在"]
)
def test_an_error_page_with_status_200_is_a_soft_404(title: str) -> None:
    assert read("<h1>Sorry</h1><p>We looked everywhere.</p>", title).blocked == "soft_404"


def test_an_article_about_error_pages_is_none() -> None:
    assert read(f"<h1>How to write a 404 page</h1>{PROSE * 20}", "The 404 page").blocked is None


@pytest.mark.parametrize("free", ["false", '"False"', '"http://schema.org/False"'])
def test_a_page_that_says_it_is_not_free_is_behind_a_paywall(free: str) -> None:
    data = f'{{"@type": "NewsArticle", "isAccessibleForFree": {free}}}'
    head = f'<script type="application/ld+json">{data}</script>'
    assert read(PROSE * 20, head=head).blocked == "paywall"


def test_a_teaser_that_asks_for_a_subscription_is_behind_a_paywall() -> None:
    body = f"<article><h1>Owls</h1>{PROSE}<p>Subscribe to continue reading.</p></article>"
    assert read(body).blocked == "paywall"


def test_a_long_article_that_mentions_subscribing_is_none() -> None:
    body = f"<article>{PROSE * 30}<p>Subscribe to read our letter.</p></article>"
    assert read(body).blocked is None


def test_a_page_that_only_asks_for_consent_is_a_wall() -> None:
    body = (
        "<main><h1>Before you continue</h1><p>We and our partners use cookies and value your"
        " privacy. Choose accept all or reject all cookies to consent.</p></main>"
    )
    assert read(body).blocked == "consent_wall"


def test_a_page_of_links_is_a_thin_list() -> None:
    rows = "".join(f'<h2><a href="/{i}">An article about owl number {i}</a></h2>' for i in range(9))
    paragraphs = rows.replace("h2", "p")
    assert read(f'<div role="main" class="body">{paragraphs}</div>').blocked == "thin_list"
