"""The official OpenSearch client, with bounds: time, size and nesting of answers, and quiet logs.

Needs the extra `opensearch`; whoever may run without it imports this module by name.
"""

import re
import ssl
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import urllib3
from opensearchpy import ConnectionError as NotConnected
from opensearchpy import (
    ConnectionTimeout,
    JSONSerializer,
    OpenSearch,
    OpenSearchException,
    TransportError,
    Urllib3HttpConnection,
)

from app.core import untrusted_json
from app.core.config.addresses import is_base_url
from app.engine.fetch.body import TooLarge, read_whole
from app.engine.fetch.deadline import Deadline
from app.engine.origin import pause_of
from app.engine.search.remote import IndexFailed, Reason

_REASONS: Final[Mapping[int, Reason]] = {
    401: "denied",
    403: "denied",
    404: "missing",
    413: "too large",
    429: "busy",
    503: "busy",
}
_MOST_NESTING: Final = 64
_MOST_BYTES: Final = 32 << 20
_SEARCHED: Final = 65_536  # characters of an error in which its type is looked for
_TYPE: Final = re.compile(r'"type"\s*:\s*"([a-z_]{1,80})"')


class Cluster:
    """An OpenSearch by its base URL; keeps connections, and threads may share it.

    Every method raises IndexFailed, and takes the seconds it may last.
    """

    def __init__(
        self,
        url: str,
        *,
        username: str = "",
        password: str = "",
        ca_file: str = "",
        max_bytes: int = _MOST_BYTES,
    ) -> None:
        """Certificates are checked against `ca_file`, or else against those the system trusts.

        Raises ValueError for what is no base URL, OSError for a file without certificates.
        """
        if not is_base_url(url):
            raise ValueError("not the base URL of a service")
        parts = urlsplit(url)
        self.host = parts.hostname or ""
        secure = parts.scheme == "https"
        address = {
            "host": self.host,
            "port": parts.port or (443 if secure else 80),
            "use_ssl": secure,
            "url_prefix": parts.path.strip("/"),
        }
        self._client = OpenSearch(
            [address],
            connection_class=_Connection,
            http_auth=(username, password) if username else None,
            ssl_context=ssl.create_default_context(cafile=ca_file or None) if secure else None,
            max_retries=0,
            serializer=_Json(),
            max_bytes=max_bytes,
        )

    def __repr__(self) -> str:
        return f"Cluster({self.host!r})"

    def version(self, seconds: float) -> str:
        """As it names itself: `opensearch 2.19.1`."""
        with self.reading():
            about = self._ask(self._client.info, seconds)["version"]
            return f"{about.get('distribution', 'elasticsearch')} {about['number']}"

    def searches(
        self, index: str, bodies: Sequence[Mapping[str, Any]], seconds: float
    ) -> list[Any]:
        """The answers to several searches sent together, each of the whole index."""
        lines = [line for body in bodies for line in ({}, body)]
        with self.reading():
            found = self._ask(self._client.msearch, seconds, index=index, body=lines)["responses"]
            for answer in found:
                self._judge(answer)
            return list(found)

    def _judge(self, answer: Mapping[str, Any]) -> None:
        if "error" in answer:
            status = int(answer.get("status", 500))
            raise IndexFailed(self.host, _reason(status), str(answer["error"].get("type", "")))
        if answer["timed_out"] or answer["_shards"]["failed"]:
            raise IndexFailed(self.host, "broken", "part of the index did not answer")

    def bulk(
        self, index: str, body: str, seconds: float, *, refresh: bool = False, alias: bool = False
    ) -> list[dict[str, Any]]:
        """Sends lines and returns what became of each; with `alias`, `index` must be one."""
        options = {"refresh": "true"} if refresh else {}
        if alias:
            options["require_alias"] = "true"
        with self.reading():
            answer = self._ask(self._client.bulk, seconds, index=index, body=body, params=options)
            return [outcome for item in answer["items"] for outcome in item.values()]

    def delete_matching(self, index: str, query: Mapping[str, Any], seconds: float) -> None:
        """Delete what matches, visibly when this returns; no index is no error."""
        self._ask(
            self._client.delete_by_query,
            seconds,
            index=index,
            body={"query": query},
            params={"refresh": "true", "ignore_unavailable": "true"},
        )

    def exists(self, index: str, seconds: float) -> bool:
        return bool(self._ask(self._client.indices.exists, seconds, index=index))

    def create(self, index: str, body: Mapping[str, Any], seconds: float) -> None:
        try:
            self._ask(self._client.indices.create, seconds, index=index, body=body)
        except IndexFailed:
            if not self.exists(index, seconds):  # else somebody was quicker
                raise

    def drop(self, index: str, seconds: float) -> None:
        try:
            self._ask(self._client.indices.delete, seconds, index=index)
        except IndexFailed as failed:
            if failed.reason != "missing":
                raise

    def configure(self, index: str, settings: Mapping[str, Any], seconds: float) -> None:
        self._ask(self._client.indices.put_settings, seconds, index=index, body=settings)

    def refresh(self, index: str, seconds: float) -> None:
        self._ask(self._client.indices.refresh, seconds, index=index)

    def point(self, alias: str, index: str, seconds: float) -> None:
        """Let the alias mean this index alone, from one moment to the next."""
        former = [name for name in self.meant_by(alias, seconds) if name != index]
        removals = [{"remove": {"index": name, "alias": alias}} for name in former]
        actions = [*removals, {"add": {"index": index, "alias": alias}}]
        self._ask(self._client.indices.update_aliases, seconds, body={"actions": actions})

    def meant_by(self, alias: str, seconds: float) -> list[str]:
        try:
            return sorted(self._ask(self._client.indices.get_alias, seconds, name=alias))
        except IndexFailed as failed:
            if failed.reason == "missing":
                return []
            raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Around code that reads an answer: one of another shape is a failure of the server."""
        try:
            yield
        except (LookupError, TypeError, ValueError, AttributeError):
            raise IndexFailed(self.host, "broken", "an unknown form of answer") from None

    def _ask(self, method: Callable[..., Any], seconds: float, **arguments: Any) -> Any:
        try:
            return method(**arguments, request_timeout=seconds)
        except ConnectionTimeout:
            raise IndexFailed(self.host, "slow") from None
        except NotConnected:
            raise IndexFailed(self.host, "unreachable") from None
        except TransportError as error:
            status, kind, retry_after = error.args
            raise IndexFailed(self.host, _reason(status), kind, retry_after) from None
        except (OpenSearchException, ValueError):
            raise IndexFailed(self.host, "broken") from None


def _reason(status: int) -> Reason:
    return _REASONS.get(status, "broken" if status >= 500 else "refused")


class _Json(JSONSerializer):
    """The parser of a server's JSON, which refuses what is nested too deeply."""

    def loads(self, s: str) -> Any:
        return untrusted_json.loads(s, _MOST_NESTING)


