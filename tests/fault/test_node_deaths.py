"""The reference node is killed at each step of its work: others do it, and it counts once."""

from collections import Counter
from uuid import UUID

from citegrid.node.identity import Identity

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from tests import builders, node_work, servers
from tests.fault import report
from tests.fault.mortal_node import STEPS, killed
from tests.fault.polling import Node, sweeping

ITEMS, ROUNDS = 3, 20
EXPIRE = """
    update jobs set lease_until = now() - interval '1 ms'
    where state = 'running' and id = any(%(ids)s)
    """
RUNNING = "select count(*) from jobs where state = 'running' and id = any(%(ids)s)"
STATES = "select state, count(*) from jobs where id = any(%(ids)s) group by state"
TAKEN_BACK = """
    select count(*) from jobs where state = 'queued' and attempt > 0 and id = any(%(ids)s)
    """


def offered() -> list[UUID]:
    with db.transaction() as tx:
        payer = builders.account(tx, f"{ids.new().hex}@example.org")
        return [node_work.offered(tx, payer) for _ in range(ITEMS)]


def count(sql: str, items: list[UUID]) -> int:
    with db.reading() as reader:
        return int(db.value(reader, sql, ids=items))  # type: ignore[arg-type]


def given_up(items: list[UUID]) -> None:
    """As 10 seconds or a minute later: the leases have ended, and the sweeper has seen it."""

    def swept() -> bool:
        with db.transaction() as tx:  # again: a request of the dead may still be under way
            tx.execute(EXPIRE, {"ids": items})
        return count(RUNNING, items) == 0

    servers.until(swept)


def finished_by(node: Node, items: list[UUID]) -> None:
    while count("select count(*) from jobs where finished_at is null and id = any(%(ids)s)", items):
        for item in node.claim(ids.new().hex):
            assert node.submit(item)[0] == 200


def test_what_a_killed_node_had_is_done_once_by_others(
    settings: Settings, port: int, long: bool
) -> None:
    rounds, taken_back, items = ROUNDS if long else 1, 0, list[UUID]()
    node_work.accepted.clear()
    with sweeping(settings):
        for step in STEPS * rounds:
            dying, other = Node(settings, port), Node(settings, port)
            new = offered()
            assert killed(_identity(dying, port), step), step
            given_up(new)
            taken_back += count(TAKEN_BACK, new)
            finished_by(other, new)
            items += new
    counts = Counter(id for id, _ in node_work.accepted)
    with db.reading() as reader:
        states = dict(reader.execute(STATES, {"ids": items}).fetchall())
    assert states == {"succeeded": len(items)}
    assert counts == dict.fromkeys(items, 1)
    assert taken_back >= rounds * (len(STEPS) - 2)
    report.notes.append(
        f"Reference nodes killed at {len(STEPS)} steps: {rounds * len(STEPS)}, with {len(items)}"
        f" items, of which {taken_back} were taken back: 0 lost, 0 accepted twice"
    )


def _identity(node: Node, port: int) -> Identity:
    return Identity(f"http://127.0.0.1:{port}", ids.public(Noun.NODE, node.id), node.token)
