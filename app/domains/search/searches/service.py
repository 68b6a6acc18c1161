"""The operations on searches. Callers hold the transaction.

The work is a job of the same id, and the public status is derived from it.
"""

import re
import secrets
from collections import Counter
from collections.abc import Collection
from typing import Any
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Statement, Tx
from app.core.errors import Invalid, NotFound, required
from app.core.ids import Noun
from app.domains.account.accounts.store import former_keys
from app.domains.library.documents import selection
from app.domains.library.passages import snapshots
from app.domains.library.passages.store import Snapshot
from app.domains.money.payments import service as payments
from app.domains.money.payments.wire import Offer
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.kinds import EndedJob
from app.domains.queue.jobs.statuses import STATUS_OF_STATE, states_of
from app.domains.search.searches import store
from app.domains.search.searches.store import Search, SearchQuestion


def _once_more(tx: Tx, job: EndedJob) -> None:
    """Repeats, for nothing, a search that was paid for and failed, before anybody sees it fail."""
    if job.state == "failed":
        seconds = job.payload.get("rerun_seconds", KIND.deadline_seconds)
        payments.rerun(tx, KIND, job.id, seconds)


KIND = kinds.register(
    "searches.answer",
    queue="searches",
    deadline_seconds=120.0,
    max_attempts=4,
    backoff_seconds=0.5,
    backoff_limit_seconds=15.0,
    on_end=_once_more,
    retriable=True,
)

_SHARE_KEY_BYTES = 18
SOURCE_NUMBER = re.compile(r"[1-9][0-9]{0,2}", re.ASCII)


class SearchNotFound(NotFound):
    """No search with this id belongs to your account."""

    code = "search_not_found"


class SourceNotFound(NotFound):
    """This search has no source with this number."""

    code = "source_not_found"


def request(
    tx: Tx,
    account_id: UUID,
    body: dict[str, Any],
    *,
    retention_seconds: float,
    deadline_seconds: float,
    key_id: UUID | None = None,
) -> dict[str, Any]:
    """Accept a search, in one statement. Returns the answer `{id, status}`.

    `key_id` is a key that sees no others.
    """
    noun = _insertion(account_id, body, retention_seconds, key_id)
    id = jobs.enqueue(tx, KIND, account_id, {}, deadline_seconds=deadline_seconds, noun=noun)
    return {"id": ids.public(Noun.SEARCH, id), "status": "running"}


def await_payment(
    tx: Tx,
    body: dict[str, Any],
    offer: Offer,
    requirement: dict[str, Any],
    *,
    from_block: int,
    retention_seconds: float,
    deadline_seconds: float,
) -> bool:
    """Write down a payment, and the search that begins once it is settled.

    False when the payment is known: then nothing was written.
    """
    id = payments.begin(
        tx, offer, requirement, body, from_block=from_block, deadline_seconds=deadline_seconds
    )
    if id is None:
        return False
    jobs.enqueue(
        tx,
        KIND,
        payments.account_of(offer.payer),
        {"rerun_seconds": deadline_seconds},
        id=id,
        deadline_seconds=payments.PENDING_SECONDS,
        pending=True,
        noun=_insertion(payments.PAYERS, body, retention_seconds),
    )
    return True


def narrowed(
    reader: Reader, account_id: UUID, body: dict[str, Any], only: Collection[UUID] | None
) -> dict[str, Any]:
    """The body with ids of its corpora, or of those it is limited to. Raises Invalid."""
    if "corpora" in body:
        ids = selection.chosen(reader, account_id, body["corpora"], only)
    elif only is not None:
        ids = sorted(only)
    else:
        return body
    return {**body, "corpora": [str(id) for id in ids]}


def following(
    reader: Reader, account_id: UUID, body: dict[str, Any], key_id: UUID | None
) -> dict[str, Any]:
    """The body with the query of the search that it follows, which a limited key has asked itself.
    Raises Invalid.

    The query is kept with it: the search it is of may be gone before this one is.
    """
    if "follows" not in body:
        return body
    id = ids.lookup(Noun.SEARCH, body["follows"])
    followed = store.by_id(reader, id, account_id)
    if followed is None or (key_id is not None and not _asked_by(reader, key_id, id)):
        raise Invalid.at("/follows", "Must be the id of a search of yours.")
    return {**body, "follows": {"id": body["follows"], "query": followed.query}}


