"""Keys and copying: quick for who knows them, in nobody's way."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.browser.site import Site
from tests.browser.specimens import Live, pages
from tests.browser.waiting import until

ADDRESS = "/specimens/keys"


@pytest.fixture(scope="module", autouse=True)
def _specimens(site: Site) -> None:
    site.app.register_blueprint(pages(Live()))


@pytest.fixture
def page(visit: Any) -> Any:
    return visit(ADDRESS)


def focused(page: Any) -> str:
    text: str = page.evaluate("document.activeElement.id || document.activeElement.textContent")
    return text


def test_a_slash_leads_to_the_search_field_and_is_not_typed(page: Any) -> None:
    page.keyboard.press("/")
    assert focused(page) == "search"
    assert page.input_value("#search") == ""


def test_a_digit_opens_a_citation_and_escape_returns_to_its_marker(page: Any) -> None:
    page.keyboard.press("2")
    page.get_by_role("heading", name="Quote 2").wait_for()
    until(page, lambda: focused(page) == "Quote 2")
    assert page.locator("#cite-2").get_attribute("aria-expanded") == "true"
    page.keyboard.press("Escape")
    page.get_by_role("heading", name="Quote 2").wait_for(state="detached")
    assert focused(page) == "cite-2"
    assert page.locator("#cite-2").get_attribute("aria-expanded") == "false"


def test_j_and_k_walk_through_rows(page: Any) -> None:
    for key, row in (("j", "row-1"), ("j", "row-2"), ("k", "row-1"), ("k", "row-1")):
        page.keyboard.press(key)
        assert focused(page) == row


@pytest.mark.parametrize(("key", "fragment"), [("[", "#previous"), ("]", "#next")])
def test_brackets_step_through_versions(page: Any, key: str, fragment: str) -> None:
    page.keyboard.press(key)
    page.wait_for_url(f"**{ADDRESS}{fragment}")


@pytest.mark.parametrize(
    ("key", "path"),
    [("a", "/"), ("e", "/extractions"), ("c", "/campaigns"), ("o", "/offers"), ("m", "/monitors")],
)
def test_g_and_a_letter_lead_to_a_page(page: Any, key: str, path: str) -> None:
    page.evaluate("Date.now = () => 1")  # the letter must come soon after, and machines are busy
    page.keyboard.press("g")
    page.keyboard.press(key)
    until(page, lambda: urlsplit(page.url).path.startswith(path) and "keys" not in page.url)


def test_a_letter_alone_leads_nowhere(page: Any) -> None:
    page.keyboard.press("e")
    assert page.url.endswith(ADDRESS)


def test_a_question_mark_lists_the_keys_until_escape(page: Any, check: Any) -> None:
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    assert dialog.get_by_text("Open a citation").is_visible()
    check(page, "shortcuts")
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


def test_who_types_types(page: Any) -> None:
    page.focus("#search")
    page.keyboard.type("g e 1 ? / j")
    assert page.input_value("#search") == "g e 1 ? / j"
    assert page.locator("dialog").count() == 0
    assert page.url.endswith(ADDRESS)


@pytest.mark.parametrize("modifier", ["Control", "Alt", "Meta"])
def test_keys_with_a_modifier_are_the_browsers(page: Any, modifier: str) -> None:
    page.keyboard.press(f"{modifier}+j")
    assert not focused(page).startswith("row-")


def test_shortcuts_that_are_off_do_nothing(visit: Any, site: Site) -> None:
    site.prefer(shortcuts=False)
    page = visit(ADDRESS)
    for key in ("/", "1", "j", "?", "]"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement === document.body")
    assert page.locator("dialog, [data-panel]").count() == 0
    assert page.url.endswith(ADDRESS)
    site.prefer()


def test_a_button_copies_and_says_so(page: Any) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy it").click()
    page.get_by_role("status").get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "some = text"


def test_copying_works_without_a_secure_connection(page: Any) -> None:
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.get_by_role("button", name="Copy it").click()
    page.get_by_role("status").get_by_text("Copied").wait_for()


def test_without_scripts_there_is_no_button_that_needs_them(visit: Any) -> None:
    page = visit(ADDRESS, scripts=False)
    assert page.get_by_role("button", name="Copy it").count() == 0
