"""A page after its scripts have run: its markup, from a browser started for it alone.

The browser has no network. Every request is answered here by the fetcher, so the address that is
checked is the address that is dialled, and what the fetcher refuses does not exist for the page.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Error, Page, Route, async_playwright

from app.core import log
from app.engine.fetch import Fetcher, Response
from app.engine.rendering.browser import FLAGS, Launch, launch
from app.engine.rendering.rendered import BrowserNotReady, RenderedPage, RenderFailed
from app.engine.rendering.resources import Resources
from app.engine.rendering.work_clock import WorkClock

_POLL_SECONDS = 0.25
_START_SECONDS = 20.0
_SETTLED = 0.8  # of a page's seconds; the rest is for its markup
_WHY_CHARACTERS = 500
_NOWHERE = "http://127.0.0.1:1"  # the proxy of whatever is not answered here: nothing listens there
_DOCUMENT = """(html => html.length > %d ? null : html)(
    (document.doctype ? '<!doctype html>' : '') + (document.documentElement?.outerHTML ?? ''))"""

logger = log.get(__name__)


@dataclass(frozen=True, slots=True)
class RenderLimits:
    """The limits of what one page may cost. `seconds` are those of a `WorkClock`, `bytes` those of
    its resources together, and of its document."""

    seconds: float = 15.0
    requests: int = 60
    bytes: int = 10 << 20
    memory_bytes: int = 1 << 30


class Renderer:
    """Renders one page at a time with the browser at this path."""

    def __init__(self, browser: str, fetcher: Fetcher, limits: RenderLimits | None = None) -> None:
        self._browser, self._fetcher = browser, fetcher
        self._limits = limits or RenderLimits()

    def render(self, page: Response) -> RenderedPage:
        """Run the scripts of a fetched page. Raises RenderFailed, BrowserNotReady."""
        limits = self._limits
        resources = Resources(self._fetcher, page, limits.requests, limits.bytes)
        with launch(self._browser) as started:
            visit = _Visit(started, limits)
            try:
                markup = asyncio.run(visit.markup(page.url, resources))
            except Error as error:
                if not visit.opened:  # of itself the browser speaks, not of the page
                    logger.error("the browser does not start", why=_why(error))
                raise RenderFailed("render_failed") from error
        return RenderedPage(markup, resources.refused)


def _why(error: Error) -> str:
    """The lines that the browser wrote; Playwright puts its long command line before them."""
    lines = [line for line in str(error).splitlines() if "[err]" in line]
    return "\n".join(lines)[:_WHY_CHARACTERS] or str(error)[:_WHY_CHARACTERS]


class _Visit:
    """One browser with one page, watched while it works."""

    def __init__(self, started: Launch, limits: RenderLimits) -> None:
        self._started, self._limits = started, limits
        self._clock = WorkClock()
        self.opened = False  # the browser has started

    async def markup(self, url: str, resources: Resources) -> str:
        rendering = asyncio.create_task(self._render(url, resources))
        while not (await asyncio.wait([rendering], timeout=_POLL_SECONDS))[0]:
            if failure := self._exceeded():
                while not rendering.done():  # it fails, and Playwright ends in good order
                    self._started.kill()  # again: a browser may start only now
                    await asyncio.wait([rendering], timeout=_POLL_SECONDS)
                raise failure from rendering.exception()
        return rendering.result()

    def _exceeded(self) -> Exception | None:
        usage = self._started.usage()
        self._clock.tick(_POLL_SECONDS, usage)
        if usage.memory_bytes > self._limits.memory_bytes:
            return RenderFailed("too_costly")
        if not self.opened:
            late = self._clock.seconds > _START_SECONDS
            return BrowserNotReady() if late else None
        return RenderFailed("timeout") if self._clock.seconds > self._limits.seconds else None

    async def _render(self, url: str, resources: Resources) -> str:
        async with async_playwright() as playwright:
            context = await playwright.chromium.launch_persistent_context(
                self._started.profile,
                executable_path=self._started.executable,
                timeout=0,  # `_exceeded` watches it
                chromium_sandbox=True,
                args=list(FLAGS),
                proxy={"server": _NOWHERE},
                accept_downloads=False,
                service_workers="block",
                permissions=[],
            )
            self.opened, self._clock.seconds = True, 0.0
            await self._wall_in(context, resources)
            return await self._read(context, url)

    @staticmethod
    async def _wall_in(context: Any, resources: Resources) -> None:
        async def answer(route: Route) -> None:
            request = route.request
            loaded = await asyncio.to_thread(
                resources.load, request.url, request.method, request.resource_type
            )
            with suppress(Error):  # the page has gone meanwhile
                if loaded is None:
                    await route.abort()
                else:
                    await route.fulfill(
                        status=loaded.status, headers=dict(loaded.headers), body=loaded.body
                    )

        # Of the whole context: those of workers never reach a page's own routes.
        await context.route("**/*", answer)
        await context.route_web_socket("**/*", lambda socket: socket.close())

    async def _read(self, context: Any, url: str) -> str:
        page: Page = context.pages[0] if context.pages else await context.new_page()
        context.on("page", lambda opened: asyncio.ensure_future(opened.close()))
        await self._settle(page, url)
        return await self._markup(context, page)

    async def _markup(self, context: Any, page: Page) -> str:
        """The document, measured before it leaves the browser; in a world of its own, whose
        functions no page replaces."""
        session = await context.new_cdp_session(page)
        frames = await session.send("Page.getFrameTree")
        frame = {"frameId": frames["frameTree"]["frame"]["id"]}
        world = await session.send("Page.createIsolatedWorld", frame)
        script = _DOCUMENT % self._limits.bytes
        asked = {"contextId": world["executionContextId"], "expression": script}
        markup: str | None = (await session.send("Runtime.evaluate", asked))["result"].get("value")
        if markup is None:
            raise RenderFailed("too_costly")
        return markup

    async def _settle(self, page: Page, url: str) -> None:
        """Wait for the page's requests; what is there when its time is over is what it says."""
        going = asyncio.ensure_future(page.goto(url, wait_until="networkidle", timeout=0))
        while not (await asyncio.wait([going], timeout=_POLL_SECONDS))[0]:
            if self._clock.seconds > _SETTLED * self._limits.seconds:
                going.cancel()
                return
        going.result()
