"""The table of votes: one an account and record."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from app.core.db import Reader, Tx, many, run, value, values


@dataclass(frozen=True, slots=True)
class Vote:
    account_id: UUID
    work_id: UUID
    round: int
    verdict: bool
    category: str | None
    reason: str | None
    counted: bool
    agreed: bool | None


@dataclass(frozen=True, slots=True)
class AgreeingVote:
    work_id: UUID
    account_id: UUID
    record_id: UUID
    version: int
    verdict: bool


INSERT = """
    insert into votes (record_id, version, account_id, round, node_id, work_id, verdict, category,
                       reason, evidence, counted)
    values (%(record_id)s, %(version)s, %(account_id)s, %(round)s, %(node_id)s, %(work_id)s,
            %(verdict)s, %(category)s, %(reason)s, %(evidence)s, %(counted)s)
    on conflict do nothing
    """


def insert(tx: Tx, *, evidence: list[dict[str, Any]], **columns: Any) -> bool:
    """False: the account has voted on this record."""
    return run(tx, INSERT, evidence=Jsonb(evidence), **columns) == 1


OF = """
    select account_id, work_id, round, verdict, category, reason, counted, agreed from votes
    where record_id = %(record_id)s and version = %(version)s order by work_id
    """


def of(reader: Reader, record_id: UUID, version: int) -> list[Vote]:
    """All votes on a record, of every round."""
    return many(reader, Vote, OF, record_id=record_id, version=version)


COUNTED_OF = """
    select exists (select from votes
                   where record_id = %(record_id)s and version = %(version)s and counted
                     and account_id = any(%(accounts)s))
    """


def counted_of(reader: Reader, record_id: UUID, version: int, accounts: Sequence[UUID]) -> bool:
    """True if one of these accounts has a vote that counts."""
    return bool(
        value(reader, COUNTED_OF, record_id=record_id, version=version, accounts=list(accounts))
    )


NEWCOMERS_AGAINST = """
    select count(*) from votes
    where record_id = %(record_id)s and version = %(version)s and round = %(round)s
      and not counted and not verdict
      and not exists (select from reputations
                      where account_id = votes.account_id and suspended_at is not null)
    """


def newcomers_against(reader: Reader, record_id: UUID, version: int, round: int) -> int:
    """Counts the votes against a record that do not count, but those of suspended accounts."""
    wanted = {"record_id": record_id, "version": version, "round": round}
    return int(value(reader, NEWCOMERS_AGAINST, **wanted))


VOUCHED_ACCEPTS = """
    select count(*) from votes join reputations using (account_id)
    where votes.record_id = %(record_id)s and votes.version = %(version)s
    and votes.round = %(round)s
      and votes.counted and votes.verdict and reputations.vouched_at is not null
    """


def vouched_accepts(reader: Reader, record_id: UUID, version: int, round: int) -> int:
    """Counts the votes for a record of accounts that the operator vouches for."""
    wanted = {"record_id": record_id, "version": version, "round": round}
    return int(value(reader, VOUCHED_ACCEPTS, **wanted))


COUNT = """
    update votes set counted = (account_id = any(%(accounts)s))
    where record_id = %(record_id)s and version = %(version)s and round = %(round)s
      and counted <> (account_id = any(%(accounts)s))
    """


def count(tx: Tx, record_id: UUID, version: int, round: int, accounts: Sequence[UUID]) -> None:
    """Of the votes of a round those of these accounts count, and no others."""
    run(tx, COUNT, record_id=record_id, version=version, round=round, accounts=list(accounts))


SETTLE = """
    update votes set agreed = (verdict = %(accepted)s)
    where record_id = %(record_id)s and version = %(version)s and round = any(%(rounds)s)
    """


def settle(tx: Tx, record_id: UUID, version: int, rounds: Sequence[int], *, accepted: bool) -> None:
    """Marks the votes of these rounds by whether they agreed with what was decided."""
    run(tx, SETTLE, record_id=record_id, version=version, rounds=list(rounds), accepted=accepted)


SETTLE_ONE = """
    update votes set agreed = %(agreed)s
    where record_id = %(record_id)s and version = %(version)s and account_id = %(account_id)s
    """


def settle_one(tx: Tx, record_id: UUID, version: int, account_id: UUID, *, agreed: bool) -> None:
    run(tx, SETTLE_ONE, record_id=record_id, version=version, account_id=account_id, agreed=agreed)


AGREED = """
    select v.work_id, v.account_id, v.record_id, v.version, v.verdict
    from unnest(%(records)s::uuid[], %(versions)s::int[]) as wanted (record_id, version)
    join votes v using (record_id, version)
    where v.counted and v.agreed
    order by v.work_id
    """


def agreed(reader: Reader, records: Sequence[tuple[UUID, int]]) -> list[AgreeingVote]:
    """The counted votes that agreed with what was decided, accepting and rejecting alike."""
    return many(
        reader,
        AgreeingVote,
        AGREED,
        records=[id for id, _ in records],
        versions=[version for _, version in records],
    )


ACCOUNTS = """
    select account_id from votes where record_id = %(record_id)s and version = %(version)s
    """


def accounts(reader: Reader, record_id: UUID, version: int) -> list[UUID]:
    return values(reader, ACCOUNTS, record_id=record_id, version=version)
