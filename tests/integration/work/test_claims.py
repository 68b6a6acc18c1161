"""Who is given what: the draw, assignments, capacity, payers, and one answer to one key."""

from uuid import UUID

import pytest

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.db import Tx
from app.domains.providers.nodes import service as nodes
from app.domains.providers.work import kinds, outcomes
from app.domains.providers.work import service as work
from app.domains.providers.work.assignment import Draw
from tests import builders, wired
from tests.node_work import CHAT, VALIDATION, node, offered, wanted


@pytest.fixture
def payer(tx: Tx) -> UUID:
    return builders.account(tx, "payer@example.org")


@pytest.fixture
def worker(tx: Tx, settings: Settings) -> UUID:
    """A node."""
    return node(tx, settings, builders.account(tx, "worker@example.org"))[0]


def claim(tx: Tx, node_id: UUID, **terms: object) -> list[UUID]:
    """A claim of a process of its own, with a key of its own unless one is given."""
    key = str(terms.pop("key", ids.new()))
    given = Draw("salt").claim(tx, wanted(tx, node_id, key, **terms))  # type: ignore[arg-type]
    return [row.id for row in given]


def test_a_node_gets_what_was_offered(tx: Tx, payer: UUID, worker: UUID) -> None:
    item = offered(tx, payer)
    assert claim(tx, worker) == [item]


def test_the_same_key_gets_the_same_work(tx: Tx, payer: UUID, worker: UUID) -> None:
    offered(tx, payer), offered(tx, payer)
    assert claim(tx, worker, key="a") == claim(tx, worker, key="a")


def test_a_key_gets_nothing_more_once_its_work_has_ended(tx: Tx, payer: UUID, worker: UUID) -> None:
    [item] = [offered(tx, payer)]
    assert claim(tx, worker, key="a") == [item]
    outcomes.complete(tx, outcomes.fenced(tx, worker, item, 1), lambda _tx: None)
    later = offered(tx, payer)
    assert claim(tx, worker, key="a") == []
    assert claim(tx, worker, key="b") == [later]


def test_nobody_else_gets_what_a_node_has(
    tx: Tx, settings: Settings, payer: UUID, worker: UUID
) -> None:
    offered(tx, payer)
    claim(tx, worker)
    other, _ = node(tx, settings, builders.account(tx))
    assert claim(tx, other) == []


def test_a_node_gets_no_more_than_it_has_room_for(tx: Tx, settings: Settings, payer: UUID) -> None:
    small, _ = node(tx, settings, builders.account(tx), capacity=2)
    for _ in range(3):
        offered(tx, payer)
    assert [len(claim(tx, small)), len(claim(tx, small, most=8)), claim(tx, small)] == [1, 1, []]


def test_a_node_gets_only_what_it_can_and_wants(tx: Tx, settings: Settings, payer: UUID) -> None:
    judge, _ = node(tx, settings, builders.account(tx), work=["validation"])
    offered(tx, payer)
    assert claim(tx, judge) == []
    offered(tx, payer, VALIDATION)
    assert claim(tx, judge, kinds=["test.extraction", "unknown"]) == []
    assert len(claim(tx, judge)) == 1


@pytest.mark.parametrize("needs", [{"language": "fi"}, {"bytes": 2000}])
def test_a_node_gets_no_input_that_it_does_not_take(
    tx: Tx, settings: Settings, payer: UUID, needs: dict[str, object]
) -> None:
    choosy, _ = node(tx, settings, builders.account(tx), languages=["en"], max_bytes=1000)
    offered(tx, payer, needs=needs)
    assert claim(tx, choosy) == []
    fitting = offered(tx, payer, needs={"language": "en", "bytes": 1000})
    assert claim(tx, choosy) == [fitting]


def test_what_is_meant_for_one_node_goes_to_no_other(
    tx: Tx, settings: Settings, payer: UUID, worker: UUID
) -> None:
    other, _ = node(tx, settings, builders.account(tx))
    item = offered(tx, payer, CHAT, node_id=worker)
    assert claim(tx, other) == []
    assert claim(tx, worker) == [item]


def test_an_excluded_account_gets_nothing(tx: Tx, payer: UUID, worker: UUID) -> None:
    account_id = nodes.by_id(tx, worker).account_id
    offered(tx, payer, excluded=[account_id])
    assert claim(tx, worker) == []


def test_an_account_has_one_assignment_of_a_record(tx: Tx, settings: Settings, payer: UUID) -> None:
    account_id, record = builders.account(tx), ids.new()
    pair = [node(tx, settings, account_id)[0] for _ in range(2)]
    for _ in range(3):
        offered(tx, payer, VALIDATION, record_id=record, version=1, slots=3)
    assert [len(claim(tx, each, most=8)) for each in pair] == [1, 0]


