"""Passwords are hashed at no cost; what tables there are."""

import pytest

from app.core import db
from tests.cheap_hashes import cheap_hashes as cheap_hashes


@pytest.fixture
def tables(database: str) -> set[str]:
    with db.reading() as reader:
        return set(db.values(reader, "select tablename from pg_tables where schemaname = 'public'"))
