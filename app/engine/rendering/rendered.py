"""The result of rendering a page, and the ways it fails."""

from dataclasses import dataclass
from typing import Protocol

from app.engine.fetch import Response


class RenderFailed(Exception):
    """The page could not be rendered: `reason` is timeout, too_costly or render_failed."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class BrowserNotReady(Exception):
    """The browser did not start in time, which says nothing of the page."""


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """`markup` is the document at its end; `refused` of its requests were not answered."""

    markup: str
    refused: int


class Renders(Protocol):
    def render(self, page: Response) -> RenderedPage:
        """Run the scripts of a fetched page. Raises RenderFailed, BrowserNotReady."""
        ...
