"""/docs in a real browser: areas inside the shell, open without scripts, found by old addresses."""

from collections.abc import Callable
from typing import Any

import pytest


def operation(page: Any, title: str) -> Any:
    """The part of the page about one operation."""
    return page.locator("details").filter(has=page.get_by_text(title, exact=True))


def test_an_operation_opens_without_scripts(visit: Any) -> None:
    search = operation(visit("/docs/searches", scripts=False, as_=None), "Create a search")
    assert not search.get_by_role("heading", name="Body").is_visible()
    search.locator("summary").click()
    assert search.get_by_role("heading", name="Body").is_visible()
    assert search.get_by_role("rowheader", name="max_sources").is_visible()


def test_an_operation_opens_with_the_keyboard(visit: Any) -> None:
    page = visit("/docs/searches", scripts=False, as_=None)
    search = operation(page, "Create a search")
    search.locator("summary").focus()
    page.keyboard.press("Enter")
    assert search.get_by_role("heading", name="Errors").is_visible()


def test_an_address_with_a_fragment_opens_its_operation_without_scripts(visit: Any) -> None:
    page = visit("/docs/searches#createSearch", scripts=False, as_=None)
    search = operation(page, "Create a search")
    assert search.get_by_role("heading", name="Body").is_visible()
    assert search.locator("summary").evaluate("e => e.getBoundingClientRect().top") >= 0
    assert not operation(page, "List searches").get_by_role("heading", name="Errors").is_visible()


def test_an_old_fragment_leads_on_to_its_operation(visit: Any) -> None:
    page = visit("/docs#createSearch")
    page.wait_for_url("**/docs/searches#createSearch")
    assert operation(page, "Create a search").get_by_role("heading", name="Body").is_visible()


def test_without_scripts_an_old_fragment_leads_to_its_entry(visit: Any) -> None:
    page = visit("/docs#createSearch", scripts=False, as_=None)
    page.locator(":target").get_by_role("link", name="Create a search").click()
    page.wait_for_url("**/docs/searches#createSearch")
    assert operation(page, "Create a search").get_by_role("heading", name="Body").is_visible()


def test_a_search_leads_to_an_operation_without_scripts(visit: Any) -> None:
    page = visit("/docs", scripts=False, as_=None)
    page.get_by_label("Search the API").fill("roll key")
    page.get_by_role("search", name="API").get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Roll an API key").click()
    operation(page, "Roll an API key").get_by_role("heading", name="Body").wait_for()


def test_an_operation_shows_a_line_of_curl_and_its_answer(visit: Any) -> None:
    search = operation(visit("/docs/searches#getSearch"), "Get a search")
    line = search.get_by_role("region", name="curl example of Get a search")
    assert line.inner_text().startswith('curl "$SERVICE_BASE_URL/external/v1/search/srch_')
    answer = search.get_by_role("region", name="Example of response 200 of Get a search")
    assert '"answered": true' in answer.inner_text()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
@pytest.mark.parametrize("path", ["/docs", "/docs/searches", "/docs?q=key"])
def test_a_page_of_the_interface_is_fit_to_be_seen(
    visit: Any, check: Callable[..., None], path: str, width: int, scheme: str
) -> None:
    page = visit(path, width, scheme)
    page.evaluate("document.querySelectorAll('.docs details').forEach(d => d.open = true)")
    check(page)
