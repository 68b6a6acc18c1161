"""Every page as it is sent: none is large, and what is put in again while somebody looks is what a
reload would show, with the state and the buttons at the head of the page."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from flask.testing import FlaskClient

from app.core.http.access import SESSION_COOKIE
from app.local.embedded.redis import Redis
from tests import shared_applications
from tests.browser.every_page import PAGES
from tests.browser.pages import Page
from tests.browser.site import Site, serving
from tests.databases import Databases

HEAD = ("page-actions", "page-status")
# What is another one on each look: keys of forms, times, charts that end now, and figures.
FRESH = re.compile(
    r'name="key" value="[^"]*"|<time\b[^>]*>[^<]*</time>|<svg\b.*?</svg>'
    r"|[\d.]+(?: (?:ms|s|min|h)\b)?|\s+",
    re.DOTALL,
)
MOST_BYTES = 150_000
MOST_ELEMENTS = 3_000
ELEMENT = re.compile(rb"<[a-z]")
VOID = ("input", "meta", "link", "br", "hr", "img", "area", "col", "wbr")


@pytest.fixture(scope="module")
def site(databases: Databases, redis_server: Redis) -> Iterator[Site]:
    unlimited = "1000000/minute"
    limits = {"rate_limit_read": unlimited, "rate_limit_write": unlimited}
    with (
        shared_applications.made(databases, redis_server, **limits) as app,
        serving(app, app.extensions["settings"]) as site,
    ):
        site.seed()
        yield site


class Elements(HTMLParser):
    """The markup inside each element that has an id, and the address that a live one asks."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=False)
        self.inner: dict[str, str] = {}
        self.asked: dict[str, str] = {}
        self._open: list[tuple[str, str | None, int]] = []
        self._markup, self._lines = markup, [0]
        for line in markup.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self.feed(markup)

    def _at(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        id, address = given.get("id"), given.get("hx-get")
        if id and address and "data-live" in given:
            self.asked[id] = address
        if tag not in VOID:
            self._open.append((tag, id, self._at() + len(self.get_starttag_text() or "")))

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            opened, id, begin = self._open.pop()
            if id:
                self.inner[id] = FRESH.sub("", self._markup[begin : self._at()])
            if opened == tag:
                return


class Actions(HTMLParser):
    """Each text of a button that sends a form, with all that buttons of this text do."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self._forms: dict[str | None, list[str | None]] = {None: []}
        self._form: str | None = None
        self._buttons: list[tuple[str | None, str | None, str | None, str | None]] = []
        self._texts: list[str] = []
        self._in_button = False
        self.feed(markup)

    def by_text(self) -> dict[str, set[object]]:
        found: dict[str, set[object]] = {}
        for text, (form, *itself) in zip(self._texts, self._buttons, strict=True):
            does = (*self._forms[form], *itself)
            found.setdefault(" ".join(text.split()), set()).add(does)
        return found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self._form = given.get("id") or str(len(self._forms))
            self._forms[self._form] = [given.get("action")]
        elif tag == "input" and given.get("name") not in ("csrf", "key"):
            self._forms[self._form] += [given.get("name"), given.get("value")]
        elif tag == "button":
            self._in_button = given.get("type") != "button"
            if self._in_button:
                at = given.get("form") or self._form
                itself = (given.get("formaction"), given.get("name"), given.get("value"))
                self._buttons.append((at, *itself))
                self._texts.append("")

    def handle_data(self, data: str) -> None:
        if self._in_button:
            self._texts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "button":
            self._in_button = False
        elif tag == "form":
            self._form = None


def loaded(site: Site, page: Page) -> tuple[FlaskClient, bytes]:
    """The page as it is sent, and the browser that has it."""
    browser = site.app.test_client()
    if page.who is not None:
        browser.set_cookie(SESSION_COOKIE, site.cookies[page.who], secure=True)
    return browser, browser.get(page.at(site), base_url="https://localhost").data


def opened(site: Site, page: Page) -> tuple[FlaskClient, Elements]:
    browser, sent = loaded(site, page)
    return browser, Elements(sent.decode())


def polled(browser: FlaskClient, region: str, address: str) -> str:
    answer = browser.get(
        address,
        base_url="https://localhost",
        headers={"HX-Request": "true", "HX-Target": region},
    )
    assert answer.status_code in (200, 286)
    return answer.get_data(as_text=True)


@pytest.fixture(scope="module")
def sent(site: Site) -> dict[str, bytes]:
    """Each page, by its name."""
    return {page.name: loaded(site, page)[1] for page in PAGES}


def test_no_page_is_large(sent: dict[str, bytes]) -> None:
    assert {name: len(each) for name, each in sent.items() if len(each) > MOST_BYTES} == {}
    elements = {name: len(ELEMENT.findall(each)) for name, each in sent.items()}
    assert {name: count for name, count in elements.items() if count > MOST_ELEMENTS} == {}


# Steps are groups with names; two computers of the seeds have one name and one model.
ALIKE = {"styleguide", "workflow-edit", "workflow-new", "own-provider"}


def test_buttons_that_do_different_things_have_different_names(sent: dict[str, bytes]) -> None:
    """As who hears a page goes from button to button."""
    actions = {name: Actions(each.decode()).by_text() for name, each in sent.items()}
    same = {
        name: {text: does for text, does in by_text.items() if len(does) > 1}
        for name, by_text in actions.items()
        if name not in ALIKE
    }
    assert {name: found for name, found in same.items() if found} == {}


def told(shown: Elements) -> dict[str, str | None]:
    """What the page says in what is put in again."""
    return {id: shown.inner.get(id) for id in (*shown.asked, *HEAD)}


def polled_between_equal_loads(site: Site, page: Page) -> tuple[Elements, dict[str, str]]:
    """The page, and each live region as it is put in again. Time changes what pages say, too: a
    queue becomes stuck in between. So a poll counts if a reload after it shows what was before."""
    for _ in range(10):
        browser, shown = opened(site, page)
        regions = {id: polled(browser, id, address) for id, address in shown.asked.items()}
        if told(opened(site, page)[1]) == told(shown):
            return shown, regions
    raise AssertionError(f"{page.path} is another one on each load")


@pytest.fixture(scope="module")
def live(sent: dict[str, bytes]) -> list[Page]:
    """The pages with a region that is put in again."""
    return [page for page in PAGES if Elements(sent[page.name].decode()).asked]


def test_pages_of_work_that_goes_on_are_live(live: list[Page]) -> None:
    """So that the next test has something to see."""
    assert len(live) > 20


def test_what_is_put_in_again_is_what_a_reload_would_show(site: Site, live: list[Page]) -> None:
    for page in live:
        shown, regions = polled_between_equal_loads(site, page)
        for region, text in regions.items():
            assert FRESH.sub("", text).endswith(shown.inner[region]), (page.name, region)
            if region != "charts":  # pictures beside the region of the page's state
                head = Elements(text).inner
                heads = {id: head.get(id) for id in HEAD}
                assert heads == {id: shown.inner[id] for id in HEAD}, (page.name, region)


def test_a_poll_that_finds_nothing_new_costs_no_bytes_on_a_page_with_forms(site: Site) -> None:
    site.prefer(zone="UTC")  # how long ago something was is another text each second
    page = next(page for page in PAGES if page.name == "monitor")
    browser, shown = opened(site, page)
    [(region, address)] = shown.asked.items()
    headers = {"HX-Request": "true", "HX-Target": region}
    first = browser.get(address, base_url="https://localhost", headers=headers)
    headers["If-None-Match"] = first.headers["ETag"]
    assert browser.get(address, base_url="https://localhost", headers=headers).status_code == 304
