"""The command palette: every page and every id by keyboard, and back to where the focus was."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from app.core import ids
from app.core.ids import Noun
from tests.browser.clicks import Clicks
from tests.browser.site import Site
from tests.browser.waiting import until

OPEN = "ControlOrMeta+k"


@pytest.fixture
def page(visit: Any) -> Any:
    return visit("/settings")


def palette(page: Any) -> Any:
    return page.get_by_role("dialog", name="Command palette")


def selected(page: Any) -> str:
    """The text of the option that the field names as its active one."""
    id = page.get_by_role("combobox", name="Page or id").get_attribute("aria-activedescendant")
    option = page.locator(f"#{id}[role=option][aria-selected=true]")
    return str(option.locator("span").first.inner_text())


def path(page: Any) -> str:
    return urlsplit(page.url).path


@pytest.mark.parametrize("key", [OPEN, "/"])
def test_keys_open_it_and_escape_returns_the_focus(page: Any, key: str) -> None:
    page.focus(".brand")
    page.keyboard.press(key)
    assert page.evaluate("document.activeElement.id") == "palette-text"
    page.keyboard.press("Escape")
    palette(page).wait_for(state="detached")
    assert page.evaluate("document.activeElement.className") == "brand"


def test_the_same_keys_close_it(page: Any) -> None:
    page.keyboard.press(OPEN)
    page.keyboard.press(OPEN)
    palette(page).wait_for(state="detached")


def test_a_page_is_reached_by_a_part_of_its_name(page: Any) -> None:
    page.keyboard.press(OPEN)
    page.keyboard.type("webh")
    assert selected(page) == "Webhooks"
    page.keyboard.press("Enter")
    until(page, lambda: path(page) == "/webhooks")


def test_arrows_walk_through_the_pages_of_a_section_and_around(page: Any) -> None:
    page.keyboard.press(OPEN)
    page.keyboard.type("data")
    names = []
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowUp"):
        names.append(selected(page))
        page.keyboard.press(key)
    assert names == ["Extractions", "Monitors", "Workflows", "Monitors", "Extractions"]
    assert selected(page) == "Find “data”"


def test_an_id_leads_to_its_page(page: Any) -> None:
    id = ids.public(Noun.SEARCH, ids.new())
    page.keyboard.press(OPEN)
    page.keyboard.type(id)
    assert selected(page) == f"Open {id}"
    page.keyboard.press("Enter")
    until(page, lambda: path(page) == f"/searches/{id}")


def test_other_text_is_looked_for_among_the_searches(page: Any) -> None:
    page.keyboard.press(OPEN)
    page.keyboard.type("<b>owls & eggs")
    assert selected(page) == "Find “<b>owls & eggs”"
    page.keyboard.press("Enter")
    until(page, lambda: path(page) == "/searches")
    assert parse_qs(urlsplit(page.url).query) == {"contains": ["<b>owls & eggs"]}


@pytest.mark.parametrize(
    ("area", "name", "who"),
    [
        ("searches", "answered", "account"),
        ("extractions", "extraction", "account"),
        ("extractions", "monitor", "account"),
        ("extractions", "workflow", "account"),
        ("campaigns", "campaign", "account"),
        ("account_tools", "api_key", "account"),
        ("account_tools", "webhook", "account"),
        ("account_tools", "refused", "account"),
        ("market", "node", "account"),
        ("documents", "own_corpus", "account"),
        ("operations", "running_task", "operator"),
    ],
)
def test_anything_with_an_id_is_one_click_away(
    visit: Any, site: Site, area: str, name: str, who: Any
) -> None:
    site.seed(area)
    page = visit("/settings", as_=who)
    click = Clicks(page)
    click.on(page.get_by_label("Find an id or a search"))
    page.keyboard.type(site.ids[name])
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{site.ids[name]}*")
    assert "not found" not in page.locator("h1").inner_text().lower()
    assert click.count == 1


def test_the_mouse_opens_it_and_chooses(page: Any) -> None:
    page.get_by_role("button", name="Command palette").click()
    page.get_by_role("option", name="Memory").click()
    until(page, lambda: path(page) == "/memory")


def test_operators_find_their_pages(visit: Any) -> None:
    page = visit("/settings", as_="operator")
    page.keyboard.press(OPEN)
    page.keyboard.type("corpora")
    assert selected(page) == "Corpora"


def test_who_is_not_signed_in_finds_public_pages_alone(visit: Any) -> None:
    page = visit("/offers", as_=None)
    page.keyboard.press(OPEN)
    assert page.get_by_role("option").all_inner_texts() == ["Ask", "Offers", "API"]
    page.keyboard.type("wallet")
    assert palette(page).get_by_role("status").inner_text() == "No page has this name."
    page.keyboard.press("Enter")
    assert palette(page).is_visible()


def test_shortcuts_that_are_off_leave_the_button(visit: Any, site: Site) -> None:
    site.prefer(shortcuts=False)
    page = visit("/settings")
    page.keyboard.press(OPEN)
    assert palette(page).count() == 0
    page.get_by_role("button", name="Command palette").click()
    assert palette(page).is_visible()
    site.prefer()


def test_without_scripts_the_box_in_the_bar_remains(visit: Any) -> None:
    page = visit("/settings", scripts=False)
    assert page.get_by_role("button", name="Command palette").count() == 0
    id = ids.public(Noun.REQUEST, ids.new())
    page.get_by_label("Find an id or a search").fill(id)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/requests/{id}")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_it_is_fit_to_be_seen(visit: Any, check: Any, width: int, scheme: str) -> None:
    page = visit("/settings", width, scheme)
    page.get_by_role("button", name="Command palette").click()
    check(page, "palette")
