"""What surrounds every page: its menu, its theme, its times, and how it is printed."""

from typing import Any
from urllib.parse import unquote

import pytest

from tests.browser.checking import layout
from tests.browser.site import Site
from tests.browser.specimens import Live, pages

BACKGROUND = "getComputedStyle(document.body).backgroundColor"
DARK = "rgb(16, 19, 23)"
LIGHT = "rgb(255, 255, 255)"


@pytest.fixture(scope="module", autouse=True)
def _specimens(site: Site) -> None:
    site.app.register_blueprint(pages(Live()))


@pytest.fixture
def preferring(site: Site) -> Any:
    yield site.prefer
    site.prefer()


@pytest.mark.parametrize(("scheme", "theme"), [("light", "dark"), ("dark", "system")])
def test_a_page_is_dark_for_who_wants_it(
    visit: Any, preferring: Any, scheme: str, theme: str
) -> None:
    preferring(theme=theme)
    assert visit("/settings", scheme=scheme).evaluate(BACKGROUND) == DARK


def test_a_page_is_light_for_who_wants_it_on_a_dark_system(visit: Any, preferring: Any) -> None:
    preferring(theme="light")
    assert visit("/settings", scheme="dark").evaluate(BACKGROUND) == LIGHT


def test_a_setting_is_saved_without_scripts(visit: Any, preferring: Any) -> None:
    page = visit("/settings", scripts=False)
    page.select_option("#theme", "dark")
    page.get_by_role("button", name="Save").click()
    page.wait_for_load_state()
    assert page.evaluate(BACKGROUND) == DARK


@pytest.mark.parametrize("scripts", [True, False])
def test_the_menu_of_a_narrow_screen_opens(visit: Any, scripts: bool) -> None:
    page = visit("/settings", width=390, scripts=scripts)
    campaigns = page.get_by_role("link", name="Campaigns")
    assert not campaigns.is_visible()
    page.get_by_text("Menu", exact=True).click()
    assert campaigns.is_visible()


def test_a_form_that_came_too_late_is_sent_again_as_it_was_typed(
    visit: Any, preferring: Any, check: Any
) -> None:
    page = visit("/settings")
    page.select_option("#theme", "dark")
    page.evaluate("document.querySelectorAll('[name=csrf]').forEach(field => field.value = 'old')")
    page.get_by_role("button", name="Save").click()
    page.wait_for_load_state()
    page.noted.status = 403
    assert "Theme\ndark" in page.locator("main").inner_text()
    check(page, "form-again")
    page.get_by_role("button", name="Submit").click()
    page.wait_for_load_state()
    assert page.evaluate(BACKGROUND) == DARK


def test_the_bar_of_a_narrow_screen_has_one_row_above_its_search_field(visit: Any) -> None:
    page = visit("/searches", width=360)
    assert page.locator("#pause-live").is_visible()
    parts = "[...document.querySelectorAll('.brand, #pause-live, .account')]"
    rows = page.evaluate(f"{parts}.map(part => part.getBoundingClientRect().y)")
    assert max(rows) - min(rows) < 20


def test_a_long_name_pushes_no_column_off_the_screen(visit: Any, site: Site) -> None:
    site.api("POST", "/v1/api-keys", {"name": "W" * 80, "scopes": ["search"]})
    table = visit("/api-keys").locator(".scroll")
    assert table.evaluate("table => table.scrollWidth - table.clientWidth") <= 1


@pytest.fixture(scope="module")
def long_words(site: Site) -> None:
    memory = {"type": "fact", "content": "W" * 200, "tags": ["W" * 60], "source": "user_approved"}
    site.api("POST", f"/v1/personas/{'P' * 64}/memory", memory)
    site.api("POST", "/v1/corpora", {"name": "W" * 80})
    site.api("POST", "/external/v1/search", {"query": "W" * 200})


@pytest.mark.usefixtures("long_words")
@pytest.mark.parametrize("path", ["/", "/api-keys/new", f"/memory/{'P' * 64}"])
def test_long_words_make_no_page_wider_than_the_screen(visit: Any, path: str) -> None:
    assert layout(visit(path, width=320)) == []