def test_who_pays_for_a_record_has_no_assignment(tx: Tx, settings: Settings, payer: UUID) -> None:
    own, _ = node(tx, settings, payer)
    offered(tx, payer, VALIDATION, record_id=ids.new(), version=1)
    assert claim(tx, own) == []


def test_two_accounts_of_one_network_have_one_assignment(
    tx: Tx, settings: Settings, payer: UUID, worker: UUID
) -> None:
    other, _ = node(tx, settings, builders.account(tx))
    record = ids.new()
    for _ in range(2):
        offered(tx, payer, VALIDATION, record_id=record, version=1, slots=2)
    assert len(claim(tx, worker, network="198.51.100.0/24")) == 1
    assert claim(tx, other, network="198.51.100.0/24") == []
    assert len(claim(tx, other, network="203.0.113.0/24")) == 1


def test_payers_take_turns(tx: Tx, settings: Settings, payer: UUID, worker: UUID) -> None:
    second = builders.account(tx)
    for _ in range(3):
        offered(tx, payer)
    theirs = offered(tx, second)
    assert theirs in claim(tx, worker, most=2)


def test_a_node_under_maintenance_gets_nothing_new_and_keeps_what_it_has(
    tx: Tx, payer: UUID, worker: UUID
) -> None:
    offered(tx, payer), offered(tx, payer)
    had = claim(tx, worker, key="a")
    account_id = nodes.by_id(tx, worker).account_id
    nodes.change(tx, account_id, worker, {"maintenance": True})
    assert claim(tx, worker) == []
    assert claim(tx, worker, key="a") == had


def test_a_node_that_is_not_approved_gets_nothing(tx: Tx, payer: UUID, worker: UUID) -> None:
    tx.execute("update nodes set admitted_at = null")
    offered(tx, payer)
    assert claim(tx, worker) == []
    assert nodes.by_id(tx, worker).paused_reason == "awaiting_approval"


def test_the_models_of_a_node_that_is_not_approved_are_offline(tx: Tx, worker: UUID) -> None:
    tx.execute("update nodes set admitted_at = null")
    nodes.heard(tx, nodes.by_id(tx, worker), None, in_flight=0)
    assert db.value(tx, "select count(seen_at) from provider_devices") == 0


def test_nodes_of_a_suspended_account_get_nothing_and_give_back_what_they_have(
    tx: Tx, settings: Settings, payer: UUID, worker: UUID
) -> None:
    item = offered(tx, payer)
    claim(tx, worker)
    work.suspend(tx, nodes.by_id(tx, worker).account_id, "wrong answers")
    other, _ = node(tx, settings, builders.account(tx))
    offered(tx, payer)
    assert claim(tx, worker) == []
    assert claim(tx, other) == [item]


def test_what_must_come_first_is_handed_out_instead(tx: Tx, payer: UUID, worker: UUID) -> None:
    offered(tx, payer, VALIDATION)
    made: list[UUID] = []

    def gold(tx: Tx, kind: str, account_id: UUID, node_id: UUID) -> UUID | None:
        if made or kind != VALIDATION.name:
            return None
        made.append(offered(tx, payer, VALIDATION, gold=True, node_id=node_id))
        return made[0]

    with wired.instead(kinds.FIRST, gold):
        assert claim(tx, worker) == made


# A hundred active accounts, two assignments: six of a hundred at first, twelve after half a minute.
@pytest.mark.parametrize(("age_seconds", "share"), [(0, 0.06), (30, 0.12), (150, 1.0)])
def test_a_record_is_open_to_few_accounts_at_first_and_to_more_as_time_passes(
    tx: Tx,
    payer: UUID,
    worker: UUID,
    monkeypatch: pytest.MonkeyPatch,
    age_seconds: int,
    share: float,
) -> None:
    monkeypatch.setattr(Draw, "active", lambda *_: 100)
    account_id = nodes.by_id(tx, worker).account_id
    # A record is open exactly if its number lies below the share.
    numbers = {}
    for _ in range(60):
        record = ids.new()
        item = offered(tx, payer, VALIDATION, record_id=record, version=1, slots=2)
        found = tx.execute("select work_lot(%s, %s, 'salt')", [record, account_id]).fetchone()
        assert found is not None
        numbers[item] = found[0]
    tx.execute("update jobs set created_at = now() - make_interval(secs => %s)", [age_seconds])
    tx.execute("update nodes set capacity = 64")
    drawn = set(claim(tx, worker, most=64))
    assert drawn == {item for item, number in numbers.items() if number < share}
