"""Invariants of rewards beside the books: each statement counts the rows that break it."""

from collections.abc import Mapping
from typing import Final, LiteralString

RULES: Final[Mapping[str, LiteralString]] = {
    "pools that are not what records put into them": """
        select count(*) from ledger_accounts account left join (
            select run_id, sum(pool_amount) as due from reward_awards
            where not pool_shared and not returned group by run_id) run on run_id = owner
        where kind = 'pool' and balance <> coalesce(due, 0)
        """,
    "pending other than the pending entries": """
        select count(*) from ledger_accounts account where kind = 'pending' and balance <> (
            select coalesce(sum(amount), 0) from reward_entries
            where account_id = account.owner and token = account.token and state = 'pending')
        """,
    "available, payable and paid other than the available entries": """
        select count(*) from (
            select account_id, sum(amount) as earned from reward_entries
            where state = 'available' group by account_id) entry
        where earned <> (
            select coalesce(sum(balance), 0) from ledger_accounts
            where owner = account_id and kind in ('available', 'payable'))
          + (select coalesce(sum(amount), 0) from payouts
             where payouts.account_id = entry.account_id and state = 'settled')
        """,
    "payable other than the open payouts": """
        select count(*) from ledger_accounts account where kind = 'payable' and balance <> (
            select coalesce(sum(amount), 0) from payouts
            where account_id = account.owner and token = account.token and state = 'requested')
        """,
    "payouts settled other than what left": """
        select count(*) from (select 1) one
        where (select coalesce(sum(amount), 0) from payouts where state = 'settled') <> (
            select coalesce(sum(entry.amount), 0)
            from ledger_entries entry join ledger_transfers on ledger_transfers.id = transfer_id
            join ledger_accounts account on account.id = account_id
            where account.kind = 'world' and starts_with(key, 'payout:'))
        """,
    "rewards without a transfer, and transfers without a reward": """
        select count(*) from reward_awards full join (
            select key from ledger_transfers where starts_with(key, 'reward:')) paid
        on key = 'reward:' || record_id || ':' || version
        where record_id is null or key is null
        """,
    "returned rewards without a transfer, and transfers without one": """
        select count(*) from (
            select record_id, version from reward_entries where state = 'returned'
            union
            select record_id, version from reward_awards
            where returned and pool_amount > 0 and not pool_shared
        ) returned full join (
            select key from ledger_transfers where starts_with(key, 'return:')) back
        on key = 'return:' || record_id || ':' || version
        where record_id is null or key is null
        """,
    "campaigns that captured other than what their records were paid": """
        select count(*) from (
            select held_id, sum(captured) as captured
            from ledger_holds join ledger_accounts account on account.id = held_id
            where account.kind = 'reserved' group by held_id) hold
        left join (
            select given.account_id, sum(got.amount) as paid
            from ledger_transfers transfer
            join ledger_entries given on given.transfer_id = transfer.id and given.amount < 0
            join ledger_entries got on got.transfer_id = transfer.id and got.amount > 0
            join ledger_accounts account on account.id = got.account_id
            where starts_with(key, 'reward:') and account.kind in ('pending', 'pool')
            group by given.account_id) record on record.account_id = held_id
        where captured <> coalesce(paid, 0)
        """,
    "returned records with an entry that is not": """
        select count(*) from reward_awards join reward_entries using (record_id, version)
        where returned and state <> 'returned'
        """,
    "disputed records with an entry that matured": """
        select count(*) from record_disputes join reward_entries using (record_id, version)
        where record_disputes.state = 'open' and reward_entries.state = 'available'
        """,
    "shares of one account and version twice": """
        select count(*) from (select 1 from reward_entries where record_id is not null
                              group by account_id, record_id, version, role
                              having count(*) > 1) double
        """,
}
