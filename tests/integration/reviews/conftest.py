"""A record under judgement."""

from collections.abc import Iterator

import pytest

from app.core.config.settings import Settings
from app.domains.providers.work.assignment import Draw
from app.engine.judging import gold
from tests import judged as judging
from tests.judged import Court, Judged


@pytest.fixture(autouse=True)
def _no_tests_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """An account out of probation gets the record that a test is about, and no gold item."""
    monkeypatch.setattr(gold, "RATE", 0.0)


@pytest.fixture(autouse=True)
def _open_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The draw passes nobody over. It counts accounts anew every few seconds, so that in a slow
    test the last of its voters might get nothing."""
    monkeypatch.setattr(Draw, "active", lambda *_: 1)


@pytest.fixture
def judged() -> Iterator[Judged]:
    with judging.connected() as judged:
        yield judged


@pytest.fixture
def court(database: None, settings: Settings, judged: Judged) -> Court:
    return Court(settings, judged)
