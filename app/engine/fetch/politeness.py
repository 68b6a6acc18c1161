"""Never more than one request at a time to a host, and a pause between two."""

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from app.engine.fetch.client import Fetcher
from app.engine.fetch.failure import FetchFailed, Reason
from app.engine.fetch.response import Response
from app.engine.fetch.robots import Robots, Rules
from app.engine.fetch.url import Target, parse

DEFAULT_GAP_SECONDS: Final = 1.0
MAX_RETRY_AFTER_SECONDS: Final = 3600.0
_SWEEP_AT: Final = 1024


class HostGate(Protocol):
    """Hands out turns, one at a time for each host."""

    def turn(self, host: str, gap_seconds: float, deadline: float) -> AbstractContextManager[None]:
        """Wait for the turn; the host then rests for `gap_seconds` after it was given back.

        `deadline` is a time.monotonic() moment. Raises TimeoutError when the turn does not come
        before it.
        """
        ...

    def defer(self, host: str, seconds: float) -> None:
        """Let the host rest for at least `seconds` from now."""
        ...


@dataclass(slots=True)
class _Host:
    busy: bool = False
    rests_until: float = 0.0  # by time.monotonic()


class LocalGate:
    """A HostGate for the threads of this process."""

    def __init__(self) -> None:
        self._hosts: dict[str, _Host] = {}
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, host: str, gap_seconds: float, deadline: float) -> Iterator[None]:
        self._take(host, deadline)
        try:
            yield
        finally:
            self._give_back(host, gap_seconds)

    def defer(self, host: str, seconds: float) -> None:
        with self._changed:
            self._rest(self._hosts.setdefault(host, _Host()), seconds)

    def _take(self, host: str, deadline: float) -> None:
        with self._changed:
            self._sweep()
            while True:
                state = self._hosts.setdefault(host, _Host())
                now = time.monotonic()
                if not state.busy and state.rests_until <= now:
                    state.busy = True
                    return
                # A rest that outlasts the deadline is known now; do not wait for it.
                if now >= deadline or state.rests_until >= deadline:
                    raise TimeoutError
                self._changed.wait((deadline if state.busy else state.rests_until) - now)

    def _give_back(self, host: str, gap_seconds: float) -> None:
        with self._changed:
            state = self._hosts[host]
            state.busy = False
            self._rest(state, gap_seconds)
            self._changed.notify_all()

    def _rest(self, state: _Host, seconds: float) -> None:
        state.rests_until = max(state.rests_until, time.monotonic() + seconds)

    def _sweep(self) -> None:
        if len(self._hosts) < _SWEEP_AT:
            return
        now = time.monotonic()
        self._hosts = {h: s for h, s in self._hosts.items() if s.busy or s.rests_until > now}


class PoliteFetcher:
    """Fetches pages as a good guest: asks robots.txt, takes turns, heeds Retry-After."""

    def __init__(
        self,
        fetcher: Fetcher,
        gate: HostGate,
        robots: Robots | None = None,
        *,
        gap_seconds: float = DEFAULT_GAP_SECONDS,
    ) -> None:
        self._fetcher = fetcher
        self._gate = gate
        self._robots = robots or Robots(fetcher)
        self._gap_seconds = gap_seconds

    def get(
        self,
        url: str,
        *,
        deadline: float,
        etag: str | None = None,
        last_modified: str | None = None,
    ) -> Response:
        """Fetch `url` in turn; `deadline` (time.monotonic()) bounds the waiting, not the fetch.

        Raises FetchFailed: robots_disallowed when robots.txt of the page, or of where it redirects
        to, says no, robots_unreachable when it could not be had; timeout when the turn does not
        come; else as `Fetcher.get`.
        """
        target = parse(url, self._fetcher.policy)
        try:
            rules = self._rules(target, deadline)
            _ask(rules, target)
            gap = max(self._gap(target), rules.crawl_delay_seconds)
            with self._gate.turn(target.host, gap, deadline):
                response = self._fetcher.get(url, etag=etag, last_modified=last_modified)
                self._heed(target, response)
            self._check_destination(target, response, deadline)
        except TimeoutError:
            raise FetchFailed("timeout", target.host) from None
        return response

    def _rules(self, target: Target, deadline: float) -> Rules:
        cached = self._robots.cached_rules(target)
        if cached is not None:
            return cached
        # Asked again inside the turn: whoever was here before us has cached the answer.
        with self._gate.turn(target.host, self._gap(target), deadline):
            return self._robots.rules(target)

    def _gap(self, target: Target) -> float:
        """The operator's own hosts need no protection from the operator."""
        return 0.0 if target.listed else self._gap_seconds

    def _heed(self, target: Target, response: Response) -> None:
        wanted_pause = response.retry_after_seconds
        if wanted_pause is not None and response.retryable:
            self._gate.defer(target.host, min(wanted_pause, MAX_RETRY_AFTER_SECONDS))

    def _check_destination(self, requested: Target, response: Response, deadline: float) -> None:
        if response.url == requested.url:
            return
        target = parse(response.url, self._fetcher.policy)
        _ask(self._rules(target, deadline), target)


def _ask(rules: Rules, target: Target) -> None:
    """Without an answer robots.txt forbids everything, for now: that is not the site's word."""
    if not rules.allow(target):
        reason: Reason = "robots_unreachable" if rules.unreachable else "robots_disallowed"
        raise FetchFailed(reason, target.host)
