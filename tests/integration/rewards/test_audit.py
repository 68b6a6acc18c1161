"""What the audit of the books says of rewards."""

from app.core.db import Tx
from app.domains.money.ledger import audit
from tests import builders
from tests.databases import become_owner


def test_an_entry_breaks_a_rule_once_somebody_raised_it(tx: Tx) -> None:
    account_id = builders.account(tx)
    builders.reward(tx, account_id, "2")
    assert audit.broken(tx) == {}
    become_owner(tx)
    tx.execute("update reward_entries set amount = amount + 1")
    assert "available, payable and paid other than the available entries" in audit.broken(tx)