def test_escape_closes_a_menu_and_returns_to_it(visit: Any) -> None:
    page = visit("/settings")
    page.locator("details.account summary").click()
    page.keyboard.press("Escape")
    assert page.locator("details.account[open]").count() == 0
    assert page.evaluate("document.activeElement.parentElement.className") == "account"


def test_the_first_stop_of_the_keyboard_skips_the_menu(visit: Any) -> None:
    page = visit("/specimens/long", as_=None)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "link-0"


def test_the_sticky_header_never_covers_what_has_the_focus(visit: Any) -> None:
    page = visit("/specimens/long", as_=None)
    page.focus("#link-119")
    for _ in range(40):
        page.keyboard.press("Shift+Tab")
        top, header = page.evaluate(
            "[document.activeElement.getBoundingClientRect().top,"
            " document.querySelector('.top').getBoundingClientRect().bottom]"
        )
        assert top >= header


def test_the_header_does_not_follow_on_a_narrow_screen(visit: Any) -> None:
    page = visit("/specimens/long", width=390, as_=None)
    page.evaluate("scrollTo(0, 2000)")
    assert page.evaluate("document.querySelector('.top').getBoundingClientRect().bottom") <= 0


def test_what_is_printed_has_no_menu(visit: Any) -> None:
    page = visit("/settings")
    page.emulate_media(media="print")
    assert page.get_by_role("heading", name="Settings").is_visible()
    assert not page.locator("header.top").is_visible()


def test_what_is_printed_has_nothing_to_press_and_says_when(visit: Any) -> None:
    page = visit("/settings/audit")
    page.emulate_media(media="print")
    assert page.locator("form, button, .button, select").filter(visible=True).count() == 0
    said = page.locator("td time").first.evaluate("it => getComputedStyle(it, '::after').content")
    assert page.locator("td time").first.get_attribute("title") in said


def test_what_is_printed_is_light_and_no_column_is_cut_off(visit: Any, preferring: Any) -> None:
    preferring(theme="dark")
    page = visit("/settings/audit", width=718)
    page.emulate_media(media="print")
    assert page.evaluate(BACKGROUND) == LIGHT
    table = page.locator(".scroll")
    assert table.evaluate("table => table.scrollWidth - table.clientWidth") <= 1


@pytest.mark.parametrize(
    ("zone", "noon"),
    [
        ("UTC", "2026-07-01 12:00:00 UTC"),
        ("Europe/Berlin", "2026-07-01 14:00:00 CEST"),
        ("America/New_York", "2026-07-01 08:00:00 EDT"),
    ],
)
def test_text_table_tooltip_and_axis_agree_on_the_time(
    visit: Any, preferring: Any, zone: str, noon: str
) -> None:
    preferring(zone=zone)
    page = visit("/specimens/times")
    assert page.locator("#when").inner_text() == noon
    assert page.locator("#exact").inner_text() == noon
    assert page.locator(".chart title").first.text_content().endswith(noon)
    page.get_by_text("Show as table").click()
    assert page.locator("tbody td, tbody th").first.inner_text() == noon
    hours = page.locator(".chart .tick").all_text_contents()
    assert noon[11:13] in {hour[:2] for hour in hours}
    assert page.get_by_text(f"Times in {zone}").is_visible()


def test_files_are_in_utc_whatever_the_reader_reads(visit: Any, preferring: Any) -> None:
    preferring(zone="Europe/Berlin")
    page = visit("/specimens/times")
    assert "2026-07-01T12:00:00Z" in unquote(page.locator("figure a").get_attribute("href"))
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV", exact=True).last.click()
    assert download.value.path().read_text() == "at\n2026-07-01T12:00:00Z\n"


def test_who_prefers_relative_times_reads_ages_with_the_exact_time_on_hover(visit: Any) -> None:
    page = visit("/specimens/times")
    assert page.locator("#when").inner_text().endswith(("ago", "d", "h"))
    assert page.locator("#when time").get_attribute("title") == "2026-07-01 12:00:00 UTC"
