"""A site, a browser that visits it, and what must hold for any page it shows."""

import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import pytest

from app.core.config.settings import environment
from app.core.http.access import SESSION_COOKIE
from app.local.embedded.redis import Redis
from app.wsgi import create_app
from tests import shared_applications
from tests.browser.checking import Checked
from tests.browser.every_page import SHORT
from tests.browser.pages import SCHEMES
from tests.browser.site import Site, Who, serving
from tests.databases import Databases
from tests.patience import PATIENCE_SECONDS

CHROMIUM: Final = (
    environment().get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)
# No sandbox: tests run as root, and only against pages of this machine.
ARGS: Final = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
HERE: Final = Path(__file__).parent
LIMITS: Final = ("rate_limit_read", "rate_limit_write", "rate_limit_anonymous")
UNLIMITED: Final = "1000000/minute"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--short", action="store_true", help="some pages of each area, and half of the other tests"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("short"):
        short = set(short_form(items))
        config.hook.pytest_deselected(items=[item for item in items if item not in short])
        items[:] = [item for item in items if item in short]
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip("there is no chromium on this machine"))


def short_form(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Every other test of each file, each in its first case; of pages those that are drawn."""
    for _, of_file in groupby(items, key=lambda item: item.path):
        tests = [item for item in of_file if is_first_case(item)]
        yield from tests if tests[0].path.stem == "test_every_page" else tests[::2]


def is_first_case(item: pytest.Item) -> bool:
    if not hasattr(item, "callspec"):
        return True
    if item.path.stem != "test_every_page":
        return not any(item.callspec.indices.values())
    turn = SHORT.get(item.callspec.params["page"].name, -1)
    if "scheme" not in item.callspec.params:
        return turn >= 0 and turn % 2 == 0
    return turn >= 0 and item.callspec.params["scheme"] == SCHEMES[turn % 2]


class SharedBrowser:
    """Is launched when it is first asked for, and serves all modules until it is closed."""

    def __init__(self) -> None:
        self._ends = ExitStack()
        self._launched: Any = None

    def launched(self) -> Any:
        if self._launched is None:
            playwright = pytest.importorskip(
                "playwright.sync_api", reason="make test-browser installs it"
            )
            running = self._ends.enter_context(playwright.sync_playwright())
            self._launched = running.chromium.launch(
                executable_path=CHROMIUM, args=ARGS, timeout=PATIENCE_SECONDS * 1000
            )
            self._ends.callback(self._launched.close)
        return self._launched

    def close(self) -> None:
        self._launched = None
        self._ends.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[SharedBrowser]:
    kept = SharedBrowser()
    yield kept
    kept.close()


@pytest.fixture(scope="module")
def chromium(browser: SharedBrowser) -> Any:
    return browser.launched()


@pytest.fixture(scope="module")
def no_chromium(browser: SharedBrowser) -> None:
    """For tests that run an event loop of their own, as Playwright does."""
    browser.close()


@pytest.fixture(scope="module")
def site(databases: Databases, redis_server: Redis) -> Iterator[Site]:
    """A served application, for a module; `site.seed("searches")` gives it something to show."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    limits = dict.fromkeys(LIMITS, UNLIMITED)
    with (
        shared_applications.made(databases, redis_server, create_app, **limits) as app,
        serving(app, app.extensions["settings"]) as site,
    ):
        yield site


@dataclass
class Visits:
    """Pages that are open: one context for each reader and scheme, with and without scripts."""

    browser: Any
    site: Site
    contexts: dict[tuple[Who, str, bool], Any] = field(default_factory=dict)
    pages: list[Any] = field(default_factory=list)

    def __call__(
        self,
        path: str,
        width: int = 1280,
        scheme: str = "light",
        scripts: bool = True,
        as_: Who = "account",
    ) -> Any:
        """The page, opened; `page.noted` records what it does from its first request on."""
        page = self._context(as_, scheme, scripts).new_page()
        self.pages.append(page)
        page.set_viewport_size({"width": width, "height": 900})
        page.noted = Noted.of(page, self.site.address)
        page.site, page.scheme = self.site, scheme
        page.noted.status = page.goto(self.site.address + path).status
        return page

    def _context(self, who: Who, scheme: str, scripts: bool) -> Any:
        if (who, scheme, scripts) not in self.contexts:
            context = self.browser.new_context(color_scheme=scheme, java_script_enabled=scripts)
            context.set_default_timeout(PATIENCE_SECONDS * 1000)
            if who is not None:
                cookie = {"name": SESSION_COOKIE, "value": self.site.cookies[who]}
                at = {"url": self.site.address.replace("http:", "https:"), "secure": True}
                context.add_cookies([{**cookie, **at, "httpOnly": True, "sameSite": "Lax"}])
            self.contexts[who, scheme, scripts] = context
        return self.contexts[who, scheme, scripts]

    def close_pages(self) -> None:
        """Once they are loaded: closing one in the middle of a navigation may never end."""
        while self.pages:
            page = self.pages.pop()
            if not page.is_closed():
                page.wait_for_load_state()
                page.close()


@dataclass
class Noted:
    """What a page did: which requests it made, and what the browser said of it."""

    own: str
    status: int = 0
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, page: Any, own: str) -> "Noted":
        noted = cls(own)
        page.on("request", lambda request: noted.requests.append(request.url))
        page.on("console", lambda message: message.type == "error" and noted.error(message.text))
        page.on("pageerror", lambda error: noted.error(str(error)))
        return noted

    def error(self, text: str) -> None:
        self.errors.append(text)

    @property
    def foreign(self) -> list[str]:
        """Requests that left this site; those that the policy blocks are errors instead."""
        allowed = (self.own, "data:", "about:", "blob:")
        return [url for url in self.requests if not url.startswith(allowed)]

    @property
    def wrong(self) -> list[str]:
        """What the browser complained of, but for the status of a page that is an error's."""
        expected = f"the server responded with a status of {self.status}"
        return [text for text in self.errors if self.status < 400 or expected not in text]


@pytest.fixture(scope="module")
def _visits(chromium: Any, site: Site) -> Iterator[Visits]:
    visits = Visits(chromium, site)
    yield visits
    for context in visits.contexts.values():
        context.close()


@pytest.fixture
def visit(_visits: Visits) -> Iterator[Visits]:
    """Opens a page of the site, as somebody who is signed in."""
    yield _visits
    _visits.close_pages()


@pytest.fixture(scope="session")
def check(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Whether a page is fit to be seen: `check(page, "answer")` names its screenshot."""
    if request.config.getoption("short"):
        return Checked(None)
    folder = environment().get("SCREENSHOTS") or str(HERE.parents[1] / "build" / "screenshots")
    return Checked(Path(folder))
