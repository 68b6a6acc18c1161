"""Invariants of the books at any moment: each statement counts the rows that break it."""

from collections.abc import Mapping
from typing import Final, LiteralString

from app.core.db import Reader, value

BOOKS: Final[Mapping[str, LiteralString]] = {
    "entries of a token do not sum to zero": """
        select count(*) from (
            select 1 from ledger_entries join ledger_accounts account on account.id = account_id
            group by token having sum(amount) <> 0) sums
        """,
    "balances that are not the sum of their entries": """
        select count(*) from ledger_accounts account
        left join (select account_id, sum(amount) as total from ledger_entries group by account_id)
            entries on account_id = account.id
        where balance <> coalesce(total, 0)
        """,
    "accounts below zero": """
        select count(*) from ledger_accounts where balance < 0 and kind <> 'world'
        """,
    "reserved or held other than by open holds": """
        select count(*) from ledger_accounts account
        where kind in ('reserved', 'held') and balance <> (
            select coalesce(sum(amount - captured - released), 0) from ledger_holds
            where held_id = account.id and state = 'open')
        """,
    "transfers that do not balance": """
        select count(*) from ledger_transfers transfer
        left join (select transfer_id, sum(amount) as total, count(*) as lines from ledger_entries
                   group by transfer_id) entries on transfer_id = transfer.id
        where coalesce(total, 1) <> 0 or lines < 2
        """,
    "entries in another token than their transfer": """
        select count(*) from ledger_entries
        join ledger_transfers transfer on transfer.id = transfer_id
        join ledger_accounts account on account.id = account_id
        where transfer.token <> account.token
        """,
}


SIZE = "select count(*) from ledger_transfers"


def transfers(reader: Reader) -> int:
    return int(value(reader, SIZE))
