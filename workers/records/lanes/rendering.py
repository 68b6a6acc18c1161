"""Pages that need JavaScript: each a part of its run, done by a worker that may start a browser.

The library behind it is an optional extra, imported by name where a browser is configured.
"""

from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from app.core import log
from app.core.config.settings import Settings
from app.engine.fetch import Response
from app.engine.rendering.rendered import BrowserNotReady, RenderFailed, Renders
from app.engine.sandbox.reader import ReaderNotReady
from workers.records.lanes.web import job_web

NEEDS_RENDERING: Final = "needs_rendering"
# Of the page before its scripts ran: what came of them may be new while it is the same.
_VALIDATORS: Final = frozenset({"etag", "last-modified"})

logger = log.get(__name__)


@lru_cache(maxsize=1)
def can_render(settings: Settings) -> bool:
    """True if pages that need a browser get one."""
    if not settings.render_browser:
        return False
    if find_spec("playwright") is None:
        logger.error("a browser is configured, but the extra `render` is not installed")
        return False
    return True


def rendered(settings: Settings, page: Response) -> Response | str:
    """The page after its scripts, or the outcome without one. Raises ReaderNotReady."""
    try:
        markup = renderer(settings).render(page).markup
    except BrowserNotReady as error:
        raise ReaderNotReady(why="the browser does not start") from error
    except RenderFailed as failure:
        return failure.reason
    headers = {name: value for name, value in page.headers.items() if name not in _VALIDATORS}
    headers["content-type"] = "text/html; charset=utf-8"
    return replace(page, body=markup.encode("utf-8", "replace"), headers=headers)


@lru_cache(maxsize=1)
def renderer(settings: Settings) -> Renders:
    module = import_module("app.engine.rendering.renderer")
    made: Renders = module.Renderer(settings.render_browser, job_web(settings).site.fetcher)
    return made
