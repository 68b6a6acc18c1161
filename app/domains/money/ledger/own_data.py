"""An account's data in the books, of its campaigns and of their runs."""

from typing import Final, LiteralString

from app.core.db.own_data import Export, Retention, Table

_CAMPAIGNS: LiteralString = "select id from campaigns where account_id = %(account_id)s"
_BALANCES: LiteralString = (
    "select id from ledger_accounts where owner = any(array("  # noqa: S608
    "select %(account_id)s::uuid union all " + _CAMPAIGNS + " union all"
    " select id from campaign_runs where campaign_id = any(array(" + _CAMPAIGNS + "))))"
)

LEDGER_TABLES: Final = (
    Table(
        "ledger_accounts",
        Export("kind, token, balance", file="ledger_balances"),
        Retention("the books must balance; nothing is written in them but ids and amounts"),
        by="owner",
    ),
    Table(
        "ledger_entries",
        Export(
            "transfer_id, key, why, account.kind, account.token, amount, posted_at",
            key=("ledger_entries.id",),
            joined="join ledger_transfers transfer on transfer.id = transfer_id"
            " join ledger_accounts account on account.id = account_id",
        ),
        Retention("the books must balance"),
        parents=_BALANCES,
    ),
    Table("ledger_transfers", "in `ledger_entries`", Retention("the books must balance")),
    Table(
        "ledger_holds",
        "amounts set aside; the entries show each movement",
        Retention("the books must balance"),
    ),
)
