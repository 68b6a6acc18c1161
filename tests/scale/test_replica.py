"""Postgres fails over to a replica while work goes on: what is kept, and what can be lost."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests import servers
from tests.fault import report
from tests.fault.load import Load, settle
from tests.ports import free_port
from tests.scale.callers import Searcher, is_ready
from tests.scale.postgres_servers import Server, follow
from tests.scale.stage import Stage, await_done, await_workers, caller_key, stage

pytestmark = pytest.mark.scale


class Pair:
    """A primary and its replica; every process of ours knows both by one address."""

    def __init__(self, primary: Server, replica: Server) -> None:
        self.primary, self.replica = primary, replica
        self.url = f"postgresql://postgres@{primary.host},{replica.host}/postgres"

    def fail_over(self) -> None:
        """The primary is gone at once, for good; the replica takes its place."""
        self.primary.kill()
        self.replica.promote()
        self.primary, self.replica = self.replica, self.primary


@contextmanager
def working(synchronous: bool) -> Iterator[tuple[Pair, Stage]]:
    with servers.folder() as home, servers.redis() as redis:
        pair = Pair(Server(home, "one"), Server(home, "two"))
        try:
            pair.primary.create()
            pair.primary.start()
            follow(pair.replica, pair.primary, synchronous=synchronous)
            with stage(home, pair.url, redis.url()) as built:
                for name in ("worker0", "worker1"):
                    built.worker(name)
                built.dispatcher()
                await_workers("worker0", "worker1")
                yield pair, built
        finally:
            for server in (pair.primary, pair.replica):
                server.kill()


@pytest.mark.usefixtures("long_form")
def test_nothing_accepted_is_lost_when_commits_wait_for_the_replica() -> None:
    with working(synchronous=True) as (pair, _):
        load, began = Load(), time.monotonic()
        load.submit(1_000)
        former = pair.primary
        submitting = threading.Thread(target=load.submit, args=[300])
        submitting.start()  # accepted before, after or, its answer lost, twice
        pair.fail_over()
        submitting.join()
        load.submit(500)
        former.rejoin(pair.primary)  # it is named first, and is not written to
        load.submit(50)
        await_done()
        tally = settle(load.submitted)
        report.rows.append(
            report.Row(
                "Postgres primary SIGQUIT, synchronous replica promoted",
                1,
                tally,
                time.monotonic() - began,
            )
        )
        assert tally.good, tally
        assert former.execute("select pg_is_in_recovery()") == [(True,)]


@pytest.mark.usefixtures("long_form")
def test_without_waiting_what_had_not_reached_the_replica_is_lost_and_nothing_is_doubled() -> None:
    """It is as if those had never been accepted; all others are done once."""
    with working(synchronous=False) as (pair, _):
        load, began = Load(), time.monotonic()
        load.submit(500)
        await_done()
        _await_replayed(pair)
        pair.replica.execute("alter system set primary_conninfo = ''")
        pair.replica.execute("select pg_reload_conf()")
        receiving = "select count(*) from pg_stat_wal_receiver"
        servers.until(lambda: pair.replica.execute(receiving)[0][0] == 0)
        load.submit(40)
        pair.fail_over()
        load.submit(200)
        await_done()
        tally = settle(load.submitted)
        report.rows.append(
            report.Row(
                "Postgres primary SIGQUIT, asynchronous replica 40 jobs behind promoted",
                1,
                tally,
                time.monotonic() - began,
            )
        )
        assert (tally.lost, tally.doubled, tally.open, tally.late) == (40, 0, 0, 0)


@pytest.mark.usefixtures("long_form")
def test_nothing_is_accepted_while_the_synchronous_replica_is_away() -> None:
    """And what is accepted once it is back is there when the primary dies."""
    with working(synchronous=True) as (pair, built):
        address, key = f"127.0.0.1:{free_port()}", caller_key()
        built.api("api", address)
        servers.until(lambda: is_ready(address, key))
        pair.replica.kill()
        searcher = Searcher([address], key)
        submitting = threading.Thread(target=searcher.submit, args=[20])
        submitting.start()
        waiting = "select count(*) from pg_stat_activity where wait_event = 'SyncRep'"
        servers.until(lambda: pair.primary.execute(waiting)[0][0] > 0)
        servers.until(lambda: searcher.unanswered >= 5)
        accepted_meanwhile, unanswered = len(searcher.accepted), searcher.unanswered
        pair.replica.start()
        submitting.join()
        pair.fail_over()
        servers.until(lambda: is_ready(address, key))
        known = searcher.statuses(address)
        report.notes.append(
            f"synchronous replica away: {accepted_meanwhile} accepted, {unanswered} requests"
            f" refused or unanswered; of {len(searcher.accepted)} accepted once it was back"
            f" {len(searcher.accepted & known.keys())} were there after a failover,"
            f" {len(known)} in all"
        )
        assert accepted_meanwhile == 0
        assert known.keys() == searcher.accepted


def _await_replayed(pair: Pair) -> None:
    end = pair.primary.execute("select pg_current_wal_lsn()::text")[0][0]
    behind = f"select pg_last_wal_replay_lsn() < '{end}'::pg_lsn"
    servers.until(lambda: pair.replica.execute(behind)[0][0] is False)
