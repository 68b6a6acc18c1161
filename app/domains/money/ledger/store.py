"""The ledger's tables. They are written by functions of the database alone; the rest only reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx, many, one, value


class LedgerAccount(NamedTuple):
    """One of an owner's accounts, by purpose; with a token it has one balance."""

    owner: UUID
    kind: str


class LedgerLine(NamedTuple):
    """One line of a transfer: a negative amount leaves the account, a positive one arrives."""

    owner: UUID
    kind: str
    amount: Decimal


POST = """
    select ledger_post(%(id)s, %(key)s, %(why)s, %(token)s, %(owners)s::uuid[], %(kinds)s::text[],
                       %(amounts)s::numeric[])
    """


def post(tx: Tx, key: str, why: str, token: str, lines: Sequence[LedgerLine]) -> str:
    return str(value(tx, POST, id=ids.new(), key=key, why=why, token=token, **_columns(lines)))


def _columns(lines: Sequence[LedgerLine]) -> dict[str, list[Any]]:
    return {f"{name}s": [getattr(line, name) for line in lines] for name in LedgerLine._fields}


HOLD = """
    select ledger_hold(%(id)s, %(key)s, %(why)s, %(token)s, %(hold_id)s, %(source_owner)s,
                       %(source_kind)s, %(held_owner)s, %(held_kind)s, %(amount)s)
    """


def hold(
    tx: Tx,
    hold_id: UUID,
    key: str,
    why: str,
    token: str,
    source: LedgerAccount,
    held: LedgerAccount,
    amount: Decimal,
) -> str:
    return str(
        value(
            tx,
            HOLD,
            id=ids.new(),
            key=key,
            why=why,
            token=token,
            hold_id=hold_id,
            source_owner=source.owner,
            source_kind=source.kind,
            held_owner=held.owner,
            held_kind=held.kind,
            amount=amount,
        )
    )


CAPTURE = """
    select ledger_capture(%(id)s, %(key)s, %(why)s, %(hold_id)s, %(owners)s::uuid[],
                          %(kinds)s::text[], %(amounts)s::numeric[])
    """


def capture(tx: Tx, hold_id: UUID, key: str, why: str, lines: Sequence[LedgerLine]) -> str:
    of = {"id": ids.new(), "key": key, "why": why, "hold_id": hold_id}
    return str(value(tx, CAPTURE, **of, **_columns(lines)))


@dataclass(frozen=True, slots=True)
class HoldRelease:
    """The closing of a hold, and what it released, now or when it was closed before."""

    outcome: str
    released: Decimal | None


SETTLE = """
    select outcome, rest as released
    from ledger_settle(%(id)s, %(key)s, %(why)s, %(hold_id)s, %(owners)s::uuid[],
                       %(kinds)s::text[], %(amounts)s::numeric[], %(rest_owner)s, %(rest_kind)s)
    """


def settle(
    tx: Tx, hold_id: UUID, key: str, why: str, lines: Sequence[LedgerLine], rest: LedgerAccount
) -> HoldRelease:
    of = {"id": ids.new(), "key": key, "why": why, "hold_id": hold_id}
    to = {"rest_owner": rest.owner, "rest_kind": rest.kind}
    return one(tx, HoldRelease, SETTLE, **of, **_columns(lines), **to)


BALANCE = """
    select balance from ledger_accounts
    where (owner, kind, token) = (%(owner)s, %(kind)s, %(token)s)
    """


def balance(reader: Reader, account: LedgerAccount, token: str) -> Decimal | None:
    found: Decimal | None = value(
        reader, BALANCE, owner=account.owner, kind=account.kind, token=token
    )
    return found


@dataclass(frozen=True, slots=True)
class Balance:
    kind: str
    token: str
    amount: Decimal


BALANCES = """
    select kind, token, balance as amount from ledger_accounts
    where owner = %(owner)s and (%(kinds)s::text[] = '{}' or kind = any(%(kinds)s))
    order by token, kind
    """


