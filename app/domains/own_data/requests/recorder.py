"""Requests on their way into the database: a second in memory, then written many at once."""

import threading
import time
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple
from uuid import UUID

from app.core import db, ids, log, metrics
from app.core.db import Tx
from app.core.http.request_parser import UNSTORABLE
from app.core.ids import Noun
from app.domains.own_data.requests import store

SECONDS: Final = 1.0
MOST: Final = 5_000
"""In memory. Whatever comes while it is full is lost, and counted as lost."""
MOST_OF_AN_ACCOUNT: Final = 100
"""A second, in each process. Further ones are counted and not kept."""
MOST_CHARACTERS: Final = 300
"""Of a path or a header."""
PUBLIC_ID_LENGTH: Final = 40

logger = log.get(__name__)


class RequestEntry(NamedTuple):
    """One request and how it was answered, as it was found; `write` makes it fit to be kept.

    `location` is the answer's header; `made_id` what was made without one.
    """

    id: str
    account_id: UUID
    credential_id: UUID
    source: str
    at: datetime
    method: str
    route: str
    path: str
    operation: str | None
    status: int
    seconds: float
    error: dict[str, Any] | None
    headers: dict[str, str]
    replayed: bool
    location: str | None
    made_id: UUID | None


class Recorder:
    """Writes in a thread of its own, which ends when nothing is left to write.

    A process that is killed loses what came in its last second.
    """

    def __init__(self, seconds: float = SECONDS, most: int = MOST) -> None:
        self._seconds, self._most = seconds, most
        self._lock = threading.Lock()
        self._noted: deque[RequestEntry] = deque()
        self._writing = False

    def note(self, request: RequestEntry) -> None:
        """Keep one, soon; never waits for the database."""
        with self._lock:
            if len(self._noted) >= self._most:
                metrics.requests_unrecorded.inc()
                return
            self._noted.append(request)
            if self._writing:
                return
            self._writing = True
        threading.Thread(target=self._write_on, name="requests", daemon=True).start()

    def _write_on(self) -> None:
        while self._goes_on():
            time.sleep(self._seconds)
            self.write()

    def _goes_on(self) -> bool:
        with self._lock:
            self._writing = bool(self._noted)
            return self._writing

    def write(self) -> None:
        """Write what was noted until now. What cannot be written is lost, and counted."""
        with self._lock:
            batch, self._noted = self._noted, deque()
        if not batch:
            return
        try:
            with db.transaction() as tx:
                insert(tx, batch)
        except Exception as error:  # noqa: BLE001 (the next batch has other requests)
            metrics.requests_unrecorded.inc(len(batch))
            logger.warning("requests not written", why=type(error).__name__, lost=len(batch))


def insert(tx: Tx, batch: Collection[RequestEntry]) -> None:
    """Keep what there is room for, and count all."""
    kept = list(_first_of_each_account(batch))
    metrics.requests_unrecorded.inc(len(batch) - len(kept))
    store.insert(tx, [_row(request) for request in kept])
    if counts := _counts(batch):
        store.count(tx, counts)


def _first_of_each_account(batch: Iterable[RequestEntry]) -> Iterator[RequestEntry]:
    of_account: Counter[UUID] = Counter()
    for request in batch:
        of_account[request.account_id] += 1
        if of_account[request.account_id] <= MOST_OF_AN_ACCOUNT:
            yield request


def _row(request: RequestEntry) -> dict[str, Any]:
    noun, made_id = _made(request)
    return {
        "id": ids.internal(Noun.REQUEST, request.id),
        "account_id": request.account_id,
        "credential_id": request.credential_id,
        "source": request.source,
        "at": request.at,
        "method": request.method,
        "route": request.route,
        "path": _storable(request.path),
        "operation": request.operation,
        "status": request.status,
        "milliseconds": round(request.seconds * 1000, 1),
        "error": _storable_error(request.error),
        "headers": {name: _storable(text) for name, text in request.headers.items()},
        "replayed": request.replayed,
        "made_prefix": noun,
        "made_id": made_id,
    }


@lru_cache(2_000)
def _storable(text: str) -> str:
    """Cut, without what Postgres refuses, and without credentials that ended up here.

    The same few headers come again and again, and looking for credentials takes a while.
    """
    return log.redact(UNSTORABLE.sub("\ufffd", text[:MOST_CHARACTERS]))


def _storable_error(value: Any) -> Any:
    """Errors may repeat what was sent, and one row that Postgres refuses loses all the others."""
    if isinstance(value, str):
        return UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_storable_error(item) for item in value]
    if isinstance(value, dict):
        return {name: _storable_error(item) for name, item in value.items()}
    return value


def _made(request: RequestEntry) -> tuple[Noun | None, UUID | None]:
    """Noun and id of the public id that `Location` ends with."""
    if request.location is None:
        return None, request.made_id
    last = request.location.rpartition("/")[2][:PUBLIC_ID_LENGTH]
    return ids.read(last) or (None, request.made_id)


def _counts(batch: Iterable[RequestEntry]) -> list[dict[str, Any]]:
    """Rows to add to those there are, of calls of the API."""
    requests: Counter[tuple[Any, ...]] = Counter()
    failed, replayed = requests.copy(), requests.copy()
    for each in batch:
        if each.operation is not None and each.source != "page":
            which = (each.at.date(), each.account_id, each.credential_id, each.operation)
            requests[which] += 1
            failed[which] += each.status >= 400
            replayed[which] += each.replayed
    return [
        {
            **dict(zip(("day", "account_id", "credential_id", "operation"), which, strict=True)),
            "requests": number,
            "failed": failed[which],
            "replayed": replayed[which],
        }
        for which, number in requests.items()
    ]
