"""What follows from how a node behaves, and what its owner and the operator can do about it."""

from collections.abc import Callable
from uuid import UUID

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.cli import main
from app.core import db, ids
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.ids import Noun
from app.domains.campaigns.reviews import reputations
from app.domains.providers.nodes import pauses
from app.domains.providers.nodes import service as nodes
from app.domains.providers.nodes.pauses import PauseStands
from app.domains.providers.nodes.store import Node
from app.domains.providers.work import outcomes
from app.domains.providers.work import service as work
from app.domains.providers.work.assignment import Draw
from app.domains.providers.work.service import outcome_counts
from app.domains.providers.work.store import HeldItem
from app.domains.queue.jobs.dispatch import sweep
from app.domains.queue.webhooks import service as webhooks
from app.domains.queue.webhooks.terms import DeliveryTerms
from tests import builders, node_work
from tests.node_work import node, offered, wanted


class Worker:
    """A node, and items that it gets one by one."""

    def __init__(self, tx: Tx, settings: Settings) -> None:
        self._tx = tx
        self.payer = builders.account(tx, "payer@example.org")
        self.account_id = builders.account(tx)
        self.id, _ = node(tx, settings, self.account_id)
        self.draw = Draw("salt")

    @property
    def node(self) -> Node:
        return nodes.by_id(self._tx, self.id)

    def given(self) -> HeldItem | None:
        """What it gets of a new item."""
        offered(self._tx, self.payer)
        rows = self.draw.claim(self._tx, wanted(self._tx, self.id, str(ids.new())))
        return rows[0] if rows else None

    def loses(self, times: int = 1) -> None:
        for _ in range(times):
            row = self.given()
            assert row is not None
            self._tx.execute("update jobs set lease_until = now() - interval '1 s'")
            sweep.sweep(self._tx)
            outcomes.withdraw(self._tx, [row.id])

    def declines(self, times: int, reason: str = "other") -> None:
        for _ in range(times):
            row = self.given()
            assert row is not None
            work.decline(self._tx, self.id, row.id, row.fence, reason)
            outcomes.withdraw(self._tx, [row.id])

    def does(self, times: int) -> None:
        for _ in range(times):
            row = self.given()
            assert row is not None
            outcomes.complete(self._tx, row, lambda _tx: None)

    def changes(self, **changes: object) -> Node:
        return nodes.change(self._tx, self.account_id, self.id, changes)


@pytest.fixture
def worker(tx: Tx, settings: Settings) -> Worker:
    return Worker(tx, settings)


def minutes_paused(tx: Tx) -> float:
    return float(db.value(tx, "select extract(epoch from paused_until - now()) / 60 from nodes"))


def test_a_node_that_loses_five_items_is_paused_for_ten_minutes(tx: Tx, worker: Worker) -> None:
    worker.loses(4)
    assert worker.node.paused_reason is None
    worker.loses()
    assert (worker.node.paused_reason, round(minutes_paused(tx))) == ("lost_work", 10)
    assert worker.given() is None


def test_each_pause_is_twice_as_long_up_to_six_hours(tx: Tx, worker: Worker) -> None:
    lengths = []
    for _ in range(7):
        pauses.pause(tx, worker.id)
        lengths.append(round(minutes_paused(tx)))
        tx.execute("update nodes set paused_until = now()")
    assert lengths == [10, 20, 40, 80, 160, 320, 360]


def test_the_pause_after_very_many_is_six_hours_as_well(tx: Tx, worker: Worker) -> None:
    tx.execute("update nodes set pauses = 2000, paused_until = now()")
    pauses.pause(tx, worker.id)
    assert round(minutes_paused(tx)) == 360


def test_after_a_day_without_one_a_pause_is_short_again(tx: Tx, worker: Worker) -> None:
    pauses.pause(tx, worker.id)
    tx.execute("update nodes set pauses = 5, paused_until = now() - interval '25 hours'")
    pauses.pause(tx, worker.id)
    assert round(minutes_paused(tx)) == 10


def test_losses_that_led_to_a_pause_lead_to_no_other(tx: Tx, worker: Worker) -> None:
    worker.loses(5)
    tx.execute("update nodes set paused_until = now(), counted_since = now() + interval '1 ms'")
    tx.execute("update work_turns set claimed_at = claimed_at - interval '1 s'")
    worker.loses(1)
    assert worker.node.paused_reason is None


def test_a_pause_is_told_to_the_owners_webhook(tx: Tx, settings: Settings, worker: Worker) -> None:
    terms = DeliveryTerms.of(settings)
    webhooks.create(tx, worker.account_id, "https://example.org/", ["node.paused"], terms)
    pauses.pause(tx, worker.id)
    [body] = db.values(tx, "select convert_from(body, 'utf8') from webhook_events")
    assert '"paused_reason":"lost_work"' in body


