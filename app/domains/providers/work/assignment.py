"""Claiming: what a node is given. The caller holds the transaction and the node has asked once.

Claims of one account come one after the other; those of different accounts skip what the other is
taking.
"""

import hmac
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Self
from uuid import UUID

import psycopg

from app.core import db, ids, log
from app.core.config.settings import Settings
from app.core.db import Reader, Tx
from app.core.ids import Noun
from app.domains.providers.nodes import service as nodes
from app.domains.providers.nodes.store import Node
from app.domains.providers.work import assignment_store, kinds, store, turn_store
from app.domains.providers.work.kinds import WorkKind
from app.domains.providers.work.store import HeldItem, OpenItem
from app.domains.providers.work.wakeups import OpenClaim, Waiter
from app.domains.queue.jobs import service as jobs
from app.engine.judging import draw

logger = log.get(__name__)

MOST_PAYERS: Final = 50
"""Whose items one draw looks at."""
LOOK: Final = 100
"""The oldest items of each."""
FORGIVEN_SECONDS: Final = 300.0
"""So long an account is not given again what its node fell silent with."""
ACTIVE_SECONDS: Final = 5.0
"""How long the number of active accounts is remembered."""


@dataclass(frozen=True, slots=True)
class WorkRequest:
    """A node's request for work; the same `key` is answered with what it still holds."""

    node_id: UUID
    account_id: UUID
    key: str
    kinds: tuple[str, ...]
    most: int
    network: str | None = None


class Draw:
    """One per process: remembers whose turn it is, and how many accounts are active."""

    def __init__(self, salt: str) -> None:
        """`salt` is the installation's secret: nobody can make accounts that win the draw."""
        self.salt = salt
        self._lock = threading.Lock()
        self._served: dict[str, UUID] = {}
        self._looked: dict[str, UUID] = {}
        self._active: dict[str, tuple[float, int]] = {}

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(hmac.digest(settings.secret_key.encode(), b"citegrid lot", "sha256").hex())

    def claim(self, tx: Tx, wanted: WorkRequest) -> list[HeldItem]:
        """Give the node what it may have, up to its capacity. Nothing: there is none, or it is
        paused. Raises NodeNotFound."""
        assignment_store.serialise(tx, wanted.account_id)
        node = nodes.by_id(tx, wanted.node_id)
        turns = turn_store.standing(tx, node.id, wanted.key)
        held = [turn for turn in turns if turn.outcome is None]
        if same := [turn.work_id for turn in held if turn.claim_key == wanted.key]:
            return _running(tx, same)
        room = min(wanted.most, node.capacity - len(held))
        if node.idle or room <= 0 or len(held) < len(turns):
            return []  # the last: its key was used
        able = [
            kind
            for kind in kinds.KINDS
            if kind.name in wanted.kinds and kind.capability in node.work
        ]
        return self._fill(tx, node, wanted, able, room)

    def _fill(
        self, tx: Tx, node: Node, wanted: WorkRequest, able: list[WorkKind], room: int
    ) -> list[HeldItem]:
        """From each source in turn until there is no room: its own, what comes first, the draw."""
        given: list[UUID] = []

        def take(found: Sequence[OpenItem]) -> None:
            given.extend(_assign(tx, found[: room - len(given)], wanted))

        names = [kind.name for kind in able]
        take(assignment_store.meant_for(tx, node.id, names))
        for kind in able:
            take(_first(tx, kind, node, room - len(given)))
            if len(given) < room and not node.declining and kind.capability != "chat":
                take(self._drawn(tx, kind, node, wanted, room - len(given)))
        return _running(tx, given)

    def _drawn(
        self, tx: Tx, kind: WorkKind, node: Node, wanted: WorkRequest, room: int
    ) -> list[OpenItem]:
        candidates = assignment_store.draw(
            tx,
            queue=kind.kind.queue,
            after=self._served.get(kind.name, jobs.OPERATOR),
            payers=MOST_PAYERS,
            look=LOOK,
            most=room * 8,
            account_id=wanted.account_id,
            network=wanted.network,
            languages=node.options["languages"],
            max_bytes=node.max_bytes,
            forgiven=FORGIVEN_SECONDS,
            salt=self.salt,
            active=self.active(tx, kind.capability),
        )
        one_a_record = {(each.record_id or each.id, each.version): each for each in candidates}
        locked = assignment_store.lock(tx, [each.id for each in one_a_record.values()], room)
        by_id = {each.id: each for each in candidates}
        if locked:
            self._served[kind.name] = by_id[locked[-1]].payer_id
        return [OpenItem(id, kind.name, by_id[id].record_id) for id in locked]

    def unheld(self, reader: Reader, names: Sequence[str]) -> list[OpenClaim]:
        """A few items of these kinds that nobody has, another few each time."""
        found: list[OpenClaim] = []
        for kind in kinds.KINDS:
            if kind.name in names:
                after = self._looked.get(kind.name, jobs.OPERATOR)
                rows = assignment_store.unheld(reader, kind.kind.queue, after, LOOK)
                full = len(rows) == LOOK
                self._looked[kind.name] = rows[-1].payer_id if full else jobs.OPERATOR
                active = self.active(reader, kind.capability)
                found += [OpenClaim(kind.name, partial(self._may, row, active)) for row in rows]
        return found

    @staticmethod
    def just_given(reader: Reader, node_ids: Sequence[UUID]) -> list[OpenClaim]:
        """Claims of these nodes that were given something: perhaps to a poll that was given up."""
        given = assignment_store.just_given(reader, node_ids)
        return [OpenClaim(None, partial(_repeats, *claim)) for claim in given]

    def _may(self, row: assignment_store.Unheld, active: int, waiter: Waiter) -> bool:
        """True if the draw could give the item to who waits; what it knows better it decides."""
        if row.meant_for is not None:
            return row.meant_for == waiter.node_id
        if waiter.account_id in row.excluded:
            return False
        if row.record_id is None:
            return True
        number = draw.number(row.record_id, waiter.account_id, self.salt)
        selected = draw.selects(number, row.slots, active, row.age_seconds)
        return selected and row.payer_id != waiter.account_id

    def active(self, reader: Reader, capability: str) -> int:
        """Counts the accounts with an able node that was heard of lately; up to 5 s old."""
        until, known = self._active.get(capability, (0.0, 0))
        if time.monotonic() < until:
            return known
        count = nodes.seen_recently(reader, capability)
        with self._lock:
            self._active[capability] = (time.monotonic() + ACTIVE_SECONDS, count)
        return count


