"""Two of each who schedule, plan, read, decide and close: one run a tick, one close a run."""

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

import psycopg
import pytest

from app.core import db
from app.core.config.settings import Settings
from app.domains.campaigns.campaigns import schemas
from app.domains.campaigns.campaigns.runs import run_end
from app.domains.campaigns.reviews import service as reviews
from app.domains.providers.work.assignment import Draw
from app.domains.queue.jobs import schedules
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.dispatch import sweep
from tests import builders, internet, node_work, servers
from tests.fault import report
from tests.integration.campaigns.market import OWLS, Market
from tests.internet import Internet

CAMPAIGNS, ROUNDS, THREADS, LONG_ROUNDS = 3, 4, 4, 40
AGAIN = "update schedules set next_tick = clock_timestamp() where kind = 'campaigns.run'"
# The schedule of a campaign that is complete has gone, with its ticks.
LOST_TICKS = """
    select count(*) from schedule_runs
    join schedules on schedules.id = schedule_id
    join campaigns on campaigns.schedule_id = schedules.id
    where not exists (select from campaign_runs run
                      where run.campaign_id = campaigns.id and run.tick = schedule_runs.tick)
    """
RUNS = "select count(*), count(distinct (campaign_id, tick)) from campaign_runs"
OPEN = "select count(*) from campaign_runs where state not in ('closed', 'skipped')"
CLOSED = "select count(*) from campaign_runs where state = 'closed' and hold_id is not null"
RELEASED = "select count(*) from ledger_transfers where key like 'release:%%'"
BEYOND = "select count(*) from campaign_runs where spent > reserved"
CLOSING = "select id from campaign_runs where state = 'closing'"
NODES = 2
EXPIRE = """
    update jobs set lease_until = now() - interval '1 ms', deadline_at = now() - interval '1 ms'
    where kind = 'nodes.extraction'
    """
DECISIONS = itertools.cycle(["accepted", "rejected"])
FORGET = "update campaign_pages set left_over = 1"


@pytest.fixture
def site() -> Iterator[Internet]:
    with internet.running() as site:
        yield site


@pytest.fixture
def market(settings: Settings, site: Internet) -> Market:
    market = Market.over(settings, site)
    market.publish(*OWLS)
    return market


def at_once(act: Callable[[], object]) -> None:
    """In several threads; a deadlock is nobody's success, and is tried again by the next one."""

    def once() -> None:
        with suppress(psycopg.errors.DeadlockDetected):
            act()

    threads = [threading.Thread(target=once) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def tick() -> None:
    with db.transaction() as tx:
        schedules.tick(tx)


def close_all() -> None:
    """As several workers would that all believe to be the closer."""
    with db.reading() as reader:
        ids = db.values(reader, CLOSING)
    for id in ids:
        with db.transaction() as tx:
            run_end.share_pool(tx, id)
        with db.transaction() as tx:
            run_end.close(tx, id)


def decide_some(market: Market) -> None:
    market.decide(next(DECISIONS), most=3)


def one(sql: str) -> int:
    with db.reading() as reader:
        return int(db.value(reader, sql))


def test_doubled_schedulers_and_closers_make_one_run_a_tick_and_close_it_once(
    market: Market, long: bool
) -> None:
    for _ in range(CAMPAIGNS):
        market.funded(target=4, amount="4")
    at_once(tick)
    for _ in range(LONG_ROUNDS if long else ROUNDS):
        at_once(lambda: replace(market).work(most=20))
        at_once(lambda: decide_some(replace(market)))
        at_once(close_all)
        with db.transaction() as tx:
            tx.execute(AGAIN)
            tx.execute(FORGET)
        at_once(tick)
    servers.until(lambda: are_closed(market))
    with db.reading() as reader:
        runs, ticks = reader.execute(RUNS).fetchone() or (0, 0)
    assert runs == ticks
    assert one(LOST_TICKS) == 0
    assert one(CLOSED) == one(RELEASED)
    assert one(BEYOND) == 0
    report.notes.append(
        f"{THREADS} schedulers, workers, judges and closers at once: {runs} runs of {ticks} ticks,"
        f" {one(CLOSED)} closed with money, each released once: 0 lost, 0 doubled"
    )


def are_closed(market: Market) -> bool:
    """What a deadlock has broken off is taken up again after its lease."""
    with db.transaction() as tx:
        sweep.sweep(tx)
    market.work()
    market.decide()
    return one(OPEN) == 0


def test_when_everybody_leaves_the_built_in_workers_finish_and_say_so(
    market: Market, settings: Settings
) -> None:
    market = replace(market, settings=replace(market.settings, review_alone_seconds=0.0))
    with db.transaction() as tx:
        accounts = [builders.account(tx, f"{n}@example.org") for n in range(NODES)]
        nodes = [node_work.node(tx, settings, account)[0] for account in accounts]
        tx.execute("update nodes set seen_at = now()")
    campaign = market.funded(target=NODES, amount="2", schema=schemas.DEFAULT_SCHEMA)
    market.collect()
    draw = Draw("salt")
    for node in nodes:
        with db.transaction() as tx:
            wanted = node_work.wanted(tx, node, kinds=("nodes.extraction",))
            assert len(draw.claim(tx, wanted)) == 1
    assert market.undecided() == []
    everybody_leaves()
    market.work()
    with db.transaction() as tx:
        jobs.enqueue(tx, reviews.ATTEND, jobs.OPERATOR, {})
    market.work()
    [run] = market.runs(campaign)
    assert market.now(campaign).state == "completed"
    assert run["report"]["built_in"] == {"extracted": len(OWLS), "validated": NODES}
    assert market.credit == 100
    report.notes.append(
        f"{NODES} nodes left with a page each: all {len(OWLS)} pages read built in, all money back"
    )


def everybody_leaves() -> None:
    """With what they hold, for longer than a network lasts; as after its deadline."""
    with db.transaction() as tx:
        tx.execute("update nodes set seen_at = now() - interval '8 days'")
        tx.execute(EXPIRE)
    with db.transaction() as tx:
        sweep.sweep(tx)
