"""Records to be judged, and accounts that judge them, without routes between."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.db import Reader, Tx
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.reviews import store, subjects
from app.domains.campaigns.reviews.assignments import VALIDATION
from app.domains.campaigns.reviews.store import Review
from app.domains.campaigns.reviews.subjects import Decision, Subject
from app.domains.providers.nodes import service as nodes
from app.domains.providers.work import outcomes
from app.domains.providers.work.assignment import Draw, WorkRequest
from app.domains.providers.work.kinds import Item
from app.engine.judging.checks import RecordChecks
from tests import builders, wired

TEXT = "Blue lamp\nPrice: 20 EUR\nColour: blue\nOld price: 30 EUR\nMaker: Acme\nSize: 12 cm\n"
SCHEMA: dict[str, Any] = {
    "title": "Product",
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "price": {"type": "number"},
        "colour": {"type": "string"},
    },
    "required": ["name", "price"],
}
RECORD: dict[str, Any] = {
    "data": {"name": "Blue lamp", "price": 20, "colour": "blue"},
    "provenance": [
        {"pointer": "/name", "quote": "Blue lamp", "start": 0},
        {"pointer": "/price", "quote": "20 EUR", "start": TEXT.index("20 EUR")},
        {"pointer": "/colour", "quote": "blue", "start": TEXT.index("blue")},
    ],
}
WHOLE: dict[str, Any] = {
    "objective": "Lamps and what they cost",
    "schema": SCHEMA,
    "require_citations": True,
    "record": RECORD,
    "page": {
        "url": "https://shop.example/lamp",
        "title": "Blue lamp",
        "text": TEXT,
        "language": "en",
        "content_hash": "sha256:1",
        "fetched_at": "2026-01-01T00:00:00Z",
    },
}
ACCEPT: dict[str, Any] = {"verdict": "accept", "evidence": RECORD["provenance"]}
REJECT: dict[str, Any] = {
    "verdict": "reject",
    "category": "wrong_value",
    "reason": "The page gives another price for it.",
    "evidence": [],
}
AGREED = RecordChecks("agreed", "agreed")
DOUBTED = RecordChecks("agreed", "contradicted")
CAPABILITIES: dict[str, Any] = {
    "work": ["validation"],
    "models": [],
    "capacity": 8,
    "languages": [],
    "max_bytes": 1 << 20,
}
NEVER = reviews.Patience(1e9, 1e9)


@dataclass
class Judged:
    """The domain whose records these are. `wholes` holds what differs from WHOLE."""

    wholes: dict[UUID, dict[str, Any] | None] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)
    disputes: list[tuple[UUID, int, bool | None]] = field(default_factory=list)

    def load(self, _reader: Reader, record_id: UUID, _version: int) -> dict[str, Any] | None:
        return self.wholes.get(record_id, WHOLE)

    def decided(self, _tx: Tx, decision: Decision) -> None:
        self.decisions.append(decision)

    def dispute_decided(self, _tx: Tx, record_id: UUID, version: int, upheld: bool | None) -> None:
        self.disputes.append((record_id, version, upheld))

    @property
    def state(self) -> str | None:
        return self.decisions[-1].state if self.decisions else None


@contextmanager
def connected() -> Iterator[Judged]:
    """In place of campaigns."""
    judged = Judged()
    subject = Subject(judged.load, judged.decided, judged.dispute_decided)
    with wired.instead(subjects.SUBJECT, subject):
        yield judged


class Court:
    """One record, and whoever judges it."""

    def __init__(self, settings: Settings, judged: Judged, k: int = 3) -> None:
        self.settings, self.judged, self.k = settings, judged, k
        self._count = 0
        self.record_id = ids.new()
        self._draw = Draw("salt")
        with db.transaction() as tx:
            self.payer, self.contributor = self._account(tx), self._account(tx)

    def _account(self, tx: Tx) -> UUID:
        self._count += 1
        return builders.account(tx, f"a{self._count}-{ids.new().hex}@example.org")

    def open(self, outcome: RecordChecks = AGREED, *, record_id: UUID | None = None) -> UUID:
        """A record with its assignments, as it is after our own check."""
        record_id = record_id or ids.new()
        self.record_id = record_id
        with db.transaction() as tx:
            reviews.open(
                tx,
                record_id,
                1,
                payer_id=self.payer,
                k=self.k,
                contributor_id=self.contributor,
                deadline_at=datetime.now(UTC) + timedelta(days=1),
            )
            reviews.checked(tx, record_id, 1, outcome)
        return record_id

    def voter(self, right: int = 12, wrong: int = 0) -> UUID:
        """The node of a new account with so many tested answers."""
        with db.transaction() as tx:
            account_id = self._account(tx)
            tx.execute(
                "insert into reputations (account_id, right_answers, wrong_answers)"
                " values (%s, %s, %s)",
                [account_id, right, wrong],
            )
            return self.node(tx, account_id)

    def node(self, tx: Tx, account_id: UUID) -> UUID:
        pepper = Pepper.of(self.settings)
        return nodes.create(
            tx, account_id, "cellar", CAPABILITIES, admitted=True, pepper=pepper
        ).node.id

    def account_of(self, node_id: UUID) -> UUID:
        with db.reading() as reader:
            return nodes.by_id(reader, node_id).account_id

    def claim(self, node_id: UUID) -> Item | None:
        """The next item of a node."""
        with db.transaction() as tx:
            tx.execute("update nodes set seen_at = now() where id = %s", [node_id])
            account_id = nodes.by_id(tx, node_id).account_id
            wanted = WorkRequest(node_id, account_id, str(ids.new()), (VALIDATION.name,), 1)
            held = self._draw.claim(tx, wanted)
        return held[0] if held else None

    def given(self, node_id: UUID) -> Item:
        """The next item of a node, which there is."""
        item = self.claim(node_id)
        assert item is not None
        return item

    def answer(self, item: Item, output: dict[str, Any]) -> dict[str, Any]:
        checked = VALIDATION.check(item, output)
        with db.transaction() as tx:
            return outcomes.accept(tx, item, outcomes.digest(output), checked)

    def vote(self, node_id: UUID, output: dict[str, Any] = ACCEPT) -> Item:
        item = self.given(node_id)
        self.answer(item, output)
        return item

    def votes(self, *outputs: dict[str, Any]) -> list[UUID]:
        """Votes of as many accounts, which are told."""
        voters = [self.voter() for _ in outputs]
        for voter, output in zip(voters, outputs, strict=True):
            self.vote(voter, output)
        return [self.account_of(voter) for voter in voters]

    def review(self) -> Review:
        with db.transaction() as tx:
            review = store.lock(tx, self.record_id, 1)
        assert review is not None
        return review

    def reputation(self, account_id: UUID) -> reviews.Reputation:
        with db.reading() as reader:
            return reviews.reputation(reader, account_id)

    def leave(self) -> None:
        """Nobody who has voted is there any more."""
        with db.transaction() as tx:
            tx.execute("update nodes set seen_at = null")

    def age(self, seconds: float) -> None:
        """Make the review, and its first vote, as old."""
        with db.transaction() as tx:
            tx.execute(
                "update reviews set opened_at = opened_at - make_interval(secs => %s),"
                " moved_at = moved_at - make_interval(secs => %s),"
                " first_vote_at = first_vote_at - make_interval(secs => %s)",
                [seconds] * 3,
            )

    def wait(self, seconds: float, patience: reviews.Patience) -> None:
        """So long, and then let it be looked after."""
        self.age(seconds)
        self.attend(patience)

    def attend(self, patience: reviews.Patience) -> None:
        with db.transaction() as tx:
            reviews.attend(tx, self.record_id, 1, patience)
