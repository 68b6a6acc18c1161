"""A reader that is not ready is a retry of the work: no page fails for it."""

from typing import Any

import pytest

from app.engine.sandbox.reader import ReaderNotReady
from tests.integration.page_jobs.reading import Workshop
from workers.records.lanes.web import job_web


def not_ready_once(shop: Workshop, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = job_web(shop.settings).reader
    real, refusals = getattr(reader, method), [ReaderNotReady()]

    def refusing(*args: Any) -> Any:
        if refusals:
            raise refusals.pop()
        return real(*args)

    monkeypatch.setattr(reader, method, refusing)


def read_at_last(shop: Workshop) -> Any:
    shop.lamps(3)
    job = shop.submit(shop.urls("/0", "/1", "/2"))
    shop.work()
    shop.expire_leases()
    shop.work()
    return shop.outcome(job)


def test_a_page_whose_reader_was_not_ready_is_read_later(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    not_ready_once(shop, "extract", monkeypatch)
    assert set(read_at_last(shop).outcomes.values()) == {"read"}


def test_nothing_is_fetched_before_the_reader_is_ready(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    not_ready_once(shop, "prepare", monkeypatch)
    read_at_last(shop)
    assert {path: n for path, n in shop.site.requests.items() if n > 1} == {}
