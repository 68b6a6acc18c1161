"""Two groups of API processes and three of workers; one of them is cut off at work, and healed.

A group says nothing of being cut off: what it held is done by others once its lease has ended, and
what it still writes afterwards is fenced. It comes back by itself.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from app.local.embedded.supervisor import Program
from tests import servers
from tests.fault import report
from tests.fault.load import Load, settle
from tests.scale import postgres_servers, redis_servers
from tests.scale.callers import Searcher, is_ready
from tests.scale.namespaces import Namespace, Network
from tests.scale.stage import (
    Stage,
    await_done,
    await_workers,
    caller_key,
    clear,
    ended_by,
    held_by,
    stage,
    unfinished,
)

pytestmark = pytest.mark.scale

CUT_SECONDS = 40.0  # in the long form: longer than connections and servers wait for each other
"""How long after it is healed a group may need to work again; it is said in scaling-out.md."""


@dataclass
class Machines:
    stage: Stage
    namespaces: dict[str, Namespace]
    workers: list[Program]
    apis: list[str]
    key: str


@pytest.fixture(scope="module")
def machines(network: Network) -> Iterator[Machines]:
    with servers.folder() as home:
        postgres = postgres_servers.Server(home, "postgres", network.gateway)
        redis = redis_servers.Server(home, "redis", "password", network.gateway)
        try:
            postgres.create()
            postgres.start()
            redis.start()
            with stage(home, postgres.url(), redis.url) as built:
                yield _started(built, network)
        finally:
            redis.kill()
            postgres.kill()


def _started(built: Stage, network: Network) -> Machines:
    names = ("api0", "api1", "group0", "group1", "group2")
    spaces = {name: network.machine(name) for name in names}
    workers = [built.worker(name, spaces[name].prefix) for name in names[2:]]
    for name in ("group0", "group1"):
        built.dispatcher(f"dispatcher-{name}", spaces[name].prefix)
    apis = [f"{spaces[name].address}:8000" for name in names[:2]]
    for name, address in zip(names, apis, strict=False):
        built.api(name, address, spaces[name].prefix)
    await_workers(*names[2:])
    key = caller_key()
    servers.until(lambda: all(is_ready(address, key) for address in apis))
    return Machines(built, spaces, workers, apis, key)


CUTS = {
    "cable pulled": Namespace.cut,
    "what it sends is lost": Namespace.silence_outgoing,
    "what it is sent is lost": Namespace.silence_incoming,
}


@pytest.mark.parametrize("cut", CUTS)
def test_what_a_group_that_is_cut_off_held_is_done_by_others_and_it_comes_back(
    machines: Machines, cut: str, short: bool
) -> None:
    """The first group also has one of the two dispatchers."""
    if short and cut != "what it is sent is lost":
        pytest.skip("one of the three ways, in the short form")
    clear()
    load, searcher = Load(), Searcher(list(machines.apis), machines.key)
    struck, space = machines.workers[0], machines.namespaces["group0"]
    load.submit(60 if short else 400)
    searcher.submit(10 if short else 60)

    def at_work() -> bool:
        if unfinished() < 12:
            load.submit_one(seconds=1.0)
        return held_by(struck) > 0

    servers.until(at_work)
    began = time.monotonic()
    CUTS[cut](space)
    load.submit(60 if short else 400)
    searcher.submit(10 if short else 60)
    servers.until(lambda: held_by(struck) == 0)
    taken = time.monotonic() - began
    servers.until(lambda: short or time.monotonic() > began + CUT_SECONDS, CUT_SECONDS + 1)
    space.heal()
    healed, before = time.monotonic(), ended_by(struck)

    def works_again() -> bool:
        if unfinished() < 12:
            load.submit_one(seconds=0.2)
        return ended_by(struck) > before

    servers.until(works_again)
    back = time.monotonic() - healed
    await_done()
    note = f"taken over {taken:.1f} s after the cut, back {back:.1f} s after it was healed"
    _check(machines, load, searcher, f"worker group: {cut}", began, note)


@pytest.mark.usefixtures("long_form")
def test_callers_go_on_with_the_other_api_while_one_is_cut_off(machines: Machines) -> None:
    clear()
    load, searcher = Load(), Searcher(list(machines.apis), machines.key)
    searcher.submit(20)
    began = time.monotonic()
    space = machines.namespaces["api0"]
    space.cut()
    searcher.submit(200)
    space.heal()
    servers.until(lambda: is_ready(machines.apis[0], machines.key))
    back = time.monotonic() - began
    await_done()
    assert searcher.unanswered > 0
    _check(machines, load, searcher, "API group: cable pulled", began, f"back {back:.1f} s")


def _check(
    machines: Machines, load: Load, searcher: Searcher, what: str, began: float, note: str
) -> None:
    tally = settle(load.submitted)
    known = searcher.statuses(machines.apis[1])
    mine = {id: status for id, status in known.items() if id in searcher.accepted}
    report.rows.append(report.Row(what, 1, tally, time.monotonic() - began))
    report.notes.append(f"{what}: {len(mine)} searches, {note}")
    assert tally.good, tally
    assert mine.keys() == searcher.accepted
    assert set(mine.values()) == {"completed"}
    assert len(known) == len(searcher.accepted), "a search was made twice"
