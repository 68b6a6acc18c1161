"""A record under judgement."""

from collections.abc import Iterator

import pytest

from app.core.config.settings import Settings
from tests import judged as judging
from tests.judged import Court, Judged


@pytest.fixture
def judged() -> Iterator[Judged]:
    with judging.connected() as judged:
        yield judged


@pytest.fixture
def court(database: None, settings: Settings, judged: Judged) -> Court:
    return Court(settings, judged)
