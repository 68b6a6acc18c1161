"""A patient caller of the API: what is refused or not answered is sent again, with the same key."""

import http.client
import json
import threading
import time
from collections import Counter
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

_PATIENCE_SECONDS: Final = 900.0
_TIMEOUT_SECONDS: Final = 45.0
_LONGEST_PAUSE_SECONDS: Final = 2.0


class Answer(NamedTuple):
    status: int
    body: Any
    """Parsed JSON; None without a body."""


class GaveUp(AssertionError):
    """The service did not answer within the patience of the caller."""


class Refusals:
    """How often requests had to be repeated, by status; `unanswered` got no status at all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.counts: Counter[str] = Counter()

    def add(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1

    @property
    def server_errors(self) -> int:
        return sum(n for what, n in self.counts.items() if what.startswith("5"))


class Caller:
    """One thread's connection, kept open between requests."""

    def __init__(self, base_url: str, secret: str, refusals: Refusals) -> None:
        """`secret` is an API key, or the token of a session or a node."""
        self._address = urlsplit(base_url).netloc
        self._headers = {"Authorization": f"Bearer {secret}"}
        self._refusals = refusals
        self._connection: http.client.HTTPConnection | None = None

    def post(self, path: str, body: Any = None, *, key: str = "") -> Answer:
        return self._until_answered("POST", path, body if body is not None else {}, key)

    def get(self, path: str) -> Answer:
        return self._until_answered("GET", path, None, "")

    def every(self, path: str, member: str) -> list[dict[str, Any]]:
        """All rows of a list, page after page."""
        rows: list[dict[str, Any]] = []
        mark, cursor = "&" if "?" in path else "?", ""
        while True:
            answer = self.get(f"{path}{mark}limit=200{cursor}")
            assert answer.status == 200, answer
            rows += answer.body[member]
            if not answer.body.get("next_cursor"):
                return rows
            cursor = f"&cursor={answer.body['next_cursor']}"

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _until_answered(self, method: str, path: str, body: Any, key: str) -> Answer:
        until, pause = time.monotonic() + _PATIENCE_SECONDS, 0.05
        while True:
            try:
                answer = self._once(method, path, body, key)
            except (OSError, http.client.HTTPException) as error:
                self.close()
                refusal = "unanswered"
                last: object = error
            else:
                if not _is_to_be_repeated(answer):
                    return answer
                refusal, last = str(answer.status), answer
            self._refusals.add(refusal)
            if time.monotonic() > until:
                raise GaveUp(f"{method} {path}: {last}")
            time.sleep(pause)
            pause = min(_LONGEST_PAUSE_SECONDS, pause * 2)

    def _once(self, method: str, path: str, body: Any, key: str) -> Answer:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(self._address, timeout=_TIMEOUT_SECONDS)
        headers = dict(self._headers)
        if key:
            headers["Idempotency-Key"] = key
        sent = None
        if body is not None:
            headers["Content-Type"], sent = "application/json", json.dumps(body)
        self._connection.request(method, path, sent, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        return Answer(answer.status, json.loads(text) if text else None)


def _is_to_be_repeated(answer: Answer) -> bool:
    """Too many requests, a failing server, or the same request still in progress."""
    if answer.status == 409 and isinstance(answer.body, dict):
        return bool(answer.body.get("error", {}).get("code") == "idempotency_in_progress")
    return answer.status == 429 or answer.status >= 500
