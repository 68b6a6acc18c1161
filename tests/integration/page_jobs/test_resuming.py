"""A run whose worker dies at any stage ends with the same records, nothing twice."""

from contextlib import suppress
from typing import Any

import pytest

from app.domains.queue.jobs import service as jobs
from app.domains.records.page_jobs.kinds import PAGES
from app.domains.records.page_jobs.runs import (
    continuation,
    page_store,
    page_turn_store,
    record_store,
    results,
    run_store,
)
from tests.integration.page_jobs.reading import Workshop
from workers.records.lanes import fetch, lane

pytestmark = pytest.mark.usefixtures("database")

PATHS = tuple(f"/{n}" for n in range(10))


@pytest.fixture(autouse=True)
def small_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that few pages take two lanes."""
    monkeypatch.setattr(continuation, "LANE_PAGES", 8)


class Died(BaseException):
    """The worker is gone: nothing handles this."""


STAGES = {
    "planning": (continuation, "open_lanes"),
    "taking": (continuation, "take"),
    "keeping": (lane, "keep"),
    "ending a lane": (page_turn_store, "hand_over"),
    "learning": (run_store, "learn"),
    "rewriting": (results, "rewrite"),
    "beginning the sample": (continuation, "learn"),
    "sampling": (record_store, "judge"),
    "joining": (page_store, "outcomes"),
}


def names(shop: Workshop, job: Any) -> list[str]:
    return sorted(record.data["name"] for record in shop.outcome(job).records)


@pytest.mark.parametrize("stage", STAGES)
def test_a_run_whose_worker_dies_ends_as_if_nothing_had_happened(
    stage: str, shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.lamps(10)
    job = shop.submit(shop.urls(*PATHS), validation={"sample_rate": 0.2})
    shop.die_once(*STAGES[stage], monkeypatch, Died)
    with pytest.raises(Died):
        shop.work()
    shop.expire_leases()
    shop.work(worker="w:2:2")
    ended = shop.outcome(job)
    assert (ended.job.status, ended.run.stop_reason, ended.run.done) == ("completed", "done", 10)
    assert names(shop, job) == sorted(f"Lamp {n}" for n in range(10))
    assert (ended.run.validation or {})["sampled"] == 2


def test_what_a_dead_worker_had_kept_is_not_fetched_again(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.lamps(10)
    shop.submit(shop.urls(*PATHS))
    shop.die_once(page_turn_store, "hand_over", monkeypatch, Died)
    with pytest.raises(Died):
        shop.work()
    shop.expire_leases()
    shop.work(worker="w:2:2")
    assert sum(shop.site.requests[path] for path in PATHS) == 10


def work_among_deaths(shop: Workshop, most: int) -> None:
    """Do what is to be done, with another worker after each of at most so many deaths."""
    for _ in range(most):
        with suppress(Died):
            shop.work()
        shop.expire_leases()
    shop.work()


@pytest.mark.parametrize(("deadly", "at_once"), [({"/0", "/2"}, 1), ({"/1"}, 8)])
def test_pages_whose_workers_all_die_are_lost_alone(
    deadly: set[str], at_once: int, shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "THREADS", at_once)
    shop.lamps(4)
    job = shop.submit(shop.urls("/0", "/1", "/2", "/3"))
    for path in deadly:
        shop.die_at_each(shop.site.url + path, monkeypatch, Died)
    work_among_deaths(shop, most=len(deadly) * page_turn_store.MOST_TRIES * PAGES.max_attempts)
    lost = {path for path, outcome in shop.outcome(job).outcomes.items() if outcome != "read"}
    assert lost == deadly


def test_a_page_that_kills_its_reader_costs_its_neighbours_nothing(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.lamps(3)
    shop.site.pages["/1"] = "<html><body>" + "<div>" * 200 + "<p>" + "a b " * 2_000_000
    read = shop.read(shop.urls("/0", "/1", "/2"))
    assert (read.outcomes["/0"], read.outcomes["/2"]) == ("read", "read")


def test_a_page_that_our_own_rules_stumble_over_is_one_that_cannot_be_read(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.lamps(3)
    shop.die_at_each(shop.site.url + "/1", monkeypatch, LookupError)
    read = shop.read(shop.urls("/0", "/1", "/2"))
    assert read.outcomes == {"/0": "read", "/1": "unreadable", "/2": "read"}


def test_a_part_that_lost_its_run_writes_nothing(shop: Workshop) -> None:
    shop.lamps(3)
    job = shop.submit(shop.urls("/0", "/1", "/2"))
    shop.work(most=1)
    shop.in_transaction(lambda tx: jobs.cancel(tx, job.run_id))
    shop.work()
    assert shop.outcome(job).records == []
