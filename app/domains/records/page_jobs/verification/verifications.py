"""Checks of quotes: against the stored text at once, and against the live page by a job."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.core.errors import NotFound, required
from app.domains.library.passages import snapshots
from app.domains.library.passages.store import Snapshot
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.kinds import EndedJob
from app.domains.queue.jobs.service import enqueue
from app.domains.records.page_jobs.verification import quote_check, verification_store
from app.domains.records.page_jobs.verification.quote_check import QuoteCheck, QuoteContext
from app.domains.records.page_jobs.verification.verification_store import Verification

WAIT_SECONDS: Final = 20.0
"""How long whoever asks waits for the page itself where no text of it is stored."""


def failed(tx: Tx, ended: EndedJob) -> None:
    """`on_end` of the job: whoever asks is told why there is no answer."""
    error = ended.error
    verification_store.end(tx, ended.id, None, ended.state if error is None else error["code"])


VERIFY = kinds.register(
    "extractions.verify",
    queue="extraction",
    deadline_seconds=60,
    priority=30,
    max_attempts=2,
    ids_per_message=1,
    on_end=failed,
)


class VerificationNotFound(NotFound):
    """No verification with this id belongs to your account. Verifications expire after a day."""

    code = "verification_not_found"


def latest_snapshot(reader: Reader, account_id: UUID, url: str) -> Snapshot | None:
    id = verification_store.latest_snapshot(reader, account_id, url)
    return None if id is None else snapshots.find(reader, id)


def stored(text: str, quote: str, start: int | None) -> QuoteCheck:
    """Look for a quote in a stored text, at its place if that is known."""
    return quote_check.verify(text, quote, None if start is None else QuoteContext("", "", start))


def begin(
    tx: Tx,
    account_id: UUID,
    *,
    url: str,
    quote: str,
    snapshot: Snapshot | None,
    stored: QuoteCheck | None,
) -> UUID:
    """Promise to look at the page itself."""
    id = ids.new()
    verification_store.insert(
        tx,
        id=id,
        account_id=account_id,
        snapshot_id=None if snapshot is None else snapshot.id,
        url=url,
        quote=quote,
        stored=None if stored is None else stored.as_json(),
    )
    return enqueue(tx, VERIFY, account_id, {}, id=id)


def find(reader: Reader, account_id: UUID, id: UUID) -> Verification:
    """Raises VerificationNotFound."""
    return required(verification_store.by_id(reader, id, account_id), VerificationNotFound)


# The worker's side.


@dataclass(frozen=True, slots=True)
class QuoteQuestion:
    """The quote to be looked for at an address, and what was around it when it was read."""

    url: str
    quote: str
    place: QuoteContext | None

    def answer(self, text: str, moved_to: str | None = None) -> QuoteCheck:
        """Answers from a text of today; `moved_to` is where a permanent redirect led."""
        return quote_check.verify(text, self.quote, self.place).at(moved_to)


def question(reader: Reader, id: UUID) -> QuoteQuestion:
    """The question of a job. LookupError when it is gone."""
    verification = required(verification_store.by_id(reader, id, None), LookupError(id))
    place, known = None, verification.stored or {}
    if verification.snapshot_id is not None and "start" in known:
        text = snapshots.find(reader, verification.snapshot_id).text
        place = QuoteContext.of(text, known["start"], known["end"])
    return QuoteQuestion(verification.url, verification.quote, place)


def complete(
    tx: Tx, id: UUID, live: QuoteCheck | None, *, fetched_at: str | None, error: str | None = None
) -> None:
    """Write what was found, or the outcome of a page that could not be read (`timeout` …)."""
    found = None if live is None else live.as_json()
    if found is not None and fetched_at is not None:
        found["fetched_at"] = fetched_at
    verification_store.end(tx, id, found, error)


def expire(tx: Tx, most: int = 1_000) -> int:
    """Delete what is a day old, at most so many; how many."""
    expired = verification_store.expire(tx, most)
    snapshots.release(tx, expired)
    return len(expired)
