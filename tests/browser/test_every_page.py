"""What holds for every page: at three widths, in two colour schemes, with scripts and without."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.checking import layout
from tests.browser.every_page import PAGES, SHORT
from tests.browser.pages import SCHEMES, Page
from tests.browser.site import Site

WIDTHS = (1280, 390)
BETWEEN = 820
"""A tablet's width, at which a page is looked at for its layout alone."""
EACH = pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])

_HEADINGS: dict[str, str] = {}
"""Of pages that were visited with scripts."""


@pytest.fixture(scope="module", autouse=True)
def _everything(site: Site) -> None:
    site.seed()


@pytest.mark.parametrize("scheme", SCHEMES)
@EACH
def test_a_page_is_fit_to_be_seen(
    visit: Any,
    site: Site,
    check: Callable[..., None],
    request: pytest.FixtureRequest,
    page: Page,
    scheme: str,
) -> None:
    """The short form tries one of the four combinations, taking turns, on some of the pages."""
    short = request.config.getoption("short")
    widths = (WIDTHS[SHORT[page.name] // 2 % 2],) if short else WIDTHS
    shown = visit(page.at(site), widths[0], scheme, as_=page.who)
    assert shown.noted.status == page.status
    _HEADINGS[page.name] = shown.locator("h1").inner_text()
    for width in widths:
        shown.set_viewport_size({"width": width, "height": 900})
        check(shown, page.name)
    if short:
        return
    shown.set_viewport_size({"width": BETWEEN, "height": 900})
    check.screenshot(shown, page.name)  # type: ignore[attr-defined]
    assert layout(shown) == []


@EACH
def test_a_page_says_the_same_without_scripts(visit: Any, site: Site, page: Page) -> None:
    if page.name not in _HEADINGS:
        with_scripts = visit(page.at(site), as_=page.who)
        _HEADINGS[page.name] = with_scripts.locator("h1").inner_text()
    without = visit(page.at(site), scripts=False, as_=page.who)
    assert without.noted.status == page.status
    assert without.locator("h1").inner_text() == _HEADINGS[page.name]


def test_every_page_has_a_name_of_its_own() -> None:
    names = [page.name for page in PAGES]
    assert len(names) == len(set(names))
