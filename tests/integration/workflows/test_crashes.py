"""A worker may die at any moment of a workflow: the same records come of it, none twice."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from app.core import db
from app.core.config.settings import Settings
from app.core.db import Tx
from tests.integration.workflows import flows
from tests.integration.workflows.flows import Flow, Web, begin, once, only, read, search

A, B, C = "https://a.test/", "https://b.test/", "https://c.test/"
STEPS = (
    search("find", "shops"),
    read("read", "find"),
    only("some", "read", "/price", "lt", 100),
    search("more", "{/name}", "some"),
    read("next", "more"),
    once("once", "next", "read"),
)


@pytest.fixture(autouse=True)
def pages(web: Web) -> None:
    web.pages = {
        A: [{"name": "Lamp", "price": 39}, {"name": "Chair", "price": 120}],
        B: [{"name": "Shelf", "price": 60}, {"name": "Lamp", "price": 41}],
        C: [{"name": "Stool", "price": 20}],
    }
    web.hits = {"shops": [A, B], "Lamp": [C], "Shelf": [C]}


APART = 20
"""Of the transactions of a workflow about half: each of its workers dies once in either."""


class Killed(BaseException):
    """The process is gone: nothing catches this."""


class Death:
    """Kills the process at some of its transactions, before or after they commit."""

    def __init__(self, *at: int, committed: bool) -> None:
        self.at, self.committed, self.seen = at, committed, 0
        self._transaction = db.transaction

    @contextmanager
    def transaction(self, **options: Any) -> Iterator[Tx]:
        self.seen += 1
        dies = self.seen in self.at
        with self._transaction(**options) as tx:
            yield tx
            if dies and not self.committed:
                raise Killed
        if dies:
            raise Killed


def play(settings: Settings, monkeypatch: pytest.MonkeyPatch, death: Death, n: int) -> Flow:
    flow = begin(*STEPS, email=f"owner{n}@example.org")
    own = flows.runner(settings)
    while True:
        for id in flows.ready():
            with monkeypatch.context() as patched:
                patched.setattr(db, "transaction", death.transaction)
                try:
                    own.run([id])
                except Killed:
                    break
        with db.transaction() as tx:
            tx.execute(
                "update jobs set lease_until = now() - interval '1 s' where state = 'running'"
            )
        flows.sweep()
        with db.reading() as reader:
            if not db.value(reader, "select count(*) from jobs where finished_at is null"):
                return flow


@pytest.mark.parametrize("committed", [False, True], ids=["before a commit", "after a commit"])
def test_a_workflow_comes_to_the_same_whenever_its_worker_dies(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, committed: bool
) -> None:
    at, death = int(committed) - 1, Death(committed=committed)
    expected = play(settings, monkeypatch, death, 0).records
    assert [record["name"] for record in expected] == ["Stool", "Lamp", "Chair", "Shelf"]
    while at + APART <= death.seen:
        at += 2  # of each two transactions one dies before its commit, the other after
        death = Death(at, at + APART, committed=committed)
        flow = play(settings, monkeypatch, death, at)
        assert (at, flow.records) == (at, expected)
        assert (at, set(flow.states.values())) == (at, {"done"})
    assert at + APART > 40


def test_items_whose_workers_all_die_cost_their_neighbours_nothing(
    settings: Settings, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(what: str) -> None:
        if what == "Lamp":
            raise Killed

    monkeypatch.setattr(web, "break_down", kill)
    flow = play(settings, monkeypatch, Death(committed=False), 0)
    assert flow.steps["more"].because == "2 of its items failed"
    assert "Stool" in {record["name"] for record in flow.records}  # what Shelf leads to
