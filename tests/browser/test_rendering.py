"""Pages that need JavaScript, in a real browser that reaches nothing but through the fetcher."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

pytest.importorskip("playwright.async_api", reason="the extra `render` is missing")

from app.core.config.allow_list import parse_allow_list
from app.engine.fetch import Fetcher, FetchPolicy
from app.engine.rendering import browser, renderer
from app.engine.rendering.rendered import BrowserNotReady, RenderedPage, RenderFailed
from app.engine.rendering.renderer import Renderer, RenderLimits
from tests.internet import Reply, serving

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="there is no chromium on this machine"),
    pytest.mark.usefixtures("no_chromium"),
]

PATIENT = RenderLimits(seconds=60)


@dataclass
class Site:
    """A site on loopback: what it serves by path, and what it was asked for."""

    port: int = 0
    pages: dict[str, Reply] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def serve(self, path: str, body: str, media_type: str = "text/html") -> None:
        self.pages[path] = 200, {"Content-Type": media_type}, body.encode()

    def answer(self, target: str, _: object) -> Reply:
        self.requests.append(target)
        return self.pages.get(target, (404, {}, b""))


@pytest.fixture
def sites() -> Iterator[tuple[Site, Site]]:
    """A site that may be fetched, and one that may not."""
    site, trap = Site(), Site()
    with serving(site.answer) as site.port, serving(trap.answer) as trap.port:
        yield site, trap


def rendered(site: Site, path: str, limits: RenderLimits = PATIENT) -> RenderedPage:
    fetcher = Fetcher(FetchPolicy(allow=parse_allow_list(f"127.0.0.1:{site.port}")))
    return Renderer(CHROMIUM, fetcher, limits).render(fetcher.get(site.url + path))


def test_what_scripts_write_is_in_the_markup(sites: tuple[Site, Site]) -> None:
    site, _ = sites
    site.serve("/data.json", '{"name": "Alder"}', "application/json")
    script = 'fetch("/data.json").then(r => r.json()).then(d => { app.textContent = d.name })'
    site.serve("/app.js", script, "text/javascript")
    site.serve("/", '<div id="app"></div><script src="/app.js"></script>')
    assert '<div id="app">Alder</div>' in rendered(site, "/").markup


def test_the_page_itself_is_fetched_once(sites: tuple[Site, Site]) -> None:
    site, _ = sites
    site.serve("/", "<p>Owls.</p>")
    rendered(site, "/")
    assert site.requests.count("/") == 1


# Each tries to reach TRAP, which stands for any address that the fetcher refuses.
ESCAPES = {
    "fetch": "fetch('TRAP').catch(() => 0)",
    "a post": "fetch('SITE/sink', {method: 'POST', body: 'x'}).catch(() => 0)",
    "a beacon": "navigator.sendBeacon('TRAP', 'x')",
    "an image": "new Image().src = 'TRAP'",
    "an image of the site": "new Image().src = 'SITE/sink'",
    "a redirect of the site": "fetch('SITE/away').catch(() => 0)",
    "a web socket": "new WebSocket('TRAP'.replace('http', 'ws'))",
    "an event source": "new EventSource('TRAP')",
    "a worker": "new Worker(URL.createObjectURL(new Blob([`fetch('TRAP')`])))",
    "a shared worker": "new SharedWorker(URL.createObjectURL(new Blob([`fetch('TRAP')`])))",
    "a service worker": "navigator.serviceWorker.register('SITE/sink')",
    "a module of a worker": "new Worker('TRAP', {type: 'module'})",
    "a frame": "document.body.append(Object.assign(document.createElement('iframe'),"
    " {src: 'TRAP'}))",
    "another page": "location = 'TRAP'",
    "a window": "window.open('TRAP')",
    "a form": "f = document.createElement('form'); f.method = 'post'; f.action = 'TRAP';"
    "document.body.append(f); f.submit()",
    "a prefetch": "document.head.append(Object.assign(document.createElement('link'),"
    " {rel: 'prefetch', href: 'TRAP'}))",
    "a preconnect": "document.head.append(Object.assign(document.createElement('link'),"
    " {rel: 'preconnect', href: 'TRAP'}))",
    "a style": "document.head.append(Object.assign(document.createElement('style'),"
    " {textContent: `@import url('TRAP'); body { background: url('TRAP') }`}))",
    "web rtc": "p = new RTCPeerConnection({iceServers: [{urls: 'turn:127.0.0.1:PORT?transport=tcp',"
    " username: 'u', credential: 'c'}]}); p.createDataChannel('c');"
    "p.createOffer().then(o => p.setLocalDescription(o))",
    "a file": "fetch('file:///etc/passwd').catch(() => 0)",
}


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES.keys())
def test_a_page_reaches_nothing_that_the_fetcher_refuses(
    sites: tuple[Site, Site], escape: str
) -> None:
    site, trap = sites
    trap.serve("/secret", "secret")
    site.pages["/away"] = 302, {"Location": f"{trap.url}/secret"}, b""
    script = escape.replace("TRAP", f"{trap.url}/secret").replace("SITE", site.url)
    script = script.replace("PORT", str(trap.port))
    site.serve("/", f"<body><p>Owls.</p><script>{script}</script>")
    assert "Owls." in rendered(site, "/").markup
    assert trap.requests == []
    assert not any("/sink" in request for request in site.requests)


def test_the_settings_alone_keep_it_inside_where_there_is_no_namespace(
    sites: tuple[Site, Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "no_network", lambda: ())
    site, trap = sites
    tries = ";".join(f"try {{ {escape} }} catch {{}}" for escape in ESCAPES.values())
    script = tries.replace("TRAP", f"{trap.url}/secret").replace("SITE", site.url)
    site.serve("/", f"<body><p>Owls.</p><script>{script.replace('PORT', str(trap.port))}</script>")
    assert "Owls." in rendered(site, "/").markup
    assert trap.requests == []


def test_more_requests_than_a_page_may_make_are_refused(sites: tuple[Site, Site]) -> None:
    site, _ = sites
    site.serve("/", "<body><script>for (i = 0; i < 9; i++) fetch('/' + i)</script>")
    rendered(site, "/", RenderLimits(seconds=60, requests=4))
    assert len([request for request in site.requests if request[1:].isdigit()]) == 4


def test_a_page_that_never_ends_is_given_up(sites: tuple[Site, Site]) -> None:
    site, _ = sites
    site.serve("/", "<body><script>for (;;) ;</script>")
    with pytest.raises(RenderFailed, match="timeout"):
        rendered(site, "/", RenderLimits(seconds=3))


def test_a_page_whose_requests_never_end_is_read_as_it_is(sites: tuple[Site, Site]) -> None:
    site, _ = sites
    script = "setInterval(() => fetch('/more').catch(() => 0), 100); app.textContent = 'Alder'"
    site.serve("/", f'<div id="app"></div><script>{script}</script>')
    assert '<div id="app">Alder</div>' in rendered(site, "/", RenderLimits(seconds=15)).markup


@pytest.mark.parametrize("seconds", [1.0, 0.0], ids=["while it starts", "before it does"])
def test_a_browser_that_does_not_start_says_nothing_of_the_page(
    seconds: float, sites: tuple[Site, Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renderer, "_START_SECONDS", seconds)
    site, _ = sites
    site.serve("/", "<p>Owls.</p>")
    fetcher = Fetcher(FetchPolicy(allow=parse_allow_list(f"127.0.0.1:{site.port}")))
    # Not pytest's folder: the browser's user cannot enter that of root.
    with TemporaryDirectory() as folder:
        stuck = Path(folder, "chromium")
        stuck.write_text("#!/bin/sh\nexec sleep 600\n")
        for path in (stuck, stuck.parent):
            path.chmod(0o755)
        with pytest.raises(BrowserNotReady):
            Renderer(str(stuck), fetcher, PATIENT).render(fetcher.get(site.url))


def test_a_page_that_takes_all_memory_is_given_up(sites: tuple[Site, Site]) -> None:
    site, _ = sites
    pause = "t = performance.now(); while (performance.now() - t < 20);"
    hoard = f"held = []; for (;;) {{ held.push(new Uint8Array(2e7).fill(1)); {pause} }}"
    site.serve("/", f"<body><script>{hoard}</script>")
    with pytest.raises(RenderFailed, match="too_costly"):
        rendered(site, "/", RenderLimits(seconds=60, memory_bytes=700 << 20))


def test_a_document_that_grew_beyond_the_limit_stays_in_the_browser(
    sites: tuple[Site, Site],
) -> None:
    site, _ = sites
    lie = "Object.defineProperty(Element.prototype, 'outerHTML', {get: () => 'small'})"
    site.serve("/", f"<body><script>{lie}; document.body.append('x'.repeat(3e6))</script>")
    with pytest.raises(RenderFailed, match="too_costly"):
        rendered(site, "/", RenderLimits(seconds=60, bytes=2_000_000))


def test_what_a_page_stores_on_the_disk_counts_as_memory() -> None:
    with browser.launch("/usr/bin/true") as started:
        (started.profile / "database").write_bytes(b"x" * 1_000_000)
        assert started.usage().memory_bytes >= 1_000_000


def test_a_browser_that_is_not_there_is_a_failure_and_the_log_says_why(
    sites: tuple[Site, Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(renderer.logger, "error", lambda _event, why: said.append(why))
    site, _ = sites
    site.serve("/", "<p>Owls.</p>")
    fetcher = Fetcher(FetchPolicy(allow=parse_allow_list(f"127.0.0.1:{site.port}")))
    with pytest.raises(RenderFailed, match="render_failed"):
        Renderer("/nowhere/chromium", fetcher, PATIENT).render(fetcher.get(site.url))
    assert "/nowhere/chromium" in said[0]
