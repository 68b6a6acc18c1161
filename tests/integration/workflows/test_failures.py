"""What fails takes along only what needs it, is tried as often as it may be, and says why."""

from typing import Any
from uuid import UUID

import pytest

from app.core import db
from app.core.config.settings import Settings
from app.domains.queue.jobs.dispatch import selection
from app.domains.records.workflows import transitions
from tests.integration.workflows import flows
from tests.integration.workflows.flows import Flow, Web, begin, done, once, only, read, search

A, B, NOWHERE = "https://a.test/", "https://b.test/", "https://nowhere.test/"


@pytest.fixture(autouse=True)
def pages(web: Web) -> None:
    web.pages = {A: [{"name": "Lamp"}, {"name": "Chair"}], B: [{"name": "Shelf"}]}
    web.hits = {"shops": [A], "Lamp": [B], "Chair": [B]}


def test_a_failed_step_fails_only_what_needs_it_and_is_named_there(settings: Settings) -> None:
    flow = done(
        settings,
        read("bad", urls=[NOWHERE]),
        read("good", urls=[A]),
        once("after", "bad"),
        once("later", "after"),
        once("both", "good", "bad"),
        once("other", "good"),
    )
    assert flow.states == {
        "bad": "failed",
        "good": "done",
        "after": "skipped",
        "later": "skipped",
        "both": "skipped",
        "other": "done",
    }
    assert (flow.job.status, len(flow.records)) == ("completed", 2)
    assert flow.steps["bad"].error is not None
    assert flow.steps["bad"].error["code"] == "test_unreadable"
    assert flow.steps["after"].because == "bad failed: Not one page could be read."


def test_a_failed_workflow_says_so(settings: Settings) -> None:
    flow = done(settings, read("bad", urls=[NOWHERE]), once("after", "bad"))
    assert flow.job.error is not None
    assert (flow.job.status, flow.job.error["code"]) == ("failed", "workflow_failed")


@pytest.mark.parametrize(("retry", "state"), [(0, "failed"), (1, "failed"), (2, "done")])
def test_a_step_is_tried_as_often_as_it_may_be(
    settings: Settings, web: Web, retry: int, state: str
) -> None:
    web.failing[A] = 2
    flow = done(settings, read("read", urls=[A], retry=retry))
    assert (flow.steps["read"].state, flow.steps["read"].tries) == (state, min(2, retry))


@pytest.mark.parametrize(
    "step", [search("find", "shops", retry=1), read("find", urls=[A], retry=1)]
)
def test_a_step_is_tried_again_after_a_pause(
    settings: Settings, web: Web, monkeypatch: pytest.MonkeyPatch, step: dict[str, Any]
) -> None:
    monkeypatch.setattr(transitions, "PAUSE_SECONDS", transitions.LONGEST_PAUSE_SECONDS)
    web.failing = {"shops": 1, A: 1}
    flow = begin(step, read("read", "find"))
    own = flows.runner(settings)
    ids = flows.ready()
    for _ in range(2):
        own.run([next(ids)])
    with db.transaction() as tx:
        assert selection.choose(tx, "extraction", 9, 30).jobs == []
        seconds = "select extract(epoch from min(run_at) - now()) from jobs where state = 'queued'"
        assert 0 < db.value(tx, seconds) <= transitions.LONGEST_PAUSE_SECONDS
    assert flow.states["read"] == "blocked"


def test_what_a_failed_try_returned_is_forgotten(settings: Settings, web: Web) -> None:
    web.failing[A] = 1
    flow = done(settings, read("read", urls=[A], retry=1), once("once", "read"))
    assert [record["name"] for record in flow.records] == ["Lamp", "Chair"]


def test_an_item_that_fails_leaves_the_others(settings: Settings, web: Web) -> None:
    web.failing["Lamp"] = 1
    flow = done(
        settings, read("read", urls=[A]), search("more", "{/name}", "read"), read("x", "more")
    )
    assert (flow.steps["more"].state, flow.steps["more"].because) == (
        "done",
        "1 of its items failed",
    )


def test_an_item_is_tried_again(settings: Settings, web: Web) -> None:
    web.failing["Lamp"] = 1
    flow = done(
        settings,
        read("read", urls=[A]),
        search("more", "{/name}", "read", retry=1),
        read("x", "more"),
    )
    assert flow.steps["more"].because is None
    assert sorted(web.searched) == ["Chair", "Lamp", "Lamp"]


def test_a_step_all_of_whose_items_fail_has_failed(settings: Settings, web: Web) -> None:
    web.failing = {"Lamp": 9, "Chair": 9}
    flow = done(
        settings, read("read", urls=[A]), search("more", "{/name}", "read"), read("x", "more")
    )
    assert (flow.states["more"], flow.states["x"]) == ("failed", "skipped")


def test_a_lane_that_loses_all_its_workers_gives_its_items_to_others(settings: Settings) -> None:
    flow = begin(search("find", "shops"), read("read", "find"))
    own = flows.runner(settings)
    ids = flows.ready()
    own.run([next(ids)])
    lane = next(ids)
    for _ in range(4):
        lose(lane)
    flows.work(settings)
    assert (flow.states["find"], len(flow.records)) == ("done", 2)


def lose(id: UUID) -> None:
    """A worker takes the job, and its items, and is never heard of again."""
    with db.transaction() as tx:
        tx.execute(
            "update jobs set state = 'running', attempt = attempt + 1, worker = 'gone',"
            " lease_until = now() - interval '1 s' where id = %s",
            (id,),
        )
        tx.execute(
            "update workflow_items set state = 'taken', part_id = %s where state = 'queued'", (id,)
        )
    flows.sweep()


def lose_parts(flow: Flow, settings: Settings) -> None:
    """Begin, and go on as if the end of a part could not be written down."""
    own = flows.runner(settings)
    own.run([next(flows.ready())])
    with db.transaction() as tx:
        tx.execute("delete from jobs where parent_id = %s", (flow.run_id,))
        tx.execute("update jobs set parts_open = 0, state = 'queued' where id = %s", (flow.run_id,))
    flows.work(settings)


def test_a_workflow_whose_parts_are_gone_goes_on(settings: Settings) -> None:
    flow = begin(read("read", urls=[A], retry=1), only("x", "read", "/name", "exists", True))
    lose_parts(flow, settings)
    assert (flow.states, len(flow.records)) == ({"read": "done", "x": "done"}, 2)


def test_a_search_whose_lane_is_gone_is_searched_again(settings: Settings, web: Web) -> None:
    web.hits = {"shops": [A]}
    flow = begin(search("find", "shops", retry=1), read("read", "find"))
    lose_parts(flow, settings)
    assert (flow.states, web.searched) == ({"find": "done", "read": "done"}, ["shops"])
