"""A page after its scripts have run: its markup, from a browser started for it alone.

The browser has no network. Every request is answered here by the fetcher, so the address that is
checked is the address that is dialled, and what the fetcher refuses does not exist for the page.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Error, Route, async_playwright
from playwright.async_api import TimeoutError as Unsettled

from app.engine.fetch import Fetcher, Response
from app.engine.rendering.browser import FLAGS, Launch, launch
from app.engine.rendering.rendered import RenderedPage, RenderFailed
from app.engine.rendering.resources import Resources

_POLL_SECONDS = 0.25
_START_SECONDS = 20.0
_NOWHERE = "http://127.0.0.1:1"  # the proxy of whatever is not answered here: nothing listens there


@dataclass(frozen=True, slots=True)
class RenderLimits:
    """The limits of what one page may cost."""

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
        """Run the scripts of a fetched page. Raises RenderFailed."""
        limits = self._limits
        resources = Resources(self._fetcher, page, limits.requests, limits.bytes)
        with launch(self._browser, _START_SECONDS + limits.seconds) as started:
            try:
                markup = asyncio.run(self._run(started, page.url, resources))
            except Error as error:
                raise RenderFailed("render_failed") from error
        return RenderedPage(markup, resources.refused)

    async def _run(self, started: Launch, url: str, resources: Resources) -> str:
        rendering = asyncio.create_task(self._render(started, url, resources))
        while not (await asyncio.wait([rendering], timeout=_POLL_SECONDS))[0]:
            if started.memory_bytes > self._limits.memory_bytes:
                started.kill()
                await asyncio.wait([rendering])  # it fails, and Playwright ends in good order
                raise RenderFailed("too_costly") from rendering.exception()
        return rendering.result()

    async def _render(self, started: Launch, url: str, resources: Resources) -> str:
        async with async_playwright() as playwright:
            context = await playwright.chromium.launch_persistent_context(
                started.profile,
                executable_path=started.executable,
                timeout=_START_SECONDS * 1000,
                chromium_sandbox=True,
                args=list(FLAGS),
                proxy={"server": _NOWHERE},
                accept_downloads=False,
                service_workers="block",
                permissions=[],
            )
            await self._wall_in(context, resources)
            try:
                return await asyncio.wait_for(self._visit(context, url), self._limits.seconds)
            except TimeoutError as error:
                started.kill()
                raise RenderFailed("timeout") from error

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

    async def _visit(self, context: Any, url: str) -> str:
        page = context.pages[0] if context.pages else await context.new_page()
        context.on("page", lambda opened: asyncio.ensure_future(opened.close()))
        settled = self._limits.seconds * 1000 * 0.8
        with suppress(Unsettled):  # what is there by then is what the page says
            await page.goto(url, wait_until="networkidle", timeout=settled)
        markup: str = await page.content()
        return markup
