"""Payouts: rows and SQL."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, LiteralString
from uuid import UUID

from app.core.db import Reader, Tx, first, lists, many, values


@dataclass(frozen=True, slots=True)
class Payout:
    """A wish for money, and what the operator did about it."""

    id: UUID
    account_id: UUID
    token: str
    amount: Decimal
    destination: str
    state: str
    reference: str | None
    reason: str | None
    created_at: datetime
    ended_at: datetime | None


_COLUMNS: LiteralString = """
    id, account_id, token, amount, destination, state, reference, reason, created_at, ended_at
    """
_PAYOUTS: LiteralString = "select" + _COLUMNS + "from payouts "

INSERT = f"""
    insert into payouts (id, account_id, token, amount, destination, state)
    values (%(id)s, %(account_id)s, %(token)s, %(amount)s, %(destination)s, 'requested')
    on conflict (account_id, token) where state = 'requested' do nothing
    returning {_COLUMNS}
    """  # noqa: S608 (made of constants)


def insert(tx: Tx, **columns: Any) -> Payout | None:
    """None: one of this token is open."""
    return first(tx, Payout, INSERT, **columns)


END = f"""
    update payouts
    set state = %(state)s, reference = %(reference)s, reason = %(reason)s, ended_at = now()
    where id = %(id)s and state = 'requested'
    returning {_COLUMNS}
    """  # noqa: S608 (made of constants)


def end(tx: Tx, id: UUID, state: str, reference: str | None, reason: str | None) -> Payout | None:
    """None: it is not open."""
    return first(tx, Payout, END, id=id, state=state, reference=reference, reason=reason)


BY_ID: LiteralString = (
    _PAYOUTS + "where id = %(id)s and (%(account_id)s::uuid is null or account_id = %(account_id)s)"
)


def by_id(reader: Reader, id: UUID, account_id: UUID | None) -> Payout | None:
    """None: not this account's; of any account without one."""
    return first(reader, Payout, BY_ID, id=id, account_id=account_id)


PAGE: LiteralString = _PAYOUTS + "where account_id = %(account_id)s"


def page(reader: Reader, account_id: UUID, before: UUID | None, limit: int) -> list[Payout]:
    """Newest first."""
    return lists.newest(reader, Payout, PAGE, before, limit, account_id=account_id)


REQUESTED: LiteralString = _PAYOUTS + "where state = 'requested' order by id"


def requested(reader: Reader) -> list[Payout]:
    """Of all accounts, oldest first: what the operator has to do."""
    return many(reader, Payout, REQUESTED)


LINKED = """
    select distinct other.account_id
    from payouts own join payouts other using (destination)
    where own.account_id = %(account_id)s and own.state = 'settled' and other.state = 'settled'
      and other.account_id <> %(account_id)s
    """


def linked(reader: Reader, account_id: UUID) -> Sequence[UUID]:
    """Other accounts that were paid at the same destination."""
    return values(reader, LINKED, account_id=account_id)


PAID = """
    select token, sum(amount) from payouts
    where account_id = %(account_id)s and state = 'settled' group by token
    """


def paid(reader: Reader, account_id: UUID) -> dict[str, Decimal]:
    return dict(reader.execute(PAID, {"account_id": account_id}).fetchall())
