"""The server as a client sees it: where it is, who asks, how a described call becomes requests."""

import copy
import json
import platform
import secrets
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, Final, Self, TypeVar
from urllib.parse import quote, urlencode

from citegrid.calls import (
    UNSET,
    Call,
    Content,
    Route,
    Watch,
    expect,
    json_of,
    nothing,
    without_none,
)
from citegrid.errors import (
    AuthExpiredToken,
    AuthRevokedToken,
    ConnectionFailed,
    DeadlineReached,
    InvalidArgument,
    StillRunning,
    UnusableAnswer,
)
from citegrid.profiles.credentials import Access, Credentials, Tokens
from citegrid.transport import call_options
from citegrid.transport.codec import as_json, identified
from citegrid.transport.event_stream import EventParser
from citegrid.transport.exchange import (
    Effect,
    Emit,
    Open,
    Pause,
    Policy,
    Produce,
    ReadPiece,
    Reply,
    Request,
    Send,
    Steps,
    exchange,
)
from citegrid.version import __version__

T = TypeVar("T")

IDEMPOTENT: Final = frozenset({"GET", "PUT", "DELETE"})  # RFC 9110, section 9.2.2
REOPEN_SECONDS: Final = 1.0
COMMENT_SECONDS: Final = 15.0
"""How often the server says on a stream that it is still there."""
OK: Final = 200


@dataclass(slots=True)
class _StreamPosition:
    seen: str | None
    breaks: int = 0
    """Since the last event."""


