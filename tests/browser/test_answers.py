"""What people do with answers: ask, read, open a citation, go back."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests import builders
from tests.browser.checking import layout, violations
from tests.browser.clicks import Clicks
from tests.browser.seeds.searches import QUESTION
from tests.browser.site import Site
from tests.browser.waiting import is_in_view, until
from tests.patience import PATIENCE_SECONDS


@pytest.fixture(scope="module", autouse=True)
def _searches(site: Site) -> None:
    site.seed("searches")


def work(site: Site, page: Any) -> None:
    """What a worker does about the search whose page is open."""
    page.wait_for_url("**/searches/srch_*")
    builders.work(site.settings, re.split("[/?#]", page.url)[4])


def test_by_keys_alone_from_the_question_to_the_citation_and_back(visit: Any, site: Site) -> None:
    page = visit("/")
    page.keyboard.type(QUESTION)  # the box has the focus
    page.keyboard.press("Enter")
    work(site, page)
    page.wait_for_selector("#cite-1")
    page.keyboard.press("1")
    page.wait_for_selector("[data-panel]")
    until(page, lambda: page.evaluate("document.activeElement.id") == "panel-title")
    assert page.url.endswith("?cite=1")
    assert page.locator("#cite-1").get_attribute("aria-expanded") == "true"
    hit = page.frame_locator("iframe.stored").locator("#hit")
    assert "14 March 2024" in hit.locator("xpath=ancestor::article").inner_text()
    until(page, lambda: is_in_view(page, hit))
    page.keyboard.press("Escape")
    page.wait_for_selector("[data-panel]", state="detached")
    assert page.evaluate("document.activeElement.id") == "cite-1"
    assert page.url.endswith("?cite=")
    assert page.noted.wrong == []


def test_without_scripts_a_question_is_asked_and_its_citation_opened(
    visit: Any, site: Site
) -> None:
    page = visit("/", scripts=False)
    page.locator("[data-search]").fill(QUESTION)
    page.get_by_role("button", name="Search").click()
    page.wait_for_load_state()
    assert page.locator("noscript").count() or page.locator("#stage").is_visible()
    work(site, page)
    page.wait_for_selector("#cite-1")  # the page asks again by itself
    page.locator("#cite-1").click()
    page.wait_for_url("**?cite=1#panel")
    assert "14 March 2024" in page.frame_locator("iframe.stored").locator("#hit").inner_text()
    page.locator("[data-close]").click()
    page.wait_for_url(re.compile(r"/searches/srch_\w+\?cite=#cite-1$"))
    assert page.locator("[data-panel]").count() == 0


def test_a_newcomer_has_a_cited_answer_after_four_interactions(visit: Any, site: Site) -> None:
    page = visit("/sign-up", as_=None)
    page.get_by_label("E-mail").fill("grace@example.org")
    page.get_by_label("Password").fill("a sentence is a good one")
    page.get_by_role("button", name="Sign up").click()  # one: the form
    page.wait_for_selector(".examples")
    page.locator("[data-search]").fill(QUESTION)
    page.keyboard.press("Enter")  # two: the question
    work(site, page)
    page.locator("#cite-1").click()  # three: the citation
    page.wait_for_selector("[data-panel]")
    assert page.locator("[data-panel] .chip").first.inner_text().endswith("Quote found")


def test_from_the_first_page_to_the_proof_it_is_two_clicks(visit: Any, site: Site) -> None:
    page = visit("/")
    click = Clicks(page)
    click.on(page.locator(".examples button").first)  # a question to try
    work(site, page)
    hit = page.frame_locator("iframe.stored").locator("#hit")
    hit.wait_for()
    assert page.locator(".passage strong, .passage p").first.inner_text()
    click.on(page.locator("#open-stored"))  # its stored page, where the words are marked
    page.wait_for_url("**/snapshots/*/view?*")
    assert click.count == 2
    assert page.locator("mark#hit").is_visible()


def test_a_follow_up_is_asked_below_the_answer_and_says_what_it_follows(
    visit: Any, site: Site
) -> None:
    page = visit(f"/searches/{site.ids['answered']}")
    page.get_by_label("Ask a follow-up question").fill("And what is its nameplate capacity?")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda address: site.ids["answered"] not in address)
    work(site, page)
    page.wait_for_selector("#cite-1")
    assert page.locator("#followed").inner_text() == QUESTION
    assert "48.6 MW" in page.locator(".answer").inner_text()


def test_the_stored_page_is_fit_to_be_seen(
    visit: Any, chromium: Any, site: Site, check: Callable[..., None]
) -> None:
    page = visit(f"/searches/{site.ids['answered']}?cite=1")
    address = site.address + page.locator("#open-stored").get_attribute("href").split("#")[0]
    cookies = page.context.cookies()
    for width, scheme in ((1280, "light"), (390, "dark")):
        # Its policy forbids all scripts, and so the one that looks for faults.
        context = chromium.new_context(
            bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 900}
        )
        context.set_default_timeout(PATIENCE_SECONDS * 1000)
        context.add_cookies(cookies)
        for name, end in (("stored-page", ""), ("stored-page-framed", "&frame=1")):
            stored = context.new_page()
            stored.goto(address + end)
            stored.scheme = scheme
            check.screenshot(stored, name)  # type: ignore[attr-defined]
            assert [*violations(stored), *layout(stored)] == []
        context.close()


def test_the_citation_that_is_open_can_be_stepped_through(visit: Any, site: Site) -> None:
    page = visit(f"/searches/{site.ids['disputed']}?cite=1")
    page.keyboard.press("]")
    page.wait_for_url("**?cite=2")
    page.wait_for_selector("[data-return=cite-2]")
    page.keyboard.press("[")
    page.wait_for_url("**?cite=1")
    page.go_back()
    page.wait_for_url("**?cite=2")


def test_a_printed_source_has_its_address(visit: Any, site: Site) -> None:
    page = visit(f"/searches/{site.ids['answered']}")
    page.emulate_media(media="print")
    said = page.locator(".source-cards p").first
    assert "https://" in said.evaluate("it => getComputedStyle(it, '::after').content")


def test_a_citation_that_cannot_be_put_in_is_opened_as_a_page(visit: Any, site: Site) -> None:
    page = visit(f"/searches/{site.ids['answered']}")
    page.route("**/citations/2", lambda route: route.fulfill(status=503))
    page.locator("#cite-2").click()
    page.wait_for_url("**?cite=2#panel")
    page.locator("[data-panel]").get_by_text("2 of 2").wait_for()