def _repeats(node_id: UUID, key: str, waiter: Waiter) -> bool:
    return (waiter.node_id, waiter.key) == (node_id, key)


def _running(reader: Reader, ids: Sequence[UUID]) -> list[HeldItem]:
    rows = store.by_ids(reader, ids) if ids else []
    return [row for row in rows if row.state == "running"]


def _first(tx: Tx, kind: WorkKind, node: Node, room: int) -> list[OpenItem]:
    """The items that a higher domain wants to be done first by this node."""
    found: list[UUID] = []
    while len(found) < room:
        id = kinds.chosen_first(tx, kind.name, node.account_id, node.id)
        if id is None or id in found:
            break
        found.append(id)
    return store.chosen(tx, found) if found else []


def _assign(tx: Tx, chosen: Sequence[OpenItem], wanted: WorkRequest) -> list[UUID]:
    """Claim jobs for the node; one whose assignment is taken meanwhile is left to others."""
    given = []
    for item in chosen:
        lease_seconds = kinds.kind_of(item.kind).first_lease_seconds
        if item.record_id is None:  # only a record has assignments
            given += _claim(tx, item.id, lease_seconds, wanted)
            continue
        try:
            with db.savepoint(tx):
                claimed = _claim(tx, item.id, lease_seconds, wanted)
        except psycopg.errors.UniqueViolation:  # in a pipeline at the end of the block
            logger.info("assignment taken", work_id=str(item.id))
        else:
            given += claimed
    return given


def _claim(tx: Tx, id: UUID, lease_seconds: float, wanted: WorkRequest) -> list[UUID]:
    worker = ids.public(Noun.NODE, wanted.node_id)
    claimed = [job.id for job in jobs.claim(tx, [id], worker, lease_seconds)]
    if claimed:
        store.assign(
            tx,
            id,
            account_id=wanted.account_id,
            node_id=wanted.node_id,
            network=wanted.network,
            key=wanted.key,
        )
    return claimed
