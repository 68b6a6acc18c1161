"""The checks themselves: a page with faults does not pass, so that passing says something."""

from collections.abc import Iterator
from typing import Any

import pytest

from app.web.frame.rendering import POLICY
from tests.browser.checking import inline_handlers, layout, violations
from tests.browser.conftest import Noted
from tests.browser.site import Site
from tests.browser.waiting import until
from tests.patience import PATIENCE_SECONDS

FAULTS = {
    "image-alt": "<img src='data:,'>",
    "button-name": "<button></button>",
    "label": "<input>",
    "color-contrast": "<p class=faint>Faint words</p>",
    "target-size": "<button class=tiny aria-label=a></button>" * 2,
}
STYLE = ".faint { color: #bbb } .tiny { width: 9px; height: 9px; padding: 0; border: 0 }"


@pytest.fixture
def shown(chromium: Any, site: Site) -> Iterator[Any]:
    """A page of this content under the policy of pages, served by the site itself."""
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE_SECONDS * 1000)

    def show(content: str) -> Any:
        page = context.new_page()
        page.noted = Noted.of(page, site.address)
        html = "<!doctype html><html lang=en><title>x</title><link rel=stylesheet href=/x.css>"
        page.route("**/x.css", lambda route: route.fulfill(body=STYLE, content_type="text/css"))
        page.route(
            "**/faulty",
            lambda route: route.fulfill(
                body=f"{html}<main><h1>x</h1>{content}</main>",
                content_type="text/html",
                headers={"Content-Security-Policy": POLICY},
            ),
        )
        page.goto(f"{site.address}/faulty")
        return page

    yield show
    context.close()


@pytest.mark.parametrize("rule", FAULTS)
def test_a_fault_of_accessibility_is_found(shown: Any, rule: str) -> None:
    assert rule in [found.split(":")[0] for found in violations(shown(FAULTS[rule]))]


def test_a_page_without_faults_passes(shown: Any) -> None:
    page = shown("<p>Words</p>")
    assert violations(page) == []
    assert page.noted.wrong == []
    assert page.noted.foreign == []
    assert inline_handlers(page) == []
    assert layout(page) == []


@pytest.mark.parametrize(
    "content",
    [
        "<p style='color: red'>x</p>",
        "<script>1</script>",
        "<img alt=x src='https://elsewhere.example/x.png'>",
        "<iframe title=x src='https://elsewhere.example/'></iframe>",
    ],
)
def test_what_the_policy_forbids_is_noted(shown: Any, content: str) -> None:
    page = shown(content)
    until(page, lambda: any("Content Security Policy" in text for text in page.noted.wrong))


def test_a_handler_in_an_element_is_found(shown: Any) -> None:
    assert inline_handlers(shown("<p onclick='1'>x</p>")) == ["the handler onclick in an element"]


def test_a_request_that_leaves_is_noted(shown: Any) -> None:
    page = shown("<a id=away href='http://localhost:9/'>Away</a>")
    page.route("http://localhost:9/**", lambda route: route.fulfill(body="x"))
    page.click("#away")
    assert page.noted.foreign == ["http://localhost:9/"]


def test_what_sticks_out_is_found(shown: Any) -> None:
    page = shown(f"<pre>{'wide ' * 200}</pre>")
    [problem] = layout(page)
    assert "px wide on a screen of" in problem
