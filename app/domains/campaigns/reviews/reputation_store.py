"""The table of reputations: what the tested answers of each account were."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from app.core.db import Reader, Tx, first, many, run, values


@dataclass(frozen=True, slots=True)
class AccountStanding:
    account_id: UUID
    right_answers: int = 0
    wrong_answers: int = 0
    gold_answers: int = 0
    wald: float = 0.0
    suspended_at: datetime | None = None
    reason: str | None = None
    shown_right: int = 0
    shown_wrong: int = 0
    vouched_at: datetime | None = None
    accepted_records: int = 0
    rejected_records: int = 0
    contributor_wald: float = 0.0


_COLUMNS: LiteralString = """
    select account_id, right_answers, wrong_answers, gold_answers, wald, suspended_at, reason,
           shown_right, shown_wrong, vouched_at, accepted_records, rejected_records,
           contributor_wald
    from reputations
    """

BY_ID: LiteralString = _COLUMNS + "where account_id = %(account_id)s"


def by_id(reader: Reader, account_id: UUID) -> AccountStanding:
    """That of an account of which nothing was tested yet is all zeros."""
    known = first(reader, AccountStanding, BY_ID, account_id=account_id)
    return known or AccountStanding(account_id)


ADD = """
    insert into reputations (account_id)
    select id from accounts where id = any(%(accounts)s) order by id
    on conflict do nothing
    """
# In one order: two decisions with the same voters never wait for each other in turn.
LOCK: LiteralString = (
    _COLUMNS + "where account_id = any(%(accounts)s) order by account_id for no key update"
)


def lock(tx: Tx, accounts: Sequence[UUID]) -> list[AccountStanding]:
    """Locks the standing of the accounts that are still there; nobody else moves them meanwhile."""
    run(tx, ADD, accounts=list(accounts))
    return many(tx, AccountStanding, LOCK, accounts=list(accounts))


SAVE = """
    update reputations
    set right_answers = %(right)s, wrong_answers = %(wrong)s,
        gold_answers = gold_answers + %(gold)s, wald = %(wald)s,
        shown_right = case when shown_at < now() - interval '1 day'
                           then right_answers else shown_right end,
        shown_wrong = case when shown_at < now() - interval '1 day'
                           then wrong_answers else shown_wrong end,
        shown_at = case when shown_at < now() - interval '1 day' then now() else shown_at end
    where account_id = %(account_id)s
    """


def save(tx: Tx, account_id: UUID, *, right: int, wrong: int, gold: int, wald: float) -> None:
    run(tx, SAVE, account_id=account_id, right=right, wrong=wrong, gold=gold, wald=wald)


CONTRIBUTED = """
    update reputations
    set accepted_records = accepted_records + %(accepted)s::int,
        rejected_records = rejected_records + (not %(accepted)s)::int, contributor_wald = %(wald)s
    where account_id = %(account_id)s
    """


def count_contribution(tx: Tx, account_id: UUID, *, accepted: bool, wald: float) -> None:
    run(tx, CONTRIBUTED, account_id=account_id, accepted=accepted, wald=wald)


SUSPEND = """
    update reputations set suspended_at = now(), reason = %(reason)s
    where account_id = %(account_id)s and suspended_at is null
    """


def suspend(tx: Tx, account_id: UUID, reason: str) -> bool:
    return run(tx, SUSPEND, account_id=account_id, reason=reason) == 1


SHOW = """
    update reputations
    set shown_right = right_answers, shown_wrong = wrong_answers, shown_at = now()
    where account_id = %(account_id)s and shown_at < now() - interval '1 day'
    """


def show(tx: Tx, account_id: UUID) -> None:
    """Once a day what is shown is what there is."""
    run(tx, SHOW, account_id=account_id)


REINSTATE = """
    update reputations set suspended_at = null, reason = null, wald = 0, contributor_wald = 0
    where account_id = %(account_id)s and suspended_at is not null
    """


def reinstate(tx: Tx, account_id: UUID) -> bool:
    return run(tx, REINSTATE, account_id=account_id) == 1


TRUSTED = """
    select account_id from reputations
    where account_id = any(%(accounts)s) and suspended_at is null
      and (vouched_at is not null or right_answers + wrong_answers >= %(probation)s)
    """


def trusted(reader: Reader, accounts: Sequence[UUID], probation: int) -> set[UUID]:
    return set(values(reader, TRUSTED, accounts=list(accounts), probation=probation))


SUSPENDED_OF = """
    select account_id from reputations
    where account_id = any(%(accounts)s) and suspended_at is not null
    """


def suspended_of(reader: Reader, accounts: Sequence[UUID]) -> set[UUID]:
    return set(values(reader, SUSPENDED_OF, accounts=list(accounts)))


VOUCH = """
    update reputations set vouched_at = case when %(vouched)s then now() end
    where account_id = %(account_id)s and (vouched_at is not null) <> %(vouched)s
    """


def vouch(tx: Tx, account_id: UUID, *, vouched: bool) -> bool:
    """Sets whether the operator vouches for an account. False: so it was before."""
    run(tx, ADD, accounts=[account_id])
    return run(tx, VOUCH, account_id=account_id, vouched=vouched) == 1


SUSPENDED: LiteralString = (
    _COLUMNS + "where suspended_at is not null order by suspended_at desc limit %(most)s"
)


def suspended(reader: Reader, most: int) -> list[AccountStanding]:
    return many(reader, AccountStanding, SUSPENDED, most=most)
