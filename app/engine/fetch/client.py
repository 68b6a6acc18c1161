"""The only way to the internet: one fetcher for pages, robots.txt, webhooks and the rest."""

import re
import ssl
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from app.core import tracing
from app.engine.fetch.connection import Connect, Dialer, Resolve, tcp
from app.engine.fetch.deadline import Deadline
from app.engine.fetch.dns import SystemResolver
from app.engine.fetch.exchange import REDIRECTS, Exchanger, FetchRequest
from app.engine.fetch.failure import FetchFailed
from app.engine.fetch.policy import FetchPolicy
from app.engine.fetch.response import Response
from app.engine.fetch.url import Target, parse, redirect_target

# The fetcher's own: who we are, how the message is framed, what we can decode.
_OWN_HEADERS: Final = frozenset(
    {
        "Accept-Encoding",
        "Connection",
        "Content-Length",
        "Expect",
        "Host",
        "Keep-Alive",
        "Proxy-Authorization",
        "Proxy-Connection",
        "Te",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
        "User-Agent",
    }
)
_PERMANENT: Final = frozenset({301, 308})
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER_VALUE = re.compile(r"[\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?")


class Fetcher:
    """Fetches under one policy; holds no connection and no state, so threads may share it.

    `resolve` and `connect` are the two seams to the network. `tls` brings a private certificate
    authority along; without it the system's are trusted.
    """

    def __init__(
        self,
        policy: FetchPolicy | None = None,
        *,
        resolve: Resolve | None = None,
        connect: Connect = tcp,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.policy = policy or FetchPolicy()
        self._resolve = resolve or SystemResolver()
        self._connect = connect
        self._tls = tls or ssl.create_default_context()
        self._exchanger = Exchanger(Dialer(self._resolve, connect), self._tls)

    def under(self, policy: FetchPolicy) -> "Fetcher":
        return Fetcher(policy, resolve=self._resolve, connect=self._connect, tls=self._tls)

    def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        etag: str | None = None,
        last_modified: str | None = None,
    ) -> Response:
        """Fetch a document, following redirects; conditionally, given validators from last time.

        Validators come from servers: one that cannot be a header value is left out.
        Raises FetchFailed, and ValueError as `request` does.
        """
        validators = {"If-None-Match": etag, "If-Modified-Since": last_modified}
        usable = {k: v for k, v in validators.items() if v and _HEADER_VALUE.fullmatch(v)}
        return self.request(
            "GET", url, headers={**(headers or {}), **usable}, follow_redirects=True
        )

    def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        follow_redirects: bool = False,
    ) -> Response:
        """One request and its answer, whatever the status; a GET may follow redirects.

        The media type is judged on a successful GET, and a GET that fails has an empty body. The
        answer to a POST is read whatever it is. Request headers stay with the first origin.

        Raises FetchFailed. Raises ValueError when the call itself is wrong: another method than
        GET or POST, a POST that would follow, a header that is not the caller's to set.
        """
        if method not in {"GET", "POST"} or (follow_redirects and method != "GET"):
            raise ValueError(f"{method}: GET or POST, and only GET follows redirects")
        request = FetchRequest(method, _checked(headers or {}), body)
        deadline = Deadline(self.policy.total_seconds)
        target = parse(url, self.policy)
        facts = {"http.request.method": method, "server.address": target.host}
        with tracing.span(f"fetch {method}", "client", None, facts):
            response = self._follow(request, target, deadline, follow_redirects)
            tracing.note({"http.response.status_code": response.status})
            return response

    def _follow(
        self, request: FetchRequest, target: Target, deadline: Deadline, follow_redirects: bool
    ) -> Response:
        policy, moved = self.policy, True
        for hop in range(policy.max_redirects + 1):
            response, by_allow_list = self._exchanger.exchange(request, target, policy, deadline)
            if not follow_redirects or response.status not in REDIRECTS:
                return replace(response, moved=moved and hop > 0)
            moved = moved and response.status in _PERMANENT
            if hop == 0 and not by_allow_list:
                # A public page must not send us where only the operator may.
                policy = replace(policy, allow=())
            following = _following(response, target, policy)
            if following.origin != target.origin:
                request = replace(request, headers={})
            target = following
        raise FetchFailed("too_many_redirects", target.host)


def _checked(headers: Mapping[str, str]) -> dict[str, str]:
    checked = {}
    for given, value in headers.items():
        name = given.title()
        if not _HEADER_NAME.fullmatch(name) or name in _OWN_HEADERS:
            raise ValueError(f"header {given!r} is not the caller's to set")
        if not _HEADER_VALUE.fullmatch(value):
            raise ValueError(f"header {given!r} has a value that cannot be sent")  # may be secret
        checked[name] = value
    return checked


def _following(response: Response, base: Target, policy: FetchPolicy) -> Target:
    location = response.headers.get("location")
    if not location:
        raise FetchFailed("bad_response", base.host)
    target = redirect_target(location, base, policy)
    if base.scheme == "https" and target.scheme == "http":
        raise FetchFailed("redirect_downgrade", base.host)
    return target
