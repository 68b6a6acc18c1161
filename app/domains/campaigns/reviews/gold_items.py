"""Items whose answer is known: made of decided records, given to those who are due one."""

import random
import time
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.domains.campaigns.reviews import gold_store, reputations, store, subjects
from app.domains.campaigns.reviews.assignments import VALIDATION
from app.domains.campaigns.reviews.gold_store import GoldItem
from app.domains.campaigns.reviews.store import Review
from app.domains.providers.work import service as work
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.service import OPERATOR
from app.engine.extraction.schema.schema import plan
from app.engine.judging import gold, planted_errors, quorum

_MOST_AGE_SECONDS: Final = 600.0
_MEAN_AGE_SECONDS: Final = 20.0
_WITHOUT_TIME: Final = (1 << 80) - 1
"""Of a UUIDv7: the first 48 bits are milliseconds."""
_SECRET = random.SystemRandom()

MAKE = kinds.register(
    "reviews.gold", queue="campaigns", deadline_seconds=300, priority=20, every_seconds=300
)


@dataclass(frozen=True, slots=True)
class GoldDraft:
    """A gold item in the making; `record` is None where nothing could be made of the review."""

    review: Review
    record: dict[str, Any] | None
    truth: bool


def made_of(reader: Reader, review: Review) -> GoldDraft:
    """Half of the accepted records become wrong by one value that is exchanged. What a dispute
    decided is known better than anything: it stays as it is."""
    whole = subjects.SUBJECT.only.load(reader, review.record_id, review.version)
    if whole is None:
        return GoldDraft(review, None, truth=False)
    record = whole["record"]
    if review.round or review.state != "accepted":
        known = record if review.round else None
        return GoldDraft(review, known, truth=review.state == "accepted")
    if gold.wanted_truth(_SECRET.random()):
        return GoldDraft(review, record, truth=True)
    wrong = planted_errors.exchanged(plan(whole["schema"]), record, whole["page"]["text"], _SECRET)
    return GoldDraft(review, wrong, truth=False)


def keep(tx: Tx, made: GoldDraft) -> bool:
    """Done twice, it is done once."""
    if not store.set_gold(tx, made.review) or made.record is None:
        return False
    gold_store.insert(tx, _item(made.review, made.record, truth=made.truth))
    return True


def _item(
    review: Review, record: dict[str, Any], *, truth: bool, payer_id: UUID | None = None
) -> GoldItem:
    known = {name: record[name] for name in ("data", "provenance")}
    return GoldItem(ids.new(), review.record_id, review.version, known, truth, payer_id)


def keep_of_payer(tx: Tx, review: Review, *, truth: bool) -> None:
    """Makes an item of what the payer says of a record."""
    whole = subjects.SUBJECT.only.load(tx, review.record_id, review.version)
    if whole is not None:
        item = _item(review, whole["record"], truth=truth, payer_id=review.payer_id)
        gold_store.insert(tx, item)


def due(tx: Tx, kind: str, account_id: UUID, node_id: UUID) -> UUID | None:
    """The work of a gold item for this account, if one is due and there is one it has not seen.

    It looks like any other assignment: the time in its id, and its deadline, are as old as theirs.
    """
    if kind != VALIDATION.name:
        return None
    if not gold.due(_SECRET.random(), newcomer=reputations.in_probation(tx, account_id)):
        return None
    truth = gold.wanted_truth(_SECRET.random())
    linked = sorted(subjects.linked_with(tx, account_id))
    item = gold_store.take(tx, account_id, linked, truth=truth, most_uses=gold.MOST_USES)
    if item is None:
        return None
    age_seconds = min(_MOST_AGE_SECONDS, _SECRET.expovariate(1 / _MEAN_AGE_SECONDS))
    id = work.offer(
        tx,
        VALIDATION,
        OPERATOR,
        id=_id_of_age(age_seconds),
        subject=item.id,
        record_id=item.id,
        version=0,
        gold=True,
        node_id=node_id,
        deadline_seconds=quorum.OPEN_SECONDS - age_seconds,
    )
    gold_store.insert_answer(tx, item, account_id, id)
    return id


def _id_of_age(age_seconds: float) -> UUID:
    milliseconds = int((time.time() - age_seconds) * 1000)
    return UUID(int=(ids.new().int & _WITHOUT_TIME) | milliseconds << 80)
