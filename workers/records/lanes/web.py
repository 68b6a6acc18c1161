"""The pages that jobs of accounts may fetch: politely, and with no thread asleep for a host."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from typing import Final

from app.core.config.settings import Settings
from app.core.redis.host_turns import RedisHostGate
from app.domains.records.page_jobs.runs.types import EarlierPage
from app.engine.fetch import (
    FetchFailed,
    LocalGate,
    PoliteFetcher,
    Response,
)
from app.engine.sandbox import visit
from app.engine.sandbox.extraction_reader import ExtractionReader, extraction_reader
from app.engine.sandbox.sites import Web, make_web
from workers.web_access import access

PATIENCE_SECONDS: Final = 2.0
"""How long a thread waits for a page's turn at its host; a longer wait is another lane's."""
_TURN_SECONDS: Final = 30.0


class HostResting(Exception):
    """The turn of a page at its host is `seconds` away."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:.1f} s")
        self.seconds = seconds


class ImpatientGate:
    """A gate that refuses instead of making a caller wait for long."""

    def __init__(self, gate: RedisHostGate) -> None:
        self._gate = gate

    @contextmanager
    def turn(self, host: str, gap_seconds: float, deadline: float) -> Iterator[None]:
        """Raises HostResting when the turn does not come soon."""
        soon = min(deadline, time.monotonic() + PATIENCE_SECONDS)
        with ExitStack() as turn:
            try:
                turn.enter_context(self._gate.turn(host, gap_seconds, soon))
            except TimeoutError:
                raise HostResting(max(1.0, self.rest_seconds(host))) from None
            yield

    def defer(self, host: str, seconds: float) -> None:
        self._gate.defer(host, seconds)

    def rest_seconds(self, host: str) -> float:
        return self._gate.rest_seconds(host)


class JobWeb:
    """The web as the lanes of a process fetch it, in all threads; it knows robots.txt."""

    def __init__(self, web: Web, gate: ImpatientGate, reader: ExtractionReader) -> None:
        self.site, self.gate, self.reader = web, gate, reader
        self._polite = PoliteFetcher(web.fetcher, gate, web.robots, gap_seconds=web.gap_seconds)
        self._patient = PoliteFetcher(
            web.fetcher, web.gate, web.robots, gap_seconds=web.gap_seconds
        )

    def fetch(self, url: str, known: EarlierPage | None = None) -> Response | visit.Outcome:
        """The page, or why it did not come. Raises HostResting."""
        etag, modified = (known.etag, known.last_modified) if known else (None, None)
        fetcher = self._polite
        if self.is_unpaced(url):
            fetcher = PoliteFetcher(self.site.fetcher, LocalGate(), self.site.robots, gap_seconds=0)
        deadline = time.monotonic() + _TURN_SECONDS
        return visit.fetch(fetcher, url, deadline, etag, modified)

    def fetch_patiently(self, url: str) -> Response | visit.Outcome:
        """As `fetch`, for the few pages that a run needs before its lanes: waits for its turn."""
        return visit.fetch(self._patient, url, time.monotonic() + _TURN_SECONDS)

    def is_unpaced(self, url: str) -> bool:
        """True if several pages may be fetched at once: the operator vouches for the host, and its
        robots.txt asks for no delay.
        """
        try:
            return self.site.threads(url) > 1
        except FetchFailed:
            return False


@lru_cache(maxsize=1)
def job_web(settings: Settings) -> JobWeb:
    fetcher, gate = access(settings, settings.extract_fetch_allow)
    reader = extraction_reader()
    site = make_web(fetcher, gate, settings.fetch_gap_seconds, reader)
    return JobWeb(site, ImpatientGate(gate), reader)
