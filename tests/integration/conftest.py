"""The account most tests of the API act for."""

import pytest

from app.core import db
from app.core.config import Settings
from tests import builders


@pytest.fixture
def owner(settings: Settings) -> dict[str, str]:
    """Headers with an API key: the account that things belong to."""
    with db.transaction() as tx:
        return {"X-API-Key": builders.api_key(tx, settings, builders.account(tx))}
