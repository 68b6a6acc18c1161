"""The wishes of a site to crawlers: robots.txt (RFC 9309), fetched as carefully as any page."""

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Protocol

from protego import Protego

from app.engine.fetch.client import Fetcher
from app.engine.fetch.failure import FetchFailed
from app.engine.fetch.policy import PRODUCT
from app.engine.fetch.response import Response
from app.engine.fetch.url import Target, parse

MAX_BYTES: Final = 500 << 10  # RFC 9309, 2.5
MAX_CRAWL_DELAY_SECONDS: Final = 60.0
_DAY_SECONDS: Final = 24 * 3600  # RFC 9309, 2.4
_UNREACHABLE_SECONDS: Final = 60
_UNREACHABLE: Final = "User-agent: *\nDisallow: /\n# no answer"
_CACHED_CHARACTERS: Final = 16 << 20
_PARSED: Final = 8  # a long one takes a second or two to parse, and tens of megabytes


class RobotsCache(Protocol):
    """A store for the text of robots.txt, by origin."""

    def get(self, origin: str) -> str | None: ...

    def put(self, origin: str, text: str, ttl_seconds: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Rules:
    """One origin's robots.txt, read for this crawler.

    `unreachable` says that everything is disallowed because there was no answer to read.
    """

    parsed: Protego
    unreachable: bool

    def allow(self, target: Target) -> bool:
        return bool(self.parsed.can_fetch(target.url, PRODUCT))

    @property
    def crawl_delay_seconds(self) -> float:
        """0 when none is asked for, never more than 60."""
        return min(float(self.parsed.crawl_delay(PRODUCT) or 0.0), MAX_CRAWL_DELAY_SECONDS)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """Sitemap URLs as written: hostile, and perhaps of another host."""
        return tuple(self.parsed.sitemaps)


class Robots:
    """robots.txt of every origin that is asked about, kept for at most a day.

    The methods take a URL of the site, since a robots.txt speaks for scheme, host and port. They
    raise FetchFailed when that URL itself is refused, never for robots.txt.
    """

    def __init__(self, fetcher: Fetcher, cache: RobotsCache | None = None) -> None:
        self._policy = fetcher.policy
        self._fetcher = fetcher.under(
            replace(fetcher.policy, media_types=None, max_body_bytes=MAX_BYTES, truncate=True)
        )
        self._cache = cache or MemoryCache()

    def allowed(self, url: str) -> bool:
        target = parse(url, self._policy)
        return self.rules(target).allow(target)

    def crawl_delay(self, url: str) -> float:
        """Seconds the site asks to leave between requests: 0 to 60."""
        return self.rules(parse(url, self._policy)).crawl_delay_seconds

    def sitemaps(self, url: str) -> tuple[str, ...]:
        return self.rules(parse(url, self._policy)).sitemaps

    def rules(self, target: Target) -> Rules:
        """The rules of the target's origin, fetched unless they are cached."""
        cached = self.cached_rules(target)
        if cached is not None:
            return cached
        text = self._fetch(target)
        ttl_seconds = _UNREACHABLE_SECONDS if text == _UNREACHABLE else _DAY_SECONDS
        self._cache.put(target.origin, text, ttl_seconds)
        return _read(text)

    def cached_rules(self, target: Target) -> Rules | None:
        """The rules of the target's origin when no request is needed to know them."""
        text = self._cache.get(target.origin)
        return None if text is None else _read(text)

    def _fetch(self, target: Target) -> str:
        try:
            response = self._fetcher.get(f"{target.origin}/robots.txt")
        except FetchFailed:
            return _UNREACHABLE
        if 200 <= response.status < 300:
            return _text(response)
        # 429 is no verdict on robots.txt but a wish to be left alone for now.
        if 400 <= response.status < 500 and response.status != 429:
            return ""
        return _UNREACHABLE


def _text(response: Response) -> str:
    body = response.body
    if response.truncated:
        # "Allow: /public" cut to "Allow: /" would open the site: drop the broken line.
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    return body.decode("utf-8-sig", errors="replace")


@lru_cache(maxsize=_PARSED)
def _read(text: str) -> Rules:
    return Rules(Protego.parse(text), unreachable=text == _UNREACHABLE)


class MemoryCache:
    """A RobotsCache of this process: 16 Mi characters, the oldest make room."""

    def __init__(self, max_characters: int = _CACHED_CHARACTERS) -> None:
        self._max = max_characters
        self._size = 0
        self._kept: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, origin: str) -> str | None:
        with self._lock:
            text, until = self._kept.get(origin, (None, 0.0))
            return text if time.monotonic() < until else None

    def put(self, origin: str, text: str, ttl_seconds: int) -> None:
        with self._lock:
            self._drop(origin)
            self._kept[origin] = (text, time.monotonic() + ttl_seconds)
            self._size += _weight(origin, text)
            while self._size > self._max and self._kept:
                self._drop(next(iter(self._kept)))

    def _drop(self, origin: str) -> None:
        if origin in self._kept:
            text, _ = self._kept.pop(origin)
            self._size -= _weight(origin, text)


def _weight(origin: str, text: str) -> int:
    return len(origin) + len(text)
