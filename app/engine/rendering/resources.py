"""The resources that a page in the browser may load, each judged, counted and fetched."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.engine.fetch import Fetcher, FetchFailed, Response
from app.engine.fetch.robots import Robots
from app.engine.fetch.url import parse

# A browser that is told so stays where it is (RFC 9110, 15.3.5).
_STAY = 204
LOADED_TYPES = frozenset({"script", "stylesheet", "xhr", "fetch"})
_PASSED_HEADERS = frozenset({
    "access-control-allow-credentials", "access-control-allow-headers",
    "access-control-allow-methods", "access-control-allow-origin",
    "access-control-expose-headers", "content-type", "x-content-type-options",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class LoadedResource:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Resources:
    """The resources that one page loads: at most `most` requests and `most_bytes`. Threads share
    it.

    A page of a host that the operator's allow-list does not name reaches nothing that only that
    list opens.
    """

    def __init__(self, fetcher: Fetcher, page: Response, most: int, most_bytes: int) -> None:
        policy = fetcher.policy
        allow = policy.allow if parse(page.url, policy).listed else ()
        self._fetcher = fetcher.under(replace(policy, media_types=None, allow=allow))
        self._robots = Robots(self._fetcher)
        self._page: Response | None = page
        self._requests_left, self._bytes_left = most, most_bytes
        self._lock = threading.Lock()
        self.refused = 0

    def load(self, url: str, method: str, type: str) -> LoadedResource | None:
        """The answer to a request of the page; None when it is refused or fails.

        `type` is what Playwright calls the type of a resource. The page is answered once: it
        cannot lead elsewhere, nor frame others.
        """
        if type == "document":
            loaded = self._take_page()
        elif method == "GET" and type in LOADED_TYPES and self._take_turn():
            loaded = self._fetch(url)
        else:
            loaded = None
        with self._lock:
            self.refused += loaded is None
        return LoadedResource(_STAY, {}, b"") if loaded is None and type == "document" else loaded

    def _take_page(self) -> LoadedResource | None:
        with self._lock:
            page, self._page = self._page, None
        return _passed(page) if page else None

    def _take_turn(self) -> bool:
        with self._lock:
            self._requests_left -= 1
            return self._requests_left >= 0 and self._bytes_left > 0

    def _fetch(self, url: str) -> LoadedResource | None:
        try:
            if not self._robots.allowed(url):
                return None
            response = self._fetcher.get(url)
        except FetchFailed:
            return None
        with self._lock:
            self._bytes_left -= len(response.body)
            return _passed(response) if self._bytes_left >= 0 else None


def _passed(response: Response) -> LoadedResource:
    headers = {name: v for name, v in response.headers.items() if name in _PASSED_HEADERS}
    return LoadedResource(response.status, headers, response.body)