class _Connection(Urllib3HttpConnection):
    """Reads no more than it was told to, for no longer, follows nobody elsewhere, logs nothing."""

    def __init__(self, *, max_bytes: int, **options: Any) -> None:
        super().__init__(**options)
        self._max_bytes = max_bytes

    def perform_request(
        self,
        method: str,
        url: str,
        params: Mapping[str, Any] | None = None,
        body: bytes | None = None,
        timeout: float | None = None,
        ignore: Collection[int] = (),
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, Mapping[str, str], str]:
        seconds = timeout or self.timeout
        target = f"{self.url_prefix}{url}" + (f"?{urlencode(params)}" if params else "")
        try:
            answer = self.pool.urlopen(
                method,
                target,
                body,
                retries=False,
                redirect=False,
                headers={**self.headers, **(headers or {})},
                timeout=urllib3.Timeout(connect=min(seconds, 5.0), read=seconds),
                preload_content=False,
            )
            text = self._read(answer, Deadline(seconds))
        except urllib3.exceptions.NewConnectionError:  # which is counted among the timeouts
            raise NotConnected("N/A", "", None) from None
        except (TimeoutError, urllib3.exceptions.TimeoutError):
            raise ConnectionTimeout("TIMEOUT", "", None) from None
        except urllib3.exceptions.HTTPError:
            raise NotConnected("N/A", "", None) from None
        if not 200 <= answer.status < 300:
            kind = _TYPE.search(text[:_SEARCHED])
            pause = pause_of(answer.headers)
            raise TransportError(answer.status, kind[1] if kind else "", pause)
        return answer.status, answer.headers, text

    def _read(self, answer: urllib3.BaseHTTPResponse, deadline: Deadline) -> str:
        try:
            body = read_whole(answer, deadline, self._max_bytes)
        except BaseException as error:
            answer.close()  # what is left unread must not be the next answer
            if isinstance(error, TooLarge):
                raise TransportError(500, "answer too large", None) from None
            raise
        answer.release_conn()
        return body.decode("utf-8", "replace")
