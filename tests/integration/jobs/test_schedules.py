"""Recurring work: one run per tick, whoever schedules."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString
from uuid import UUID
from zoneinfo import ZoneInfoNotFoundError

import pytest
from cronsim import CronSimError

from app.core import db
from app.domains.queue.jobs import schedule_store, schedules
from tests import builders
from tests.integration.jobs import rows
from tests.patience import PATIENCE_SECONDS


def add(kind: Any = rows.PLAIN, **options: Any) -> UUID:
    with db.transaction() as tx:
        return schedules.add(tx, kind, rows.ACCOUNT, {"of": "schedule"}, **options)


def tick() -> int:
    with db.transaction() as tx:
        return schedules.tick(tx)


def now() -> datetime:
    found: datetime = rows.value("select date_trunc('second', now())")
    return found


def next_tick() -> datetime:
    found: datetime = rows.value("select next_tick from schedules")
    return found


def due(ago: timedelta) -> None:
    with db.transaction() as tx:
        tx.execute("update schedules set next_tick = date_trunc('second', now()) - %s", (ago,))


def test_a_due_schedule_makes_one_job_that_belongs_to_its_tick() -> None:
    start = now() - timedelta(seconds=1)
    id = add(every_seconds=3600, starts_at=start)
    assert [tick(), tick()] == [1, 0]
    assert rows.value("select payload from jobs") == {"of": "schedule", "tick": start.isoformat()}
    run = "select schedule_runs.schedule_id from schedule_runs join jobs on jobs.id = job_id"
    assert rows.value(run) == id
    with db.transaction() as tx:  # a tick that was recorded before is not run again
        tx.execute("update schedules set next_tick = (select tick from schedule_runs)")
    assert (tick(), rows.value("select count(*) from jobs")) == (0, 1)


def test_a_schedule_begins_by_the_clock_of_the_database() -> None:
    with db.transaction() as tx:
        rows.set_clock_behind(tx)
        schedules.add(tx, rows.PLAIN, rows.ACCOUNT, {}, every_seconds=3600)
        assert schedules.tick(tx) == 1


@pytest.mark.parametrize("state", ["erase_at", "disabled_at"])
def test_nothing_begins_for_an_account_that_leaves_or_is_disabled(state: LiteralString) -> None:
    add(every_seconds=60)
    with db.transaction() as tx:
        account_id = builders.account(tx)
        tx.execute("update schedules set account_id = %s", [account_id])
        tx.execute(f"update accounts set {state} = now() + interval '14 days'")  # noqa: S608 (a constant)
    assert tick() == 0
    with db.transaction() as tx:
        tx.execute(f"update accounts set {state} = null")  # noqa: S608 (a constant)
    assert tick() == 1


def test_one_whose_time_zone_is_not_known_any_more_stops_no_other() -> None:
    lost = add(cron="0 0 * * *")
    add(every_seconds=60)
    due(timedelta(seconds=1))
    with db.transaction() as tx:
        tx.execute("update schedules set timezone = 'Mars/Olympus' where id = %s", (lost,))
    assert tick() == 1


def test_several_schedulers_at_once_run_every_tick_once() -> None:
    for _ in range(20):
        add(every_seconds=3600, starts_at=now() - timedelta(seconds=1))
    together = threading.Barrier(4)

    def schedule() -> int:
        together.wait(PATIENCE_SECONDS)
        return tick()

    with ThreadPoolExecutor(4) as pool:
        started = sum(future.result() for future in [pool.submit(schedule) for _ in range(4)])
    assert (started, rows.value("select count(*) from jobs")) == (20, 20)


def test_the_grid_is_kept_after_missed_ticks() -> None:
    add(every_seconds=60)
    due(timedelta(seconds=610))
    missed = next_tick()
    tick()
    ahead = (next_tick() - missed).total_seconds()
    assert (ahead % 60, ahead) == (0, 660)


def test_neither_a_disabled_schedule_nor_a_removed_one_runs() -> None:
    _disabled, removed = (
        add(every_seconds=60, starts_at=now() - timedelta(seconds=1)) for _ in range(2)
    )
    with db.transaction() as tx:
        tx.execute("update schedules set enabled = false where id <> %s", (removed,))
        assert schedule_store.delete(tx, removed)
    assert tick() == 0


def test_a_scheduler_older_than_a_kind_leaves_it_to_others() -> None:
    add(rows.UNKNOWN, every_seconds=60, starts_at=now() - timedelta(seconds=1))
    assert (tick(), next_tick() < now()) == (0, True)


def establish() -> None:
    with db.transaction() as tx:
        schedules.establish(tx)


def of_regular() -> int:
    return int(rows.value("select count(*) from schedules where kind = 'test.rows.regular'"))


def test_the_services_own_schedule_is_there_once_however_many_establish_it() -> None:
    together = threading.Barrier(4)

    def begin() -> None:
        together.wait(PATIENCE_SECONDS)
        establish()

    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(begin) for _ in range(4)]:
            future.result()
    establish()
    assert of_regular() == 1


def test_the_services_own_schedule_follows_a_change_of_its_interval() -> None:
    establish()
    with db.transaction() as tx:
        tx.execute("update schedules set every_seconds = 7")
    establish()
    assert (
        rows.value("select every_seconds from schedules where kind = 'test.rows.regular'")
        == rows.REGULAR.every_seconds
    )


def test_the_services_own_schedule_stays_disabled() -> None:
    establish()
    with db.transaction() as tx:
        tx.execute("update schedules set enabled = false")
    establish()
    assert rows.value("select bool_or(enabled) from schedules") is False


def test_work_of_the_service_has_one_unfinished_job_to_which_each_tick_belongs() -> None:
    establish()
    due(timedelta(seconds=1))
    tick()
    due(timedelta(seconds=0))
    tick()
    counted = "select count(*) from jobs where kind = 'test.rows.regular'"
    ticks = "select count(distinct tick) from schedule_runs where job_id in (select id from jobs)"
    assert (rows.value(counted), rows.value(ticks)) == (1, 2)


def test_a_cron_time_is_local_time() -> None:
    for after, expected in (
        ("2026-01-15T06:00", "2026-01-15T07:30"),
        ("2026-07-15T05:00", "2026-07-15T06:30"),
        ("2026-03-28T12:00", "2026-03-29T06:30"),  # the clocks go forward
        ("2026-10-24T12:00", "2026-10-25T07:30"),  # and back
    ):
        assert cron("30 8 * * *", after) == at(expected)


def test_a_local_time_that_does_not_exist_runs_once_after_the_gap() -> None:
    for minute in ("30", "*/20", "*"):
        first = cron(f"{minute} 2 * * *", "2026-03-28T12:00")
        assert first == at("2026-03-29T01:00")
        assert cron(f"{minute} 2 * * *", first.isoformat()).day == 30


def test_a_local_time_that_exists_twice_runs_once() -> None:
    for minute in ("30", "*/30", "30-59/30"):
        first = cron(f"{minute} 2 * * *", "2026-10-25T00:05")
        assert first == at("2026-10-25T00:30")
        assert cron(f"{minute} 2 * * *", first.isoformat()).day == 26
    assert cron("30 2 * * *", "2026-10-25T01:05") == at("2026-10-26T01:30")


def test_an_hourly_cron_runs_in_both_copies_of_the_hour() -> None:
    first = cron("15 * * * *", "2026-10-25T00:00")
    assert (first, cron("15 * * * *", first.isoformat())) == (
        at("2026-10-25T00:15"),
        at("2026-10-25T01:15"),
    )


def cron(expression: str, after: str) -> datetime:
    return schedules.next_cron(expression, "Europe/Berlin", at(after))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_a_cron_schedule_moves_to_its_next_time() -> None:
    add(cron="*/5 * * * *")
    due(timedelta(minutes=30))
    before = now()
    tick()
    following = next_tick()
    assert following.minute % 5 == 0
    assert before < following <= now() + timedelta(minutes=5)


def test_what_is_no_cron_expression_or_no_time_zone_is_refused() -> None:
    for expression in ("61 * * * *", "* * *", "0 0 30 2 *"):
        with pytest.raises(CronSimError):
            add(cron=expression)
    with pytest.raises(ZoneInfoNotFoundError):
        add(cron="* * * * *", timezone="Mars/Olympus")
