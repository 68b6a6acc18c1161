"""A site that changes, and monitors of it."""

from collections.abc import Iterator

import pytest

from app.core.config.settings import Settings
from tests import internet
from tests.integration.monitors.watching import Watching


@pytest.fixture
def site() -> Iterator[internet.Internet]:
    with internet.running() as site:
        yield site


@pytest.fixture
def shop(database: None, settings: Settings, site: internet.Internet) -> Watching:
    return Watching.over(settings, site)
