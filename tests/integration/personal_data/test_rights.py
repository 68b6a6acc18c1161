"""The role of the workers may do what exporting and erasing takes, with rows in every table."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest

from app.core import db, ids
from app.core.db import Tx
from app.domains.own_data.personal_data import erasure, tables
from app.domains.own_data.personal_data.table_store import statement
from tests import rows_everywhere


@pytest.fixture
def account_id(database: str) -> UUID:
    account_id = ids.new()
    rows_everywhere.plant(database, account_id)
    return account_id


@contextmanager
def worker() -> Iterator[Tx]:
    with db.transaction() as tx:
        tx.execute("set local role none")
        tx.execute("set local role citegrid_worker")
        yield tx


def test_a_worker_may_erase_everything_of_an_account(account_id: UUID) -> None:
    with worker() as tx:
        assert erasure.begin(tx, account_id) == []
    went = [1]
    while went[-1] and len(went) < 200:
        with worker() as tx:
            went.append(erasure.step(tx, account_id, 1_000))
    assert went[-1] == 0


def test_a_worker_may_read_what_an_export_holds(account_id: UUID) -> None:
    for listing in tables.EXPORTED:
        params = {"account_id": account_id}
        with worker() as tx:
            parents = listing.table.parents
            each = db.values(tx, parents, **params) if parents else [None]
            rows = tx.execute(statement(listing, []), {**params, "each": each[0], "most": 10})
            assert rows.fetchone() is not None, listing.file
