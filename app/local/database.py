"""The database of one command."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from app.core import db
from app.core.config.settings import Settings
from app.core.db import roles
from app.core.hooks import Hook


@contextmanager
def database(settings: Settings) -> Iterator[None]:
    """A connection pool for the length of one command. Raises psycopg.OperationalError."""
    # By name: most commands load no domain that calls others, and so need not load those either.
    if Hook.declared:
        import_module("app.wiring").connect()
    # It says at once what is wrong with an address; the pool would try again until it gives up.
    db.connect(settings.session_url, role=None).close()
    role = roles.operators(settings.database_role)
    db.require_role(settings.session_url, role)
    db.open(settings.session_url, role=role, size=2, wait_seconds=5.0)
    try:
        yield
    finally:
        db.close()
