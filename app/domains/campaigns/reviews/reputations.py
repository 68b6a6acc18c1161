"""Reputations: each answer with a known outcome moves the test of its account, and who fails it is
suspended.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final
from uuid import UUID

from app.core import metrics
from app.core.db import Reader, Tx
from app.core.hooks import Hook
from app.domains.campaigns.reviews import reputation_store
from app.domains.campaigns.reviews.reputation_store import AccountStanding
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.kinds import Kind
from app.engine.judging import gold
from app.engine.judging.wald import Answers

REASON: Final = "Too many answers disagreed with decided records or known items."

SUSPENDED: Final = Hook[Callable[[Tx, UUID], None]]("reputations.SUSPENDED")
"""Called when an account is suspended, in a transaction of its own."""

SUSPEND = kinds.register(
    Kind(name="reviews.suspend", queue="campaigns", deadline_seconds=3600, priority=80)
)


def learn(tx: Tx, answers: Mapping[UUID, bool], *, are_gold: bool = False) -> None:
    """Each account was right or wrong once. Who fails is marked at once; what follows from that is
    a job, because it touches work that others hold while they wait for this transaction."""
    for standing in reputation_store.lock(tx, sorted(answers)):
        learned = answers_of(standing).learned(answers[standing.account_id])
        reputation_store.save(
            tx,
            standing.account_id,
            right=learned.right,
            wrong=learned.wrong,
            gold=int(are_gold),
            wald=learned.wald,
        )
        if learned.fails and reputation_store.suspend(tx, standing.account_id, REASON):
            tx.after_commit.append(metrics.accounts_suspended.inc)
            _promise_consequences(tx, standing.account_id)


def _promise_consequences(tx: Tx, account_id: UUID) -> None:
    jobs.enqueue(
        tx, SUSPEND, jobs.OPERATOR, {"account_id": str(account_id)}, unique_key=str(account_id)
    )


def judged_answers(reader: Reader, account_id: UUID) -> int:
    """Counts the answers of the account that turned out right or wrong."""
    standing = reputation_store.by_id(reader, account_id)
    return standing.right_answers + standing.wrong_answers if standing else 0


def answers_of(standing: AccountStanding) -> Answers:
    return Answers(standing.right_answers, standing.wrong_answers, standing.wald)


def trusted(reader: Reader, accounts: Sequence[UUID]) -> set[UUID]:
    """The accounts among them whose votes count: neither suspended nor in probation."""
    return reputation_store.trusted(reader, accounts, gold.PROBATION)
