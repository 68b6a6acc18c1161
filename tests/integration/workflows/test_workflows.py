"""Workflows from the request to their records."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from marshmallow import ValidationError

from app.core import db
from app.core.config.settings import Settings
from app.domains.own_data.usage import service as usage
from app.domains.own_data.usage.service import Period
from app.domains.queue.jobs import service as jobs
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs import store as page_job_store
from app.domains.records.page_jobs.runs import erasure, record_store
from app.domains.records.workflows.job_type import present
from app.domains.records.workflows.schemas import WorkflowIn
from tests.integration.workflows import flows
from tests.integration.workflows.flows import Flow, Web, begin, done, once, only, read, search

A, B, C = "https://a.test/", "https://b.test/", "https://c.test/"


@pytest.fixture(autouse=True)
def pages(web: Web) -> None:
    web.pages = {
        A: [{"name": "Desk lamp", "price": 39}, {"name": "Chair", "price": 120}],
        B: [{"name": "desk  lamp", "price": 41}, {"name": "Shelf", "price": 60}],
        C: [{"name": "Stool", "price": 20, "link": A}],
    }
    web.hits = {"lamps": [A, B], "Stool": [B], "Chair": [A]}


def names(flow: Flow) -> list[str]:
    return [record["name"] for record in flow.records]


def test_steps_follow_each_other(settings: Settings) -> None:
    flow = done(
        settings,
        search("find", "lamps"),
        read("read", "find"),
        only("cheap", "read", "/price", "lt", 100),
        once("once", "cheap"),
    )
    assert (names(flow), set(flow.states.values())) == (["Desk lamp", "Shelf"], {"done"})


def test_a_workflow_is_one_extraction_of_its_account_and_each_page_is_counted_once(
    settings: Settings,
) -> None:
    flow = done(settings, read("read", urls=[A, C]))
    with db.reading() as reader:
        report = usage.by_kind(reader, flow.account_id, Period.recent(2), settings)
    assert (report.total.counts["extractions"], report.total.counts["pages"]) == (1, 2)


def test_the_records_are_those_of_the_last_steps(settings: Settings) -> None:
    flow = done(
        settings,
        read("read", urls=[A, C]),
        only("dear", "read", "/price", "gt", 100),
        only("cheap", "read", "/price", "lt", 30),
    )
    assert sorted(names(flow)) == ["Chair", "Stool"]


def test_steps_meet_in_the_order_of_the_needs(settings: Settings) -> None:
    flow = done(settings, read("a", urls=[A]), read("b", urls=[B]), once("all", "b", "a"))
    assert names(flow) == ["desk  lamp", "Shelf", "Chair"]


def test_a_search_is_done_for_each_record(settings: Settings, web: Web) -> None:
    flow = done(
        settings, read("read", urls=[A, C]), search("more", "{/name}", "read"), read("next", "more")
    )
    assert sorted(web.searched) == ["Chair", "Desk lamp", "Stool"]
    assert (flow.steps["more"].items_out, len(flow.records)) == (2, 4)


def test_addresses_are_taken_from_where_the_step_says(settings: Settings, web: Web) -> None:
    done(settings, read("read", urls=[C]), read("next", "read", extra={"url": "/link"}))
    assert web.read == [C, A]


def test_a_step_without_items_is_done(settings: Settings) -> None:
    flow = done(settings, search("find", "nothing"), read("read", "find"))
    assert (flow.job.status, flow.states, flow.records) == (
        "completed",
        {"find": "done", "read": "done"},
        [],
    )


def test_records_keep_where_they_came_from(settings: Settings) -> None:
    flow = done(settings, read("read", urls=[C]), once("once", "read"))
    with db.reading() as reader:
        (record,) = record_store.after(reader, flow.run_id, 0, 10)
    assert (record.url, record.confidence, record.snapshot_id is not None) == (
        C,
        pytest.approx(0.9),
        True,
    )


def test_many_items_pass_in_portions(
    settings: Settings, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.records.workflow_steps.ITEMS_AT_ONCE", 7)
    monkeypatch.setattr("workers.records.workflows.COPIED_AT_ONCE", 7)
    web.pages = {A: [{"name": f"thing {n % 40}", "price": n} for n in range(100)]}
    flow = done(settings, read("read", urls=[A]), once("once", "read"))
    assert (len(flow.records), flow.steps["once"].items_in) == (40, 100)


def test_a_slice_that_is_over_has_a_successor(
    settings: Settings, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.records.workflow_steps.ITEMS_AT_ONCE", 10)
    monkeypatch.setattr("workers.records.workflow_steps.SLICE_SECONDS", 1e-9)
    web.pages = {A: [{"name": f"thing {n}"} for n in range(35)]}
    flow = done(settings, read("read", urls=[A]), once("once", "read"))
    with db.reading() as reader:
        sql = "select count(*) from jobs where kind = 'workflows.step'"
        slices = db.value(reader, sql)
    assert (len(flow.records), slices) == (35, 4)


def test_no_more_searches_go_on_at_once_than_may(settings: Settings, web: Web) -> None:
    web.pages[A] = [{"name": f"thing {n}"} for n in range(30)]
    flow = begin(
        read("read", urls=[A]),
        search("more", "{/name}", "read", parallel=2),
        read("next", "more"),
    )
    own = flows.runner(settings)
    most = 0
    for id in flows.ready():
        own.run([id])
        most = max(most, flow.steps["more"].lanes_open if flow.steps else 0)
    assert (most, len(web.searched)) == (2, 30)


def test_callers_do_not_see_the_jobs_of_its_steps(settings: Settings) -> None:
    flow = done(settings, read("read", urls=[A]))
    with db.reading() as reader:
        listed = page_job_store.page(
            reader, flow.account_id, type=None, status=None, before=None, most=10
        )
    assert [job.id for job in listed] == [flow.job_id]


def test_a_job_shows_its_steps(settings: Settings) -> None:
    flow = done(settings, read("read", urls=[A]), only("cheap", "read", "/price", "lt", 100))
    with db.reading() as reader:
        shown = present(reader, flow.job)
    first, second = shown["steps"]
    assert (first["state"], first["items_out"], first["pages"]) == (
        "done",
        2,
        {"found": 1, "done": 1, "failed": 0},
    )
    assert (second["needs"], second["items_in"], second["items_out"]) == (["read"], 2, 1)
    assert shown["progress"]["percent"] == 100


def test_a_workflow_ends_at_its_deadline_with_what_it_has(settings: Settings) -> None:
    flow = begin(read("a", urls=[A]), read("b", urls=[B]))
    own = flows.runner(settings)
    ids = flows.ready()
    for _ in range(4):  # the plan, both extractions, and the lane of one of them
        own.run([next(ids)])
    before = datetime.now(UTC) - timedelta(hours=2)
    with db.transaction() as tx:
        tx.execute(
            "update extraction_jobs set created_at = %s where id = %s", (before, flow.job_id)
        )
        tx.execute("update jobs set run_at = %s where id = %s", (before, flow.run_id))
    flows.sweep()
    own.run([flow.run_id])
    assert (flow.job.status, flow.job.stop_reason, len(flow.records)) == (
        "completed",
        "deadline",
        2,
    )
    assert "deadline" in str(flow.steps["b"].because)


def test_cancelling_ends_the_steps(settings: Settings) -> None:
    flow = begin(read("a", urls=[A]), once("once", "a"))
    own = flows.runner(settings)
    ids = flows.ready()
    for _ in range(2):
        own.run([next(ids)])
    with db.transaction() as tx:
        jobs.cancel(tx, flow.run_id)
    for _ in range(2):
        flows.sweep()
    flows.work(settings)
    with db.reading() as reader:
        unfinished = db.value(reader, "select count(*) from jobs where finished_at is null")
    assert (flow.job.status, unfinished) == ("cancelled", 0)
    assert flow.states == {"a": "skipped", "once": "skipped"}


@pytest.mark.parametrize("left", ["1 hour", "-1 second"], ids=["at once", "after a standstill"])
def test_a_cancelled_workflow_keeps_what_its_last_steps_have(settings: Settings, left: str) -> None:
    flow = begin(read("a", urls=[A]), once("once", "a"))
    own = flows.runner(settings)
    ids = flows.ready()
    while flow.states.get("once") != "done":
        own.run([next(ids)])
    with db.transaction() as tx:
        extractions.cancel(tx, flow.account_id, flow.job_id)
        late = "update jobs set deadline_at = now() + %s::interval where kind = 'workflows.join'"
        tx.execute(late, (left,))
    flows.sweep()
    flows.work(settings)
    assert (flow.job.status, flow.job.records, len(flow.records)) == ("cancelled", 2, 2)


def test_erasing_deletes_the_jobs_of_the_steps_as_well(settings: Settings) -> None:
    flow = done(settings, search("find", "lamps"), read("read", "find"), once("once", "read"))
    with db.transaction() as tx:
        tx.execute("update extraction_jobs set erased_at = now() where id = %s", (flow.job_id,))
    with db.transaction() as tx:
        while erasure.step(tx, flow.job_id, most=3):
            pass
        (child,) = db.values(tx, "select id from extraction_jobs")
        while erasure.step(tx, child, most=3):
            pass
        sql = """
            select (select count(*) from extraction_jobs) + (select count(*) from workflow_steps)
                 + (select count(*) from workflow_outputs) + (select count(*) from workflow_items)
                 + (select count(*) from extraction_records)
            """
        assert db.value(tx, sql) == 0


def refused(*steps: dict[str, Any]) -> dict[str, Any]:
    with pytest.raises(ValidationError) as error:
        WorkflowIn().load({"type": "workflow", "steps": list(steps)})
    return dict(error.value.messages["steps"])  # type: ignore[call-overload]


def test_what_is_wrong_is_said_where_it_is() -> None:
    assert refused(read("a", urls=[A]), once("b", "c")) == {
        1: {"needs": {0: ["No step has this id."]}}
    }


def test_a_step_of_an_unknown_type_is_refused() -> None:
    assert list(refused({"id": "a", "type": "loop", "with": {}})[0]) == ["type"]


def test_a_step_takes_only_its_own_options() -> None:
    step = once("b", "a")
    step["with"]["code"] = "import os"
    assert refused(read("a", urls=[A]), step) == {1: {"with": {"code": ["Unknown field."]}}}


@pytest.mark.parametrize("pattern", ["(", "(?=a)", r"(a)\1"])
def test_a_filter_takes_only_patterns_that_are_linear(pattern: str) -> None:
    assert (
        "value" in refused(read("a", urls=[A]), only("b", "a", "/x", "matches", pattern))[1]["with"]
    )


def test_a_validated_step_says_how_far_two_readings_agree(
    settings: Settings, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The double passes all of its sample but the chair; the filter lets through what is cheap."""
    monkeypatch.setattr(web, "doubted", {"Chair"})
    flow = done(
        settings,
        read("read", urls=[A, B]),
        only("cheap", "read", "/price", "lt", 130),
        {"id": "checked", "type": "validate", "needs": ["cheap"], "with": {"rate": 1}},
    )
    validation = flow.job.validation
    assert validation is not None
    assert (validation["sampled"], validation["passed"], validation["failed"]) == (4, 3, 1)
    assert len(flow.records) == 4


def test_only_records_that_a_step_lets_through_are_counted(settings: Settings) -> None:
    flow = done(
        settings,
        read("read", urls=[A, B]),
        only("cheap", "read", "/price", "lt", 50),
        {"id": "checked", "type": "validate", "needs": ["cheap"], "with": {"rate": 1}},
    )
    assert (flow.job.validation or {})["sampled"] == 2
