"""Pages that are read slowly: their sites are asked for each of them once."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.page_jobs.reading import Workshop
from workers.records.lanes import fetch, slices
from workers.records.lanes.web import job_web

PAGES = 25
READ_SECONDS = 4.0


class Clock:
    """Stands still, but for what each reading takes."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def slow_reader(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Reads two pages in the time of a slice."""
    clock, reader = Clock(), job_web(shop.settings).reader
    real = reader.extract

    def extract(*args: Any) -> Any:
        clock.now += READ_SECONDS
        return real(*args)

    monkeypatch.setattr(reader, "extract", extract)
    monkeypatch.setattr(fetch, "time", clock)
    monkeypatch.setattr(slices, "time", clock)
    yield
    reader.close()


@pytest.mark.usefixtures("slow_reader")
def test_a_slow_reader_costs_a_site_one_visit_a_page(shop: Workshop) -> None:
    shop.lamps(PAGES)
    outcome = shop.read(shop.urls(*(f"/{n}" for n in range(PAGES))))
    assert set(outcome.outcomes.values()) == {"read"}
    assert {path: n for path, n in shop.site.requests.items() if n > 1} == {}
