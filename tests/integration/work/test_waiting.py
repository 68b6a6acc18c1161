"""Claims that wait: woken by what comes, a few at a time, and never for nothing."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.redis.events import connect
from app.domains.account.accounts.sign_in.authentication import AuthRevokedToken
from app.domains.providers.nodes import service as nodes
from app.domains.providers.work import assignment, store, wakeups
from app.domains.providers.work.assignment import Draw, WorkRequest
from app.domains.providers.work.claims import AssignedWork, ClaimBroker
from app.domains.providers.work.wakeups import Waiter, Waiters
from tests import builders, node_work
from tests.node_work import VALIDATION, node, offered
from tests.patience import PATIENCE_SECONDS


@pytest.fixture
def parties(database: str, settings: Settings) -> tuple[UUID, UUID]:
    """Who pays, and a node."""
    wakeups.connect_notifier(settings.redis_url)
    with db.transaction() as tx:
        payer = builders.account(tx, "payer@example.org")
        return payer, node(tx, settings, builders.account(tx))[0]


@pytest.fixture
def broker(settings: Settings) -> ClaimBroker:
    return ClaimBroker(Draw("salt"), settings)


def wanted(node_id: UUID, key: str = "1") -> WorkRequest:
    with db.transaction() as tx:
        return node_work.wanted(tx, node_id, key)


def waiting(
    broker: ClaimBroker,
    *claims: WorkRequest,
    by_redis: bool = True,
    identify: Callable[[], object] = dict,
) -> tuple[ThreadPoolExecutor, list[Future[AssignedWork]]]:
    """Claims under way, once each has looked in vain and can be woken."""
    looked, look = list[str](), broker._taken

    def taken(claim: WorkRequest) -> list[dict[str, Any]]:
        found = look(claim)
        looked.append(claim.key)
        return found

    vars(broker)["_taken"] = taken
    pool = ThreadPoolExecutor(len(claims))
    begun = [
        pool.submit(broker.claim, each, PATIENCE_SECONDS, identify, idle=False) for each in claims
    ]
    until(lambda: len(looked) == len(claims))
    if by_redis:
        until(lambda: broker._waiters._client.pubsub_numsub(wakeups.CHANNEL)[0][1] > 0)
    return pool, begun


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_claim_that_waits_gets_what_is_offered(
    broker: ClaimBroker, parties: tuple[UUID, UUID]
) -> None:
    payer, node_id = parties
    pool, [claim] = waiting(broker, wanted(node_id))
    with db.transaction() as tx:
        item = offered(tx, payer)
    assert [each["id"] for each in claim.result(PATIENCE_SECONDS).work] == [item]
    pool.shutdown()


def test_a_claim_whose_token_was_revoked_meanwhile_gets_nothing(
    broker: ClaimBroker, parties: tuple[UUID, UUID]
) -> None:
    def refuse() -> None:
        raise AuthRevokedToken

    payer, node_id = parties
    pool, [claim] = waiting(broker, wanted(node_id), identify=refuse)
    with db.transaction() as tx:
        item = offered(tx, payer)
    with pytest.raises(AuthRevokedToken):
        claim.result(PATIENCE_SECONDS)
    with db.reading() as reader:
        assert db.value(reader, "select attempt from jobs where id = %(id)s", id=item) == 0
    pool.shutdown()


def test_without_redis_a_look_at_the_database_finds_it(
    settings: Settings, parties: tuple[UUID, UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    payer, node_id = parties
    monkeypatch.setattr(wakeups, "LOOK_SECONDS", 0.05)
    away = replace(settings, redis_url="redis://127.0.0.1:1")
    wakeups.connect_notifier(away.redis_url)
    pool, [claim] = waiting(ClaimBroker(Draw("salt"), away), wanted(node_id), by_redis=False)
    with db.transaction() as tx:
        item = offered(tx, payer)
    assert [each["id"] for each in claim.result(PATIENCE_SECONDS).work] == [item]
    pool.shutdown()


def test_a_second_poll_with_the_key_gets_what_the_first_was_given(
    broker: ClaimBroker, parties: tuple[UUID, UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    payer, node_id = parties
    monkeypatch.setattr(wakeups, "LOOK_SECONDS", PATIENCE_SECONDS)
    again = wanted(node_id, "same")
    pool, claims = waiting(broker, again, again)
    with db.transaction() as tx:
        item = offered(tx, payer)
    until(lambda: any(claim.done() for claim in claims))
    broker.wake_repetitions(again)
    given = [claim.result(PATIENCE_SECONDS).work for claim in claims]
    assert [[each["id"] for each in works] for works in given] == [[item], [item]]
    pool.shutdown()


def test_other_claims_of_a_node_sleep_on_when_one_was_given_work(
    broker: ClaimBroker, parties: tuple[UUID, UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Awake they would compete with the answer, and find nothing."""
    payer, node_id = parties
    monkeypatch.setattr(wakeups, "LOOK_SECONDS", PATIENCE_SECONDS)
    pool, claims = waiting(broker, wanted(node_id, "a"), wanted(node_id, "b"))
    looked = list[str]()
    monkeypatch.setattr(broker, "_idle", lambda claim: looked.append(claim.key))
    with db.transaction() as tx:
        [first] = [offered(tx, payer)]
    until(lambda: any(claim.done() for claim in claims))
    with db.transaction() as tx:
        second = offered(tx, payer)
    given = [claim.result(PATIENCE_SECONDS).work for claim in claims]
    assert sorted(each["id"] for [each] in given) == [first, second]
    assert looked == []
    pool.shutdown()


