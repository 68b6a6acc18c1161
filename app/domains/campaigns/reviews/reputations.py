"""Reputations: known outcomes move the test of an account; who fails it is suspended."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final
from uuid import UUID

from app.core import metrics
from app.core.db import Reader, Tx
from app.core.hooks import Hook
from app.domains.campaigns.reviews import reputation_store
from app.domains.campaigns.reviews.reputation_store import AccountStanding
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.service import OPERATOR, enqueue, until_done
from app.engine.judging import gold, wald
from app.engine.judging.wald import Answers

REASON: Final = "Too many answers disagreed with decided records or known items."
CONTRIBUTOR_REASON: Final = "Too many of its records were rejected."

SUSPENDED: Final = Hook[Callable[[Tx, UUID], None]]("reputations.SUSPENDED")
"""Called when an account is suspended, in a transaction of its own."""


SUSPEND = kinds.register(
    "reviews.suspend", queue="campaigns", deadline_seconds=3600, priority=80, on_end=until_done
)


def learn(
    tx: Tx,
    answers: Mapping[UUID, bool],
    *,
    are_gold: bool = False,
    contributions: Mapping[UUID, bool] | None = None,
) -> None:
    """Each account was right or wrong once; of `contributions` a record was accepted or rejected.

    Who fails is marked at once; what follows from that is a job, because it touches work that
    others hold while they wait for this transaction. One call, so that all are locked in one order.
    """
    records = contributions or {}
    for standing in reputation_store.lock(tx, sorted({*answers, *records})):
        id = standing.account_id
        if id in answers and _answered(tx, standing, right=answers[id], is_gold=are_gold):
            _suspend(tx, id, REASON)
        if id in records and _contributed(tx, standing, accepted=records[id]):
            _suspend(tx, id, CONTRIBUTOR_REASON)


def _answered(tx: Tx, standing: AccountStanding, *, right: bool, is_gold: bool) -> bool:
    """True if the account fails as a judge."""
    learned = answers_of(standing).learned(right)
    reputation_store.save(
        tx,
        standing.account_id,
        right=learned.right,
        wrong=learned.wrong,
        gold=int(is_gold),
        wald=learned.wald,
    )
    return learned.fails


def _contributed(tx: Tx, standing: AccountStanding, *, accepted: bool) -> bool:
    """True if the account fails as a contributor."""
    learned = wald.contributed(standing.contributor_wald, accepted=accepted)
    reputation_store.count_contribution(tx, standing.account_id, accepted=accepted, wald=learned)
    return wald.fails(learned)


def _suspend(tx: Tx, account_id: UUID, reason: str) -> None:
    if reputation_store.suspend(tx, account_id, reason):
        tx.after_commit.append(metrics.accounts_suspended.inc)
        enqueue(tx, SUSPEND, OPERATOR, {"account_id": str(account_id)}, unique_key=str(account_id))


def judged_answers(reader: Reader, account_id: UUID) -> int:
    """Counts the answers of the account that turned out right or wrong."""
    standing = reputation_store.by_id(reader, account_id)
    return standing.right_answers + standing.wrong_answers


def answers_of(standing: AccountStanding) -> Answers:
    return Answers(standing.right_answers, standing.wrong_answers, standing.wald)


def in_probation(reader: Reader, account_id: UUID) -> bool:
    """True if votes of the account do not count yet."""
    return is_newcomer(reputation_store.by_id(reader, account_id))


def is_newcomer(standing: AccountStanding) -> bool:
    answers = standing.right_answers + standing.wrong_answers
    return standing.vouched_at is None and gold.in_probation(answers)


def trusted(reader: Reader, accounts: Sequence[UUID]) -> set[UUID]:
    """The accounts whose votes count: not suspended, out of probation or vouched for."""
    return reputation_store.trusted(reader, accounts, gold.PROBATION)


def unsuspended(reader: Reader, accounts: Sequence[UUID]) -> set[UUID]:
    return set(accounts) - reputation_store.suspended_of(reader, accounts)