def _insertion(
    owner_id: UUID, body: dict[str, Any], retention_seconds: float, key_id: UUID | None = None
) -> Statement:
    options = {name: value for name, value in body.items() if name != "query"}
    return store.insertion(owner_id, body["query"], options, retention_seconds, [], key_id)


def find(reader: Reader, account_id: UUID, id: UUID) -> Search:
    """A search of this account. Raises SearchNotFound, also for another account's."""
    return required(store.by_id(reader, id, account_id), SearchNotFound)


def recent(
    reader: Reader,
    account_id: UUID,
    *,
    status: str | None,
    contains: str | None,
    before: UUID | None,
    limit: int,
    key_id: UUID | None = None,
) -> list[Search]:
    """Newest first, one more than `limit`, without answers; with `key_id`, those it asked."""
    states = states_of(status) if status else None
    keys = None if key_id is None else former_keys(reader, key_id)
    return store.page(reader, account_id, keys, before, states, contains, limit + 1)


def require_asked_by(reader: Reader, key_id: UUID, id: UUID) -> None:
    """Raises SearchNotFound unless this key, or one that it replaced, asked it."""
    if not _asked_by(reader, key_id, id):
        raise SearchNotFound


def _asked_by(reader: Reader, key_id: UUID, id: UUID) -> bool:
    return store.key_of(reader, id) in former_keys(reader, key_id)


def counts(reader: Reader, account_id: UUID) -> dict[str, int]:
    found: Counter[str] = Counter()
    for state, count in store.counts(reader, account_id):
        found[STATUS_OF_STATE[state]] += count
    return found


def cancel(tx: Tx, account_id: UUID, id: UUID) -> Search:
    """End a pending or running search; a finished one is returned unchanged."""
    search = find(tx, account_id, id)
    return find(tx, account_id, id) if jobs.cancel(tx, search.id) else search


def snapshot(reader: Reader, account_id: UUID, id: UUID, n: str) -> Snapshot:
    """The stored text that source `n` was read from. Raises SearchNotFound, SourceNotFound."""
    search = find(reader, account_id, id)
    if not SOURCE_NUMBER.fullmatch(n):
        raise SourceNotFound
    snapshot_id = required(store.snapshot_of(reader, search.id, int(n), account_id), SourceNotFound)
    return snapshots.find(reader, snapshot_id)


def share(tx: Tx, account_id: UUID, id: UUID) -> None:
    """Let whoever has the link of an answer read it. Raises SearchNotFound."""
    if not store.share(tx, account_id, id, secrets.token_urlsafe(_SHARE_KEY_BYTES)):
        raise SearchNotFound


def unshare(tx: Tx, account_id: UUID, id: UUID) -> None:
    """End the link of a search. Raises SearchNotFound."""
    search = find(tx, account_id, id)
    store.unshare(tx, account_id, search.id)


def shared(reader: Reader, id: UUID, key: str) -> tuple[UUID, Search]:
    """The search that its owner shared by this key, and the owner. Raises SearchNotFound."""
    owner_id = required(store.owner_of_shared(reader, id, key), SearchNotFound)
    return owner_id, find(reader, owner_id, id)


def status(search: Search) -> str:
    return STATUS_OF_STATE[search.state]


# The worker's side.


def question(reader: Reader, id: UUID) -> SearchQuestion:
    """The question of a search. LookupError when the search is gone.

    Raises PaymentFailed for one that was to be paid for, and was not: an operator may have it done
    again with all that failed.
    """
    row = required(store.question(reader, id), LookupError(id))
    if row.account_id == payments.PAYERS and not payments.is_settled(reader, id):
        raise payments.PaymentFailed
    return row


def erase_answers(tx: Tx, account_id: UUID, persona_id: str, gone: list[UUID]) -> None:
    erased = [ids.public(Noun.MEMORY, id) for id in gone]
    store.erase_answers(tx, account_id, persona_id, erased)


def expire(tx: Tx, most: int = 1_000) -> int:
    """Delete answers past their retention with their provenance; returns how many."""
    expired, cited = store.expire(tx, most)
    snapshots.release(tx, cited)
    return expired