def test_maintenance_ends_a_claim_that_waits(
    broker: ClaimBroker, parties: tuple[UUID, UUID]
) -> None:
    _, node_id = parties
    pool, [claim] = waiting(broker, wanted(node_id))
    with db.transaction() as tx:
        account_id = nodes.by_id(tx, node_id).account_id
        nodes.change(tx, account_id, node_id, {"maintenance": True})
    assert claim.result(PATIENCE_SECONDS).work == []
    pool.shutdown()


def test_claims_beyond_the_slots_are_answered_at_once(
    settings: Settings, parties: tuple[UUID, UUID]
) -> None:
    _, node_id = parties
    small = ClaimBroker(Draw("salt"), replace(settings, claim_slots=1))
    pool, [claim] = waiting(small, wanted(node_id, "a"))
    given = small.claim(wanted(node_id, "b"), PATIENCE_SECONDS, dict, idle=False)
    assert (given.work, 3 <= given.retry_after <= 7) == ([], True)
    waking_up = wakeups.for_node(node_id)
    with db.transaction() as tx:
        tx.execute("update nodes set maintenance = true")
    wakeups.notify(waking_up, 1)
    claim.result(PATIENCE_SECONDS)
    pool.shutdown()


class Looking:
    """Waiters that nobody wakes but the test."""

    def __init__(self, settings: Settings) -> None:
        self.waiters = Waiters(connect(settings.redis_url), lambda *_: [])
        self.woken: list[str] = []

    def join(self, name: str, node_id: UUID) -> None:
        waiter = Waiter(node_id, node_id, frozenset({"test.extraction"}))
        entered = threading.Event()

        def wait() -> None:
            with self.waiters.joined(waiter):
                entered.set()
                if waiter.woken.wait(PATIENCE_SECONDS):
                    self.woken.append(name)

        threading.Thread(target=wait, daemon=True).start()
        assert entered.wait(PATIENCE_SECONDS)


def test_as_many_are_woken_as_there_is_work_for_the_longest_waiting_first(
    settings: Settings,
) -> None:
    looking = Looking(settings)
    for name in ("first", "second", "third"):
        looking.join(name, ids.new())
    looking.waiters.wake("test.extraction", 2)
    until(lambda: len(looking.woken) == 2)
    assert sorted(looking.woken) == ["first", "second"]


def test_only_who_takes_the_kind_is_woken(settings: Settings) -> None:
    looking = Looking(settings)
    looking.join("other", ids.new())
    looking.waiters.wake("test.validation", 5)
    looking.waiters.wake("test.extraction", 5)
    until(lambda: looking.woken == ["other"])


def test_a_look_wakes_only_accounts_that_were_drawn(
    settings: Settings, parties: tuple[UUID, UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    payer, _ = parties
    monkeypatch.setattr(Draw, "active", lambda *_: 100)
    draw = Draw("salt")
    with db.transaction() as tx:
        offered(tx, payer, VALIDATION, record_id=UUID(int=7), version=1, slots=2)
        [item] = draw.unheld(tx, [VALIDATION.name])
    waiters = [Waiter(ids.new(), UUID(int=n), frozenset()) for n in range(300)]
    assert 0 < sum(item.may(waiter) for waiter in waiters) < 300


def test_an_assignment_taken_meanwhile_spoils_no_other_claim_of_the_pipeline(
    parties: tuple[UUID, UUID],
) -> None:
    payer, node_id = parties
    record_id = ids.new()
    with db.transaction() as tx:
        first, second = (
            offered(tx, payer, VALIDATION, record_id=record_id, version=1) for _ in range(2)
        )
        free = offered(tx, payer)
        mine = node_work.wanted(tx, node_id, "1")
    with db.transaction(pipeline=True) as tx:
        chosen = store.chosen(tx, [first, second, free])
        assert assignment._assign(tx, chosen, mine) == [first, free]
    with db.reading() as reader:
        held = reader.execute("select id from work where node_id = %s", [node_id]).fetchall()
    assert {id for (id,) in held} == {first, free}