def test_its_owner_ends_a_pause_once_a_day(tx: Tx, worker: Worker) -> None:
    pauses.pause(tx, worker.id)
    assert worker.changes(paused=False).paused_reason is None
    pauses.pause(tx, worker.id)
    with pytest.raises(PauseStands):
        worker.changes(paused=False)


def test_the_operators_pause_stays_until_the_operator_ends_it(tx: Tx, worker: Worker) -> None:
    nodes.set_stopped(tx, worker.id, True)
    assert (worker.node.paused_reason, worker.given()) == ("operator", None)
    with pytest.raises(PauseStands):
        worker.changes(paused=False)
    nodes.set_stopped(tx, worker.id, False)
    assert worker.given() is not None


def test_declining_is_free_for_half_of_what_is_claimed(worker: Worker) -> None:
    worker.does(6)
    worker.declines(6)
    assert not worker.node.declining


def test_who_declines_more_than_half_is_passed_over_for_a_while(worker: Worker) -> None:
    worker.does(4)
    worker.declines(6)
    assert worker.node.declining
    assert worker.given() is None


def test_who_said_it_cannot_has_failed_once_another_could(
    tx: Tx, settings: Settings, worker: Worker
) -> None:
    row = worker.given()
    assert row is not None
    work.decline(tx, worker.id, row.id, row.fence, "cannot")
    assert outcome_counts(tx, worker.id) == {"declined": 1}
    other, _ = node(tx, settings, builders.account(tx, "other@example.org"))
    [again] = worker.draw.claim(tx, wanted(tx, other))
    outcomes.complete(tx, again, lambda _tx: None)
    assert outcome_counts(tx, worker.id) == {"failed": 1}


def test_a_gap_of_our_own_costs_no_lease(tx: Tx, worker: Worker) -> None:
    worker.given()
    tx.execute("update jobs set lease_until = now() - interval '4 minutes'")
    tx.execute("update sweeps set swept_at = now() - interval '5 minutes'")
    sweep.forgive(tx)
    sweep.sweep(tx)
    assert outcome_counts(tx, worker.id) == {}


def test_without_a_gap_a_lease_is_not_prolonged(tx: Tx, worker: Worker) -> None:
    worker.given()
    tx.execute("update jobs set lease_until = now() - interval '1 s'")
    tx.execute("update sweeps set swept_at = now() - interval '5 s'")
    sweep.forgive(tx)
    sweep.sweep(tx)
    assert outcome_counts(tx, worker.id) == {"lost": 1}


@pytest.fixture
def operator(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs `citegrid-server nodes ...`."""
    for name in ("database_url", "redis_url", "secret_key"):
        monkeypatch.setenv(name.upper(), getattr(settings, name))

    def run(*words: str) -> str:
        outcome = CliRunner().invoke(main, ["nodes", *words], catch_exceptions=False)
        assert outcome.exit_code == 0, outcome.output
        return outcome.output

    return run


def test_the_operator_lists_approves_and_pauses_nodes(
    settings: Settings, operator: Callable[..., str]
) -> None:
    with db.transaction() as tx:
        id, _ = node_work.node(tx, settings, builders.account(tx))
        tx.execute("update nodes set admitted_at = null")
    public = ids.public(Noun.NODE, id)
    assert "awaiting_approval" in operator("list", "--waiting")
    operator("approve", public)
    assert operator("list", "--waiting") == "No nodes wait for approval.\n"
    operator("pause", public)
    assert "operator" in operator("show", public)
    operator("resume", public)
    assert "offline" in operator("show", public)


def test_an_account_has_three_nodes_until_fifty_answers_were_judged(
    client: FlaskClient, settings: Settings
) -> None:
    with db.transaction() as tx:
        account_id = builders.account(tx)
        headers = {"X-API-Key": builders.api_key(tx, settings, account_id, ("nodes",))}

    def register() -> TestResponse:
        body = {"name": "cellar", "capabilities": {"work": ["validation"]}}
        return client.post("/v1/nodes", json=body, headers=headers)

    judge(account_id, 49)
    assert [register().status_code for _ in range(4)] == [201, 201, 201, 409]
    assert register().get_json()["error"]["code"] == "too_many_nodes"
    judge(account_id, 1)
    assert register().status_code == 201


def judge(account_id: UUID, answers: int) -> None:
    """So many more answers of the account turn out right."""
    with db.transaction() as tx:
        for _ in range(answers):
            reputations.learn(tx, {account_id: True})
