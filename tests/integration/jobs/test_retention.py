"""Forgetting what is past its time: an ordinary job, in bounded steps."""

from collections.abc import Iterator
from typing import Any, Self

import psycopg
import pytest

from app.core import db
from app.core.config.settings import Settings
from app.core.http import idempotency
from app.core.redis import events
from app.domains.own_data.personal_data import service as personal_data
from app.domains.queue.jobs import schedules
from tests import parts
from tests.integration.jobs import rows
from workers.housekeeping import retention
from workers.housekeeping.retention import Expires
from workers.queue.runner import Runner


def old_keys(n: int) -> None:
    """Replies kept for an Idempotency-Key, past their 24 hours."""
    with db.transaction() as tx:
        tx.execute(
            "insert into idempotency_keys (owner, key, fingerprint, reply, created_at)"
            " select 'o', n::text, '', '', now() - interval '2 days'"
            " from generate_series(1, %s) as n",
            (n,),
        )


def old_ticks(n: int) -> None:
    """The ticks of a schedule that ran every hour until 40 days ago."""
    with db.transaction() as tx:
        id = schedules.add(tx, rows.PLAIN, rows.ACCOUNT, {}, every_seconds=3600)
        tx.execute(
            "insert into schedule_runs (schedule_id, tick, job_id)"
            " select %s, now() - interval '40 days' - n * interval '1 hour', gen_random_uuid()"
            " from generate_series(1, %s) as n",
            (id, n),
        )


def work(settings: Settings) -> dict[str, Any]:
    """What one job of retention reports at its end."""
    id = rows.promise(personal_data.RETENTION)
    publisher = events.Publisher(events.connect(settings.redis_url))
    Runner(settings, "w:1:1", publisher).run([id])
    job = rows.row(id)
    assert job.state == "succeeded", job.error
    return job.progress


def left(table: str) -> int:
    return int(rows.value(f"select count(*) from {table}"))  # noqa: S608


def promised() -> int:
    return int(rows.value("select count(*) from jobs where state = 'queued'"))


def test_one_job_catches_up_with_many_steps_of_rows_and_promises_no_other(
    settings: Settings,
) -> None:
    old_keys(3 * retention.ROWS_PER_STEP + 1)
    reported = work(settings)
    assert (left("idempotency_keys"), reported["idempotency_keys"]) == (0, 3001)
    assert promised() == 0


def test_a_job_whose_time_is_over_promises_the_rest(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "SLICE_SECONDS", 0.0)
    old_keys(1)
    work(settings)
    assert (left("idempotency_keys"), promised()) == (1, 1)


def test_a_table_with_much_to_forget_does_not_keep_the_others_waiting(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "ROWS_PER_STEP", 1)
    forgotten: list[str] = []
    forget = retention._forget
    monkeypatch.setattr(
        retention,
        "_forget",
        lambda attempt, table, rule: forgotten.append(table) or forget(attempt, table, rule),
    )
    old_keys(3)
    old_ticks(3)
    work(settings)
    wanted = [x for x in forgotten if x in ("idempotency_keys", "schedule_runs")]
    assert wanted == ["idempotency_keys", "schedule_runs"] * 4


def test_a_fault_in_one_table_does_not_keep_the_rows_of_others(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> int:
        raise LookupError

    monkeypatch.setattr(idempotency, "forget_old", broken)
    old_ticks(1)
    work(settings)
    assert left("schedule_runs") == 0


def test_ticks_are_forgotten_with_their_jobs(settings: Settings) -> None:
    old_ticks(2)
    with db.transaction() as tx:
        tx.execute("update schedules set next_tick = now()")
        schedules.tick(tx)
    work(settings)
    assert left("schedule_runs") == 1


def nodes(plan: dict[str, Any], *, past_limits: bool = True) -> Iterator[dict[str, Any]]:
    yield plan
    if past_limits or plan["Node Type"] != "Limit":
        for below in plan.get("Plans", []):
            yield from nodes(below, past_limits=past_limits)


def looks_through(plan: dict[str, Any]) -> bool:
    """Whether it reads a whole table: to search it, or to sort more of it than a limit lets by."""
    sorted_tables = (
        below
        for node in nodes(plan)
        if node["Node Type"] == "Sort"
        for below in nodes(node, past_limits=False)
        if "Relation Name" in below
    )
    return any(node["Node Type"] == "Seq Scan" for node in nodes(plan)) or any(sorted_tables)


def use_indexes(tx: db.Tx) -> None:
    """With sequential scans discouraged, one is planned only where no index serves."""
    tx.execute("set local enable_seqscan = off")
    tx.execute("set local enable_bitmapscan = off")


def test_rows_past_their_time_are_found_by_an_index(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[dict[str, Any]] = []

    class Explaining(psycopg.Cursor[Any]):
        def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
            explained = psycopg.Cursor(tx).execute("explain (format json) " + query, params)
            plans.extend(part["Plan"] for (parts,) in explained for part in parts)
            return super().execute(query, params, **options)

    searched = []
    for table, rule in retention.rules(settings).items():
        if not isinstance(rule, Expires):
            continue
        with db.transaction() as tx:
            use_indexes(tx)
            # Of this connection alone: the pool's thread prepares others at the same time.
            monkeypatch.setattr(tx, "cursor_factory", Explaining)
            rule.forget(tx, most=10)
            monkeypatch.undo()
        assert plans, table
        searched += [table for plan in plans if looks_through(plan)]
        plans.clear()
    assert searched == []


# What a function of the database reads, no plan of ours shows.
SEARCHED_COLUMNS = """
    select table_id::regclass::text || '.' || attname
    from (
        select conrelid, conkey[1] from pg_constraint
        where contype = 'f' and confrelid = 'snapshots'::regclass
        union all values ('snapshots'::regclass, (
            select attnum from pg_attribute
            where attrelid = 'snapshots'::regclass and attname = 'released_at'))
    ) as looked_up (table_id, number)
    join pg_attribute on attrelid = table_id and attnum = number
    where not exists (select from pg_index where indrelid = table_id and indkey[0] = number)
    """


def test_snapshots_and_what_refers_to_them_are_found_by_an_index() -> None:
    with db.reading() as reader:
        assert list(db.values(reader, SEARCHED_COLUMNS)) == []


def test_workers_have_the_rights_to_forget_the_rows_of_every_table(settings: Settings) -> None:
    rules = retention.rules(settings).items()
    refused = {}
    for table, rule in rules:
        if isinstance(rule, Expires):
            try:
                with parts.worker(), db.transaction() as tx:
                    rule.forget(tx, most=1)
            except psycopg.errors.InsufficientPrivilege as error:
                refused[table] = str(error)
    assert refused == {}