class Service:
    """Shared by all nouns of a client."""

    def __init__(
        self, base_url: str, credentials: Credentials, policy: Policy, segment: str = "extract"
    ) -> None:
        """`segment` is where this server has its jobs."""
        self.base_url, self.credentials, self.policy = base_url, credentials, policy
        self._segment = segment
        self._headers = {"User-Agent": f"citegrid/{__version__} python/{platform.python_version()}"}
        self._timed = False

    def with_options(
        self,
        *,
        timeout: float | None = None,
        retries: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Self:
        """The same server and credentials, asked in another way. Raises InvalidArgument."""
        changed = copy.copy(self)
        changed.policy = call_options.adapted(self.policy, timeout, retries)
        changed._timed = self._timed or timeout is not None
        changed._headers = call_options.merged(self._headers, headers or {})
        return changed

    def perform(self, route: Route, call: Call[T]) -> Steps[T]:
        if route.makes and call.idempotency_key is None:
            call = replace(call, idempotency_key=secrets.token_hex(16))
        reply = yield from self._exchanged(route, lambda: self._request(route, call))
        with _naming(reply):
            return identified(call.into(reply), reply.request_id)

    def open(self, route: Route, call: Call[Any], media_type: str) -> Steps[Reply]:
        """The steps that open an answer of another form: `ReadPiece` gives its pieces, and raises
        ConnectionFailed where it breaks off."""

        def asked() -> Request:
            request = self._request(route, call)
            return replace(request, headers={**request.headers, "Accept": media_type})

        reply = yield from self._exchanged(route, asked, Open)
        expect(media_type, reply)
        return reply

    def watch(self, route: Route, watch: Watch[T]) -> Produce[T]:
        """The steps of one stream; opened again where it broke, until its end.

        Raises StillRunning after `timeout` seconds (at most twice that, when something happened in
        between), and ConnectionFailed when it breaks too often without an event between.
        """
        state = _StreamPosition(watch.last_event_id)
        deadline = inf if watch.timeout is None else self.policy.clock() + watch.timeout
        while not (yield from self._watched(route, watch, state, deadline)):
            state.breaks += 1
            if state.breaks > self.policy.retries:
                raise ConnectionFailed(f"The stream of events of {self.base_url} is always empty.")
            yield Pause(REOPEN_SECONDS)

    def _watched(
        self, route: Route, watch: Watch[T], state: _StreamPosition, deadline: float
    ) -> Generator[Effect | Emit[T], Any, bool]:
        """One connection; whether it was heard to the end."""
        try:
            reply = yield from self._exchanged(
                route, lambda: self._stream_request(route, watch, state.seen), Open, deadline
            )
        except (ConnectionFailed, DeadlineReached):
            self._check(watch, deadline)
            raise
        if reply.status != OK:  # 204: what was seen last was the end
            return True
        expect("text/event-stream", reply)
        parser = EventParser()
        while piece := (yield from self._piece()):
            for event in parser.feed(piece):
                state.seen, state.breaks = event.id or state.seen, 0
                with _naming(reply):
                    item = identified(watch.into(event), reply.request_id)
                yield Emit(item)
                if event.name == watch.last:
                    return True
            self._check(watch, deadline)
        self._check(watch, deadline)
        return False

    def _check(self, watch: Watch[Any], deadline: float) -> None:
        if self.policy.clock() >= deadline:
            raise StillRunning(watch.id)

    def _exchanged(
        self,
        route: Route,
        request: Callable[[], Request],
        effect: type[Send] | type[Open] = Send,
        until: float = inf,
    ) -> Steps[Reply]:
        """The steps of one exchange; an ended access token is refreshed once."""
        refreshed = False
        while True:
            used, asked = self.credentials.access_token, request()
            call_options.check(asked.headers)
            try:
                return (yield from exchange(asked, self.policy, effect, until))
            # Revoked is also what a token is called after somebody else refreshed the session.
            except (AuthExpiredToken, AuthRevokedToken):
                if refreshed or not self._refreshable(route):
                    raise
            if not self.credentials.reloaded(used):
                yield from self._refreshed()
                refreshed = True

    @staticmethod
    def _piece() -> Steps[bytes]:
        """Returns what comes next; a broken stream reads like one that ended."""
        try:
            piece: bytes = yield ReadPiece()
        except ConnectionFailed:
            return b""
        return piece

    def _refreshable(self, route: Route) -> bool:
        held = self.credentials
        sent = held.headers(route.access) if route.access is not Access.NODE else {}
        return "Authorization" in sent and held.refresh_token is not None

    def _refreshed(self) -> Steps[None]:
        held = self.credentials
        call = Call(
            into=json_of(Tokens),
            body={"refresh_token": held.refresh_token},
            idempotency_key=held.refresh_key(),
        )
        reply = yield from exchange(self._request(REFRESH, call), self.policy)
        tokens = call.into(reply)
        held.adopt(tokens)
        if held.on_refresh is not None:
            held.on_refresh(tokens)

    def _request(self, route: Route, call: Call[Any]) -> Request:
        headers = {
            **self._headers,
            "Accept": "application/json, */*;q=0.5",
            **self.credentials.headers(route.access),
        }
        content = None
        if isinstance(call.body, Content):
            content = call.body.data
            headers["Content-Type"] = call.body.media_type
        elif call.body is not None:
            content = _written(call.body)
            headers["Content-Type"] = "application/json"
        if call.idempotency_key is not None:
            headers["Idempotency-Key"] = call.idempotency_key
        return Request(
            method=route.method,
            url=self.base_url + self._path(route, call) + _query(call.query),
            headers=headers,
            content=content,
            repeatable=route.repeatable or route.makes or route.method in IDEMPOTENT,
            held_seconds=call.held_seconds + (0.0 if self._timed else call.slow_seconds),
        )

    def _path(self, route: Route, call: Call[Any]) -> str:
        template = route.template.replace("/v1/extract/", f"/v1/{quote(self._segment, safe='')}/")
        return _filled(template, call.path)

    def _stream_request(self, route: Route, watch: Watch[Any], seen: str | None) -> Request:
        call = Call(into=nothing, path=watch.path, held_seconds=COMMENT_SECONDS)
        request = self._request(route, call)
        wanted = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
        after = {} if seen is None else {"Last-Event-ID": seen}
        return replace(request, headers={**request.headers, **wanted, **after})


@contextmanager
def _naming(reply: Reply) -> Iterator[None]:
    try:
        yield
    except UnusableAnswer as error:
        error.request_id = reply.request_id
        raise


REFRESH: Final = Route("POST", "/v1/tokens/refresh", Access.NONE, makes=True)


def _written(body: Mapping[str, object]) -> bytes:
    given = {name: value for name, value in body.items() if value is not UNSET}
    return _checked(
        lambda: json.dumps(as_json(given), ensure_ascii=False, allow_nan=False).encode()
    )


def _checked(write: Callable[[], T]) -> T:
    """Raises InvalidArgument."""
    try:
        return write()
    except UnicodeError:  # half of a character, or what was read in another encoding
        problem = "A text has something in it that is no character. Is it UTF-8?"
    except ValueError as error:  # NaN, a time without a zone
        problem = str(error)
    raise InvalidArgument(problem)


def _filled(template: str, values: Mapping[str, object]) -> str:
    for name, value in values.items():
        text = str(value)
        if text in ("", ".", ".."):  # would be the address of something else
            raise InvalidArgument(f"{name} must not be empty.")
        template = template.replace("{" + name + "}", _checked(partial(quote, text, safe="")))
    return template


def _query(values: Mapping[str, object]) -> str:
    given = without_none(**values)
    return f"?{_checked(lambda: urlencode(as_json(given)))}" if given else ""
