"""Every test here has a database, with a table for what hooks and results write."""

import pytest

from app.core import db
from tests.databases import become_owner


@pytest.fixture(autouse=True)
def tables(database: str) -> None:
    with db.transaction() as tx:
        become_owner(tx)
        tx.execute("create table ended (job_id uuid primary key, state text not null)")
        tx.execute("create table results (job_id uuid not null)")
        tx.execute("grant all on ended, results to public")  # hooks run as the role of their part
