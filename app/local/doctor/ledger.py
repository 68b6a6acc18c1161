"""The findings of `doctor` on the books."""

from collections.abc import Iterator

from app.core.db import Reader
from app.domains.money.ledger import audit, audit_store
from app.local.doctor.findings import Finding

HINT = "See docs/explanation/money.md."


def examine(reader: Reader) -> Iterator[Finding]:
    """One finding, or one for each rule that does not hold."""
    violated = audit.broken(reader)
    if not violated:
        yield Finding("ok", f"The ledger balances (transfers: {audit_store.transfers(reader)})")
    for rule, rows in violated.items():
        yield Finding("fail", f"Ledger: {rows} {rule}", HINT)
