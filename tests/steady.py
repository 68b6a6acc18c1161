"""Callers who send one request after another, and what became of each."""

import http.client
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.patience import PATIENCE_SECONDS

PAUSE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class SteadyRequest:
    """One of those that are sent in turn over one connection."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


class SteadyRequests:
    """Callers in threads: each sends all requests on a connection, then makes another."""

    def __init__(self, address: str, requests: Sequence[SteadyRequest], callers: int = 4) -> None:
        self._address, self._requests = address, requests
        self._stopping, self._lock = threading.Event(), threading.Lock()
        self._counts: Counter[str] = Counter()
        self._threads = [threading.Thread(target=self._call) for _ in range(callers)]

    def __enter__(self) -> "SteadyRequests":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    @property
    def answered(self) -> int:
        """By the application: an error of the caller is an answer."""
        with self._lock:
            return sum(n for outcome, n in self._counts.items() if outcome < "500")

    @property
    def failed(self) -> dict[str, int]:
        """How many, by status or error."""
        with self._lock:
            return {what: n for what, n in self._counts.items() if what >= "500"}

    def _call(self) -> None:
        while not self._stopping.is_set():
            connection = http.client.HTTPConnection(self._address, timeout=PATIENCE_SECONDS)
            for each in self._requests:
                outcome = _outcome(connection, each)
                with self._lock:
                    self._counts[outcome] += 1
                self._stopping.wait(PAUSE_SECONDS)
            connection.close()


def _outcome(connection: http.client.HTTPConnection, request: SteadyRequest) -> str:
    try:
        connection.request(request.method, request.path, request.body, dict(request.headers))
        answer = connection.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        return type(error).__name__
    return str(answer.status)
