"""Callers that were just authenticated: a busy key costs no query.

One cache per process, because a revocation must reach all of it at once; other processes see the
revocation when their entry ends.
"""

import threading
import time
from collections.abc import Callable
from typing import Final
from uuid import UUID

from app.core.http.access import Caller

SECONDS: Final = 5.0
MOST: Final = 10_000


class Cache:
    """Digest of a credential -> Caller, for at most 5 seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._known: dict[bytes, tuple[Caller, float]] = {}
        self._revocations = 0

    def get(self, digest: bytes) -> Caller | None:
        entry = self._known.get(digest)
        return entry[0] if entry and entry[1] > self._clock() else None

    def ticket(self) -> int:
        """Take one before the query whose answer is put here."""
        return self._revocations

    def put(self, digest: bytes, caller: Caller, seconds: float | None, ticket: int) -> None:
        """Keep for `seconds`, 5 at most; not if anything was revoked since the ticket."""
        until = self._clock() + min(SECONDS, SECONDS if seconds is None else seconds)
        with self._lock:
            if ticket == self._revocations:
                if len(self._known) >= MOST:
                    self._known.clear()
                self._known[digest] = (caller, until)

    def forget(self, credential_id: UUID) -> None:
        """The credential changed; call once the change is committed."""
        with self._lock:
            self._revocations += 1
            gone = [d for d, (c, _) in self._known.items() if c.credential_id == credential_id]
            for digest in gone:
                del self._known[digest]


cache = Cache()
