"""The client for services the operator configured: search engines, models, chain nodes.

Not for addresses that come from users or pages: those go through `app.engine.fetch`. A configured
origin may be private and may be plain HTTP; it is still not trusted with our memory or our time.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, Literal
from urllib.parse import urlencode, urlsplit

import urllib3
from urllib3 import exceptions
from urllib3.exceptions import HTTPError, NewConnectionError, ProtocolError

from app.core import tracing, untrusted_json
from app.core.config.addresses import is_base_url
from app.engine.fetch.body import TooLarge, read_whole
from app.engine.fetch.deadline import Deadline

Reason = Literal["unreachable", "slow", "blocked", "refused", "broken"]
"""Why there is no answer: no connection; out of time; 401, 402, 403 or 429; another 3xx or 4xx; a
5xx, or what is not JSON or is too large."""

_BLOCKED: Final = frozenset({401, 402, 403, 429})
_MOST_NESTING: Final = 256
_LONGEST_PAUSE_SECONDS: Final = 3600
_SECONDS: Final = re.compile(r"[0-9]{1,9}")


def pause_of(headers: Mapping[str, str]) -> int | None:
    """The seconds of Retry-After, an hour at most; None when it does not give seconds."""
    text = headers.get("Retry-After", "")
    return min(int(text), _LONGEST_PAUSE_SECONDS) if _SECONDS.fullmatch(text) else None


class OriginFailed(Exception):
    """A configured service gave no usable answer. Names the host, never the path or a header.

    `retry_after` is in seconds, when the service said so; `status` that of its answer, if any.
    """

    def __init__(
        self,
        host: str,
        reason: Reason,
        retry_after: int | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(f"{host}: {reason}")
        self.host = host
        self.reason: Reason = reason
        self.retry_after = retry_after
        self.status = status

    @property
    def retryable(self) -> bool:
        return self.reason != "refused"


class Origin:
    """One service by its base URL; keeps connections, and threads may share it.

    `headers` go with every request (credentials among them) and are never shown.
    """

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 8 * 1024 * 1024,
        connections: int = 4,
    ) -> None:
        """Raises ValueError unless `url` is http(s) with a host, without credentials or a query."""
        if not is_base_url(url):
            raise ValueError("not the base URL of a service")
        parts = urlsplit(url)
        self.host = parts.hostname or ""
        self._base = parts.path.rstrip("/")
        self._max_bytes = max_bytes
        self._pool = urllib3.connection_from_url(
            f"{parts.scheme}://{parts.netloc}",
            maxsize=connections,
            block=False,
            retries=False,
            headers={"Accept": "application/json", "User-Agent": "Citegrid", **(headers or {})},
        )

    def __repr__(self) -> str:
        return f"Origin({self.host!r})"

    def get(self, path: str, params: Mapping[str, str], *, seconds: float) -> Any:
        """The JSON at `path`. Raises OriginFailed."""
        return self._json("GET", f"{path}?{urlencode(params)}", None, seconds)

    def post(self, path: str, body: Any, *, seconds: float) -> Any:
        """The JSON that a JSON body is answered with. Raises OriginFailed."""
        return self._json("POST", path, json.dumps(body).encode(), seconds)

    def put(self, path: str, body: Any, *, seconds: float) -> Any:
        """The JSON that a JSON body put in place is answered with. Raises OriginFailed."""
        return self._json("PUT", path, json.dumps(body).encode(), seconds)

    def _json(self, method: str, path: str, body: bytes | None, seconds: float) -> Any:
        facts = {"http.request.method": method, "server.address": self.host}
        with tracing.span(f"ask {method}", "client", None, facts):
            return self._asked(method, path, body, seconds)

    def _asked(self, method: str, path: str, body: bytes | None, seconds: float) -> Any:
        deadline = Deadline(seconds)
        headers = {**self._pool.headers, **tracing.headers()}
        if body:
            headers["Content-Type"] = "application/json"
        try:
            try:
                answer = self._send(method, path, body, headers, seconds)
            except ProtocolError:  # most often a kept connection that the service had closed
                answer = self._send(method, path, body, headers, deadline.left())
        except NewConnectionError:  # which urllib3 counts among its timeouts
            raise OriginFailed(self.host, "unreachable") from None
        except (TimeoutError, exceptions.TimeoutError):
            raise OriginFailed(self.host, "slow") from None
        except HTTPError:
            raise OriginFailed(self.host, "unreachable") from None
        try:
            self._judge(answer)
            read = self._read(answer, deadline)
        except BaseException:
            answer.close()  # what is left unread must not be the next answer
            raise
        answer.release_conn()
        try:
            return untrusted_json.loads(read, _MOST_NESTING)
        except ValueError:
            raise OriginFailed(self.host, "broken") from None

    def _send(
        self,
        method: str,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
        seconds: float,
    ) -> urllib3.BaseHTTPResponse:
        return self._pool.urlopen(
            method,
            self._base + path,
            body=body,
            headers=headers,
            timeout=urllib3.Timeout(connect=min(seconds, 5.0), read=seconds),
            redirect=False,
            preload_content=False,
        )

    def _judge(self, answer: urllib3.BaseHTTPResponse) -> None:
        if answer.status < 300:
            return
        if answer.status in _BLOCKED:
            pause = pause_of(answer.headers)
            raise OriginFailed(self.host, "blocked", pause, status=answer.status)
        reason: Reason = "broken" if answer.status >= 500 else "refused"
        raise OriginFailed(self.host, reason, status=answer.status)

    def _read(self, answer: urllib3.BaseHTTPResponse, deadline: Deadline) -> bytes:
        try:
            return read_whole(answer, deadline, self._max_bytes)
        except (TimeoutError, exceptions.TimeoutError):
            raise OriginFailed(self.host, "slow") from None
        except (HTTPError, TooLarge):
            raise OriginFailed(self.host, "broken") from None