def balances(reader: Reader, owner: UUID, *kinds: str) -> list[Balance]:
    """The balances of an owner, by token and kind; of all kinds without `kinds`."""
    return many(reader, Balance, BALANCES, owner=owner, kinds=list(kinds))


BALANCES_OF = """
    select owner, kind, token, balance from ledger_accounts
    where owner = any(%(owners)s) and kind = any(%(kinds)s)
    """


def balances_of(
    reader: Reader, owners: Sequence[UUID], *kinds: str
) -> dict[tuple[UUID, str, str], Decimal]:
    rows = reader.execute(BALANCES_OF, {"owners": list(owners), "kinds": list(kinds)}).fetchall()
    return {(owner, kind, token): balance for owner, kind, token, balance in rows}


@dataclass(frozen=True, slots=True)
class Movement:
    """Money that came into an owner's accounts or left them, for one reason at one time."""

    at: datetime
    why: str
    amount: Decimal


# What goes from one account of the owner to another is no movement. What came in is not added up,
# so that what is left is never shown below zero.
MOVEMENTS = """
    with lines as (
        select transfer.id, transfer.posted_at, transfer.why, sum(ledger_entries.amount) as amount
        from ledger_accounts account
        join ledger_entries on ledger_entries.account_id = account.id
        join ledger_transfers transfer on transfer.id = ledger_entries.transfer_id
        where account.owner = %(owner)s and account.kind = any(%(kinds)s)
        group by transfer.id
        having sum(ledger_entries.amount) <> 0
    ), spans as (
        select *, floor(%(most)s * extract(epoch from posted_at - min(posted_at) over ())
                        / greatest(1, extract(epoch from max(posted_at) over ()
                                                         - min(posted_at) over ()))) as span
        from lines
    )
    select max(posted_at) as at, why, sum(amount) as amount
    from spans group by span, why, case when amount > 0 then id end order by at, why
    """


def movements(reader: Reader, owner: UUID, *kinds: str, most: int = 200) -> list[Movement]:
    """The movements into and out of these accounts of an owner together, oldest first.

    Times are told apart as far as `most` spans do; what moved in one is added up by its reason.
    """
    return many(reader, Movement, MOVEMENTS, owner=owner, kinds=list(kinds), most=most)


@dataclass(frozen=True, slots=True)
class SpendableCredit:
    email: str
    token: str
    amount: Decimal


CREDITED = """
    select accounts.email, ledger_accounts.token, ledger_accounts.balance as amount
    from ledger_accounts join accounts on accounts.id = ledger_accounts.owner
    where ledger_accounts.kind = 'credit' and ledger_accounts.balance > 0
    order by accounts.email, ledger_accounts.token
    """


def credited(reader: Reader) -> list[SpendableCredit]:
    return many(reader, SpendableCredit, CREDITED)


@dataclass(frozen=True, slots=True)
class EntryRow:
    """One line of a transfer, as its account saw it."""

    id: UUID
    transfer_id: UUID
    key: str
    why: str
    owner: UUID
    kind: str
    token: str
    amount: Decimal
    posted_at: datetime


ENTRIES = """
    select entry.id, transfer.id as transfer_id, transfer.key, transfer.why, account.owner,
           account.kind, account.token, entry.amount, transfer.posted_at
    from ledger_accounts account
    cross join lateral (
        select id, transfer_id, amount from ledger_entries
        where account_id = account.id
          and id < coalesce(%(before)s::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        order by id desc limit %(limit)s) entry
    join ledger_transfers transfer on transfer.id = entry.transfer_id
    where account.owner = any(%(owners)s)
      and (%(kinds)s::text[] = '{}' or account.kind = any(%(kinds)s))
    order by entry.id desc limit %(limit)s
    """


def entries(
    reader: Reader,
    owners: Sequence[UUID],
    before: UUID | None,
    limit: int,
    kinds: Sequence[str] = (),
) -> list[EntryRow]:
    """Lines of the owners' accounts, newest first; `before` is the id of an entry."""
    return many(
        reader,
        EntryRow,
        ENTRIES,
        owners=list(owners),
        kinds=list(kinds),
        before=before,
        limit=limit,
    )
