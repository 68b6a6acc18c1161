"""Pages that need JavaScript: with a browser they have records, without one they say so."""

from dataclasses import dataclass, field

import pytest

from app.engine.fetch import Response
from app.engine.rendering.rendered import BrowserNotReady, RenderedPage, RenderFailed
from tests.integration.page_jobs.reading import Workshop, lamp
from workers.records.lanes import lane, rendering

pytestmark = pytest.mark.usefixtures("database")

EMPTY_APP = "<title>Lamps</title><div id=app></div><script src=/app.js></script>"


@dataclass
class Browser:
    """Makes of a page what `scripts` says of its path, and notes who asked."""

    scripts: dict[str, str] = field(default_factory=dict)
    rendered: list[str] = field(default_factory=list)
    ready: bool = True

    def render(self, page: Response) -> RenderedPage:
        if not self.ready:
            self.ready = True
            raise BrowserNotReady
        path = "/" + page.url.rpartition("/")[2]
        self.rendered.append(path)
        if path not in self.scripts:
            raise RenderFailed("timeout")
        return RenderedPage(self.scripts[path], 0)


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Browser:
    browser = Browser()
    monkeypatch.setattr(lane, "can_render", lambda _: True)
    monkeypatch.setattr(rendering, "renderer", lambda _: browser)
    return browser


def test_without_a_browser_a_page_that_needs_one_says_so(shop: Workshop) -> None:
    shop.site.pages["/app"] = EMPTY_APP
    assert shop.read(shop.urls("/app")).outcomes == {"/app": "needs_rendering"}


def test_a_page_whose_browser_did_not_start_in_time_is_rendered_later(
    shop: Workshop, browser: Browser
) -> None:
    shop.site.pages["/app"] = EMPTY_APP
    browser.scripts["/app"], browser.ready = lamp("Alder", 9.5), False
    job = shop.submit(shop.urls("/app"))
    shop.work()
    shop.expire_leases()
    shop.work()
    assert shop.outcome(job).outcomes == {"/app": "read"}


def test_only_pages_that_need_a_browser_get_one(shop: Workshop, browser: Browser) -> None:
    shop.lamps(3)
    shop.site.pages["/app"] = EMPTY_APP
    browser.scripts["/app"] = lamp("Alder", 9.5)
    read = shop.read(shop.urls("/0", "/app", "/1", "/2"))
    assert (browser.rendered, len(read.records)) == (["/app"], 4)


def test_more_pages_than_browsers_are_all_rendered(shop: Workshop, browser: Browser) -> None:
    paths = [f"/app{n}" for n in range(25)]
    for path in paths:
        shop.site.pages[path] = EMPTY_APP
        browser.scripts[path] = lamp(path, 9.5)
    read = shop.read(shop.urls(*paths))
    assert set(read.outcomes.values()) == {"read"}
    assert sorted(browser.rendered) == sorted(paths)


def test_a_page_that_is_still_empty_in_the_browser_is_not_rendered_again(
    shop: Workshop, browser: Browser
) -> None:
    shop.site.pages["/app"] = EMPTY_APP
    browser.scripts["/app"] = EMPTY_APP
    assert shop.read(shop.urls("/app")).outcomes == {"/app": "needs_rendering"}
    assert browser.rendered == ["/app"]


def test_a_page_that_the_browser_cannot_render_says_why(shop: Workshop, browser: Browser) -> None:
    shop.lamps(1)
    shop.site.pages["/app"] = EMPTY_APP
    assert shop.read(shop.urls("/app", "/0")).outcomes == {"/app": "timeout", "/0": "read"}


def test_what_a_dead_browser_worker_had_is_rendered_by_another(
    shop: Workshop, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.site.pages["/app"] = EMPTY_APP
    browser.scripts["/app"] = lamp("Alder", 9.5)
    job = shop.submit(shop.urls("/app"))
    shop.die_once(lane, "rendered", monkeypatch, KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        shop.work()
    shop.expire_leases()
    shop.work(worker="w:2:2")
    assert shop.outcome(job).outcomes == {"/app": "read"}


def test_links_that_scripts_write_are_followed(shop: Workshop, browser: Browser) -> None:
    shop.lamps(1)
    shop.site.pages["/app"] = EMPTY_APP
    browser.scripts["/app"] = lamp("Alder", 9.5, "/0")
    source = {"type": "crawl", "url": shop.site.url + "/app", "max_depth": 2}
    assert shop.read(source).outcomes == {"/app": "read", "/0": "read"}
