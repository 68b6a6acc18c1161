"""Nodes and their work when connections are cut, nodes race, and our own sweeper was away."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.providers.work.assignment import Draw
from app.domains.providers.work.service import outcome_counts
from app.domains.queue.jobs import store
from tests import builders, node_work, servers
from tests.fault import report
from tests.fault.polling import Node, several_sweeps, sweeping, swept_lately

CUTS, FEW_CUTS = 500, 10
RACERS = 50
OUR_GAP_SECONDS, OUR_SHORT_GAP_SECONDS = 300.0, 12.0


def test_a_claim_whose_answer_was_cut_off_gets_its_work_again(
    settings: Settings, port: int, long: bool
) -> None:
    node, cuts = Node(settings, port), CUTS if long else FEW_CUTS
    with db.transaction() as tx:
        payer = builders.account(tx, "payer@example.org")
    for number in range(cuts):
        with db.transaction() as tx:
            offered = node_work.offered(tx, payer)
        node.claim_and_vanish(f"key-{number}")
        [item] = node.claim(f"key-{number}")
        assert (item["id"], item["fence"]) == (ids.public(Noun.WORK, offered), 1)
        assert node.submit(item)[0] == 200
    report.notes.append(f"Claims cut before the answer: {cuts}, none lost, none given twice")


def test_a_result_whose_answer_was_cut_off_counts_once(
    settings: Settings, port: int, long: bool
) -> None:
    node, cuts = Node(settings, port), CUTS if long else FEW_CUTS
    node_work.accepted.clear()
    with db.transaction() as tx:
        payer = builders.account(tx, "payer@example.org")
    for number in range(cuts):
        with db.transaction() as tx:
            node_work.offered(tx, payer)
        [item] = node.claim(f"key-{number}")
        node.submit_and_vanish(item)
        status, answer = node.submit(item)
        assert (status, answer["answer"]) == (200, {"count": number + 1})
        assert node.submit(item) == (status, answer)
    assert len(node_work.accepted) == cuts
    report.notes.append(f"Results cut before the answer: {cuts}, each sent 3 times, accepted once")


def test_of_racing_nodes_of_an_account_one_has_an_assignment_of_a_record(
    settings: Settings, long: bool
) -> None:
    records = 40 if long else 8
    with db.transaction() as tx:
        payer, account_id = builders.account(tx, "payer@example.org"), builders.account(tx)
        racing = [node_work.node(tx, settings, account_id, capacity=64)[0] for _ in range(2)]
        for _ in range(records):
            record = ids.new()
            for _ in range(3):
                node_work.offered(
                    tx, payer, node_work.VALIDATION, record_id=record, version=1, slots=3
                )
    draw = Draw("salt")
    with ThreadPoolExecutor(RACERS) as pool:
        claimed = pool.map(lambda number: _claim(draw, racing[number % 2], number), range(RACERS))
        given = sum(claimed)
    with db.reading() as reader:
        given_of = dict(
            reader.execute(
                "select record_id, count(*) from work where account_id is not null group by 1"
            ).fetchall()
        )
    assert set(given_of.values()) == {1}
    assert given == len(given_of)
    report.notes.append(
        f"{RACERS} racing claims of one account: one assignment in each of {len(given_of)}"
    )


def _claim(draw: Draw, node_id: UUID, number: int) -> int:
    with db.transaction() as tx:
        return len(draw.claim(tx, node_work.wanted(tx, node_id, f"race {number}", most=2)))


def test_our_own_absence_takes_no_lease_and_pauses_nobody(settings: Settings, long: bool) -> None:
    gap = OUR_GAP_SECONDS if long else OUR_SHORT_GAP_SECONDS
    with db.transaction() as tx:
        payer = builders.account(tx, "payer@example.org")
        node_id, _ = node_work.node(tx, settings, builders.account(tx))
    with sweeping(settings) as sweeper:
        sweeper.send_signal(signal.SIGSTOP)
        with db.transaction() as tx:
            item = node_work.held(tx, payer, node_id)
            tx.execute("update jobs set lease_until = now() + interval '1 s'")
        time.sleep(gap)
        sweeper.send_signal(signal.SIGCONT)
        servers.until(swept_lately)
        servers.until(several_sweeps())
        with db.reading() as reader:
            job = store.by_id(reader, item)
            assert outcome_counts(reader, node_id) == {}
    assert job is not None
    assert job.state == "running"
    report.notes.append(f"A sweeper stopped for {gap:.0f} s: no lease lost, no failure counted")
