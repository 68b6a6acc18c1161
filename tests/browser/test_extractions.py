"""Where a value came from: by keys, by the mouse, and without scripts."""

from typing import Any

import pytest

from tests.browser.site import Site
from tests.browser.waiting import is_in_view, until


@pytest.fixture(autouse=True)
def _seeded(site: Site) -> None:
    site.seed("extractions")


def marked(page: Any) -> str:
    """What is marked in the stored page; fails unless it can be seen."""
    hit = page.frame_locator("iframe.stored").locator("#hit")
    hit.wait_for(state="visible")
    until(page, lambda: is_in_view(page, hit))
    return str(hit.inner_text())


def test_a_field_is_chosen_by_keys_and_keeps_the_focus(visit: Any, site: Site) -> None:
    page = visit(f"/extractions/{site.ids['extraction']}")
    assert marked(page) == "Desk lamp Alder"
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**field=%2Fprice*")
    page.locator('#viewer tr[aria-current] a:has-text("price")').wait_for()
    assert marked(page) == "€129.50"
    assert page.evaluate("document.activeElement.textContent") == "price"


def test_without_scripts_a_field_and_another_reading_of_it_are_shown(
    visit: Any, site: Site
) -> None:
    page = visit(f"/extractions/{site.ids['extraction']}", scripts=False)
    page.get_by_role("link", name="price", exact=True).click()
    assert marked(page) == "€129.50"
    page.get_by_role("link", name="colour", exact=True).click()
    page.get_by_role("link", name="Show", exact=True).nth(1).click()
    assert marked(page) == "blue"


def test_versions_of_a_monitor_are_stepped_through_by_keys(visit: Any, site: Site) -> None:
    page = visit(f"/monitors/{site.ids['monitor']}?from=2&to=3")
    assert page.locator("del").all_inner_texts() == ["ten"]
    page.keyboard.press("[")
    page.wait_for_url("**from=1&to=2*")
    assert page.locator("del").all_inner_texts() == ["129.5"]
    page.keyboard.press("]")
    page.wait_for_url("**from=2&to=3*")
