"""What the places of a worker share is loaded before they are forked, where it is needed."""

import gc
from collections.abc import Iterator

import pytest

from app.core.config.settings import Settings
from tests.unit.workers.searches.made import settings
from workers.queue import shared


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Settings]]:
    """The settings with which something was loaded that searches need."""
    given: list[Settings] = []
    monkeypatch.setattr(shared, "_loads", [])
    shared.share("searches")(given.append)
    yield given
    gc.unfreeze()


def test_a_worker_loads_what_its_queue_needs(loaded: list[Settings]) -> None:
    given = settings()
    shared.load(given, {"payments", "searches"})
    assert loaded == [given]


def test_a_worker_of_other_queues_does_not(loaded: list[Settings]) -> None:
    shared.load(settings(), {"payments", "webhooks"})
    assert loaded == []
