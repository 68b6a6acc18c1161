"""/docs in a real browser: no script, nothing from elsewhere, readable wide and narrow."""

import itertools
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from werkzeug.serving import make_server

from tests.browser.site import files_closed

SCHEMES = ("light", "dark")
WIDTHS = (360, 1280)


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    server = make_server("127.0.0.1", 0, files_closed(app), threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def opened(chromium: Any, address: str) -> Iterator[Any]:
    """Opens /docs at a width and in a colour scheme, without JavaScript; notes what is wrong."""
    contexts = []

    def show(
        width: int = 1280, scheme: str = "light", scripts: bool = False, fragment: str = ""
    ) -> Any:
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=scripts,
        )
        contexts.append(context)
        page = context.new_page()
        page.asked, page.said = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("console", lambda message: page.said.append(message.text))
        page.goto(f"{address}/docs{fragment}")
        return page

    yield show
    for context in contexts:
        context.close()


def test_everything_comes_from_the_server_itself(opened: Any, address: str) -> None:
    page = opened(scripts=True)
    assert {url.removeprefix(address).split("?")[0] for url in page.asked} <= {
        "/docs",
        "/static/app.css",
        "/static/docs.css",
        "/favicon.ico",
    }
    assert [said for said in page.said if "Content Security Policy" in said] == []


def operation(page: Any, title: str) -> Any:
    """The part of the page about one operation."""
    return page.locator("details").filter(has=page.get_by_text(title, exact=True))


def test_an_operation_opens_without_scripts(opened: Any) -> None:
    search = operation(opened(), "Create a search")
    assert not search.get_by_role("heading", name="Body").is_visible()
    search.locator("summary").click()
    assert search.get_by_role("heading", name="Body").is_visible()
    assert search.get_by_role("rowheader", name="max_sources").is_visible()


def test_an_operation_opens_with_the_keyboard(opened: Any) -> None:
    page = opened()
    search = operation(page, "Create a search")
    search.locator("summary").focus()
    page.keyboard.press("Enter")
    assert search.get_by_role("heading", name="Errors").is_visible()


def test_an_address_with_a_fragment_opens_its_operation_without_scripts(opened: Any) -> None:
    page = opened(fragment="#createSearch")
    search = operation(page, "Create a search")
    assert search.get_by_role("heading", name="Body").is_visible()
    assert search.locator("summary").evaluate("e => e.getBoundingClientRect().top") >= 0
    assert not operation(page, "List searches").get_by_role("heading", name="Errors").is_visible()


def test_a_link_of_the_contents_opens_its_operation_without_scripts(opened: Any) -> None:
    page = opened()
    page.get_by_role("navigation").get_by_role("link", name="Roll an API key").click()
    roll = operation(page, "Roll an API key")
    assert roll.get_by_role("heading", name="Body").is_visible()


def test_an_operation_shows_a_line_of_curl_and_its_answer(opened: Any) -> None:
    search = operation(opened(fragment="#getSearch"), "Get a search")
    line = search.get_by_role("region", name="curl example of Get a search")
    assert line.inner_text().startswith('curl "$SERVICE_BASE_URL/external/v1/search/srch_')
    answer = search.get_by_role("region", name="Example of response 200 of Get a search")
    assert '"answered": true' in answer.inner_text()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_is_never_wider_than_the_screen(opened: Any, width: int) -> None:
    page = opened(width, scripts=True)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_headings_do_not_skip_a_level(opened: Any) -> None:
    page = opened(scripts=True)
    levels = page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4,h5')].map(h => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


CONTRASTS = """
() => {
  const channel = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) =>
    0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const numbers = text => text.match(/[0-9.]+/g).map(Number);
  const behind = element => {
    for (; element; element = element.parentElement) {
      const colour = numbers(getComputedStyle(element).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  document.querySelectorAll('details').forEach(d => d.open = true);
  return [...document.querySelectorAll('h1,h2,h3,p,a,code,pre,th,td,span')].map(element => {
    const pair = [numbers(getComputedStyle(element).color), behind(element)].map(luminance);
    return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  });
}
"""


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_has_the_contrast_of_wcag_aa(opened: Any, scheme: str) -> None:
    ratios = opened(scheme=scheme, scripts=True).evaluate(CONTRASTS)
    assert len(ratios) > 100
    assert min(ratios) >= 4.5


def test_focus_is_visible(opened: Any) -> None:
    page = opened(scripts=True)
    page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
    assert float(outline.removesuffix("px")) >= 2
