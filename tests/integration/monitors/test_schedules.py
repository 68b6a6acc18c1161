"""Ticks of monitors, runs that overlap, what is told of it, and what callers may send."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from app.core import db
from app.domains.queue.webhooks import service as webhooks
from app.domains.queue.webhooks.terms import DeliveryTerms
from app.domains.records.monitors.schemas import MonitoringIn
from app.domains.records.page_jobs import presentation
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs.service import RunInProgress
from tests import servers
from tests.databases import sessions_waiting
from tests.integration.monitors.watching import Watching
from tests.integration.page_jobs.reading import LAMP, lamp

TOLD = "select type, convert_from(body, 'utf8')::json->'data' from webhook_events order by id"


@pytest.fixture
def told(shop: Watching) -> Any:
    """What an endpoint of the account is told, by type."""
    terms = DeliveryTerms.of(shop.settings)
    with db.transaction() as tx:
        webhooks.create(tx, shop.account_id, "https://hooks.example.org/", ["*"], terms)

    def events() -> list[tuple[str, dict[str, Any]]]:
        with db.reading() as reader:
            return reader.execute(TOLD).fetchall()

    return events


def test_a_tick_begins_a_run_that_names_it(shop: Watching) -> None:
    shop.lamps(1)
    job = shop.watch(shop.urls("/0"))
    assert shop.tick() == 1
    shop.finish()
    first, second = shop.runs(job)
    assert (first.tick, second.n, second.stop_reason) == (None, 2, "done")
    assert second.tick is not None
    assert shop.verdicts(second) == {"same": 1}


def test_between_runs_a_monitor_waits(shop: Watching) -> None:
    shop.lamps(1)
    job = shop.watch(shop.urls("/0"))
    with db.reading() as reader:
        resting = extractions.find(reader, shop.account_id, job.id)
    progress = presentation.progress(resting)
    assert (progress["stage"], progress["percent"]) == ("waiting", 100)


def test_a_tick_during_a_run_is_skipped_and_says_so(shop: Watching, told: Any) -> None:
    shop.lamps(1)
    job = shop.watch(shop.urls("/0"))
    shop.begin(job)
    shop.tick()
    shop.finish()
    assert [(run.n, run.skipped) for run in shop.runs(job)] == [
        (1, None),
        (2, None),
        (3, "overlap"),
    ]
    assert [data["status"] for type, data in told() if type == "run.skipped"] == ["skipped_overlap"]


def test_a_run_now_is_refused_while_one_is_open(shop: Watching) -> None:
    shop.lamps(1)
    job = shop.watch(shop.urls("/0"))
    shop.begin(job)
    with pytest.raises(RunInProgress):
        shop.begin(job)


def test_of_two_runs_now_at_once_the_second_is_refused_and_not_skipped(shop: Watching) -> None:
    shop.lamps(1)
    job = shop.watch(shop.urls("/0"))
    with ThreadPoolExecutor(1) as pool:
        with db.transaction() as tx:
            extractions.rerun(tx, shop.account_id, job.id, kept_seconds=86_400)
            second = pool.submit(shop.begin, job)
            servers.until(sessions_waiting)
        with pytest.raises(RunInProgress):
            second.result()
    assert len(shop.runs(job)) == 2


def test_a_cancelled_monitor_has_no_more_runs(shop: Watching) -> None:
    shop.lamps(1)
    job = shop.watch(shop.urls("/0"))
    with db.transaction() as tx:
        extractions.cancel(tx, shop.account_id, job.id)
    assert shop.tick() == 0
    with pytest.raises(extractions.NotScheduled):
        shop.begin(job)


def test_a_monitor_goes_on_after_a_run_that_failed(shop: Watching) -> None:
    shop.lamps(1)
    job = shop.watch(shop.urls("/0"))
    shop.site.pages["/0"] = (503, {}, b"")
    run = shop.run(job)
    assert (run.stop_reason, run.failed) == ("error", 1)
    assert shop.outcome(job).job.status == "running"
    assert shop.tick() == 1


def test_the_first_pages_of_a_monitor_are_no_news_though_runs_before_read_none(
    shop: Watching, told: Any
) -> None:
    shop.site.pages["/0"] = (503, {}, b"")
    job = shop.watch(shop.urls("/0"))
    shop.lamps(1)
    assert shop.verdicts(shop.run(job)) == {"new": 1}
    assert [type for type, _ in told()] == ["run.completed", "run.completed"]


def test_the_end_of_each_run_is_told_in_the_words_of_its_reference(
    shop: Watching, told: Any
) -> None:
    shop.lamps(1)
    job = shop.watch(shop.urls("/0"))
    shop.run(job)
    shop.site.pages["/0"] = (503, {}, b"")
    shop.run(job)
    assert [(type, data["status"]) for type, data in told()] == [
        ("run.completed", "completed"),
        ("run.completed", "completed"),
        ("run.completed", "failed"),
    ]


def test_what_changed_is_told_once_for_the_run(shop: Watching, told: Any) -> None:
    shop.lamps(25)
    job = shop.watch(shop.urls(*(f"/{n}" for n in range(25))))
    for n in range(25):
        shop.site.pages[f"/{n}"] = lamp(f"Lamp {n}", n + 100.5)
    shop.run(job)
    (data,) = [data for type, data in told() if type == "job.changed"]
    assert (len(data["changes"]), data["changes_in_all"]) == (20, 25)
    assert data["changes"][0]["pointers"] == ["/price"]
    assert data["counts"] == {"changed": 25}
    assert "quote" not in str(data)


def test_ten_failing_runs_in_a_row_are_told_once(shop: Watching, told: Any) -> None:
    shop.site.pages["/0"] = (403, {}, b"")
    job = shop.watch(shop.urls("/0"))
    for _ in range(11):
        shop.run(job)
    failing = [data for type, data in told() if type == "job.failing"]
    assert [data["runs_in_a_row"] for data in failing] == [10]


# What callers may send.

GOOD: dict[str, Any] = {
    "type": "monitoring",
    "source": {"type": "url", "url": "https://shop.example.org/lamp"},
    "schedule": {"cron": "0 7 * * 1-5", "timezone": "Europe/Berlin"},
    "schema": LAMP,
    "track": ["/price"],
}


def test_a_monitor_is_taken() -> None:
    assert MonitoringIn().validate(GOOD) == {}


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"schedule": {"every": "1m"}}, ["schedule", "every"]),
        ({"schedule": {"every": "1d", "cron": "0 7 * * *"}}, ["schedule", "_schema"]),
        ({"schedule": {}}, ["schedule", "_schema"]),
        ({"schedule": {"every": "1d", "timezone": "UTC"}}, ["schedule", "timezone"]),
        ({"schedule": {"cron": "* * * * *"}}, ["schedule", "cron"]),
        ({"schedule": {"cron": "0 7 * * *", "timezone": "Mars"}}, ["schedule", "timezone"]),
        ({"schedule": {"cron": "0 0 31 2 *"}}, ["schedule", "cron"]),
        ({"track": ["/price", "/colour"]}, ["track", 1]),
    ],
)
def test_what_is_wrong_with_a_monitor_is_pointed_at(
    change: dict[str, Any], where: list[Any]
) -> None:
    problems: Any = MonitoringIn().validate({**GOOD, **change})
    for step in where:
        problems = problems[step]
    assert problems


def test_track_needs_a_schema() -> None:
    body = {name: value for name, value in GOOD.items() if name != "schema"}
    assert "track" in MonitoringIn().validate(body)
