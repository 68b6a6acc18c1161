"""Erasing an account whose time has come, a bounded number of rows at a time.

Nothing remembers how far it came: what is gone is not found again, so an attempt that died is
continued by the next one.
"""

from typing import Final
from uuid import UUID

from app.core import db, ids
from app.core.amounts import counted, text
from app.core.db import Reader, Tx, run, send, values
from app.core.ids import Noun
from app.domains.account.accounts import deletion
from app.domains.account.accounts.service import account_by_id
from app.domains.account.audit import store
from app.domains.account.audit.service import record_event
from app.domains.campaigns.rewards import payouts
from app.domains.campaigns.rewards.service import thaw_account
from app.domains.library.documents import service as documents
from app.domains.library.passages import snapshots
from app.domains.money.ledger import service as ledger
from app.domains.own_data.personal_data import open_store
from app.domains.own_data.personal_data.tables import DELETED, NAMELESS, DeletedRows
from app.domains.records.page_jobs import service as page_jobs

# A key refers to the one that replaced it, so these go together: an account has few.
DELETE_KEYS: Final = "delete from api_keys where account_id = %(account_id)s"
_ON_THEIR_WAY: Final = ("payable", "held", "escrow", "reserved", "pool", "pending")
_GIVEN_UP: Final = "given up with the account"


def due(reader: Reader) -> list[UUID]:
    """Accounts whose time has come, and those just erased: a request may be written late."""
    return deletion.due(reader)


def begin(tx: Tx, account_id: UUID) -> list[str]:
    """Let nobody keep the account any more; or what still binds it: then it is looked at again."""
    if not deletion.lock(tx, account_id):
        return ["it is kept"]
    thawed = thaw_account(tx, account_id)  # a suspended account must not stay with them
    binding = _binding(tx, account_id)
    if thawed or not binding:
        deletion.begin(tx, account_id)
    return binding


def _binding(reader: Reader, account_id: UUID) -> list[str]:
    """The open things that end by themselves: chats, runs, judgements, disputes, payouts."""
    money = open_store.money(reader, account_id)
    binding = [
        f"{text(each.amount)} {each.token} {each.kind}"
        for each in money
        if each.kind in _ON_THEIR_WAY
    ]
    if runs := open_store.runs(reader, account_id):
        binding.append(counted(runs, "open run") + " of campaigns")
    if disputes := open_store.disputes(reader, account_id):
        binding.append(counted(disputes, "open dispute"))
    if records := open_store.earning(reader, account_id):
        binding.append(counted(records, "record") + " that it may be paid for")
    if unfinished := open_store.any_unfinished(reader, account_id):
        binding.append(counted(unfinished, "unfinished job"))
    return binding


def step(tx: Tx, account_id: UUID, most: int) -> int:
    """Erase at most so many rows of one table; how many went. 0: the account is erased."""
    db.act_for(tx, account_id)  # memories show themselves to their account alone
    if _give_up_money(tx, account_id):
        return 1
    if gone := page_jobs.erase_some_of(tx, account_id, most):
        return gone
    if gone := documents.erase_some_of(tx, account_id):
        return gone
    for rows in DELETED:
        if gone := _delete(tx, rows, account_id, most):
            return gone
    _forget_name(tx, account_id)
    return 0


def _give_up_money(tx: Tx, account_id: UUID) -> bool:
    """One balance in a transaction; False: there is none."""
    for each in open_store.own_money(tx, account_id):
        if each.kind == "credit":
            ledger.give_up(tx, ids.new(), account_id, each.token, each.amount)
        else:
            payout = payouts.request_payout(tx, account_id, each.token, each.amount, _GIVEN_UP)
            payouts.settle_payout(tx, payout.id, _GIVEN_UP)
        return True
    return False


def _delete(tx: Tx, rows: DeletedRows, account_id: UUID, most: int) -> int:
    table, deleted = rows
    where = deleted.where or f"{table.of_account} and {deleted.only}"
    chosen = f"select ctid from {table.name} where {where} limit %(most)s"  # noqa: S608
    sql = (
        f"delete from {table.name} where ctid = any(array({chosen}))"  # noqa: S608 (constants only)
        f" returning {deleted.snapshot or 'null::uuid'}"
    )
    gone = values(tx, sql, account_id=account_id, most=most)
    snapshots.release(tx, gone)
    return len(gone)


def _forget_name(tx: Tx, account_id: UUID) -> None:
    account = account_by_id(tx, account_id)
    named = {
        "account_id": account_id,
        "email": account.email,
        "public_id": ids.public(Noun.ACCOUNT, account_id),
    }
    for table, erasure in NAMELESS:
        where = erasure.where or table.of_account
        sql = f"update {table.name} set {erasure.change} where {where}"  # noqa: S608 (constants)
        send(tx, sql, **named)
    store.make_nameless(tx, account_id)
    if not deletion.was_erased(tx, account_id):
        record_event(tx, "account.erased", ids.public(Noun.ACCOUNT, account_id), account_id)
    run(tx, DELETE_KEYS, account_id=account_id)
    deletion.erase(tx, account_id)
