"""A receiver on loopback that does as the test says, and an account that has it told things."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from flask.testing import FlaskClient

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.dispatch import sweep
from app.domains.queue.webhooks import outbox, turns
from app.domains.queue.webhooks.delivery import Message
from app.domains.queue.webhooks.delivery import policy as delivery_policy
from app.domains.queue.webhooks.terms import DeliveryTerms
from tests import builders
from tests.unit.engine.fetch.certificates import Certificate
from tests.unit.engine.fetch.loopback import Answer, Seen, Wires, reply, serving

HOST = "hooks.example.com"
URL = f"https://{HOST}/in"
HURRY_SECONDS = 0.5
"""Instead of 15: a loaded machine is waited for, and no receiver that hangs."""
Hurry = Callable[[], AbstractContextManager[None]]

DUE = """
    update jobs set run_at = now()
    where kind = 'webhooks.deliver' and state in ('queued', 'dispatched') returning id
    """


def answer(status: str = "200 OK", body: bytes = b"thanks", *headers: str) -> Answer:
    return lambda _, line: reply(line, body, status=status, headers=headers)


@dataclass
class Receiver:
    """Answers by its script, in turn; the last answer is repeated."""

    wires: Wires
    seen: list[Seen] = field(default_factory=list)
    script: list[Answer] = field(default_factory=lambda: [answer()])
    arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def __call__(self, seen: Seen, line: socket.socket) -> None:
        self.seen.append(seen)
        self.arrived.release()
        act = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        act(seen, line)


@contextmanager
def receiving(certificate: Certificate) -> Iterator[Receiver]:
    wires = Wires(0)
    receiver = Receiver(wires)
    with serving(receiver, certificate.server) as server:
        wires.port = server.port
        yield receiver


@dataclass
class Owner:
    """An account with a key for jobs."""

    settings: Settings
    client: FlaskClient
    account_id: UUID
    headers: dict[str, str]

    def call(self, method: str, path: str, **body: Any) -> Any:
        given = {"json": body} if method in ("POST", "PATCH") else {}
        answer = self.client.open(
            f"/v1/webhooks{path}", method=method, headers=self.headers, **given
        )
        return answer.get_json() if answer.content_length else None

    def endpoint(self, url: str = URL, **body: Any) -> tuple[str, str]:
        """A new one: its id and its secret."""
        made = self.call("POST", "", url=url, **body)
        return made["webhook"]["id"], made["secret"]

    def show(self, webhook_id: str) -> Any:
        return self.call("GET", f"/{webhook_id}")["webhook"]

    def deliveries(self, webhook_id: str, query: str = "") -> Any:
        """Newest first."""
        return self.call("GET", f"/{webhook_id}/deliveries{query}")["deliveries"]

    def tell(self, type: str = "job.completed", subject: UUID | None = None, **data: Any) -> UUID:
        subject = subject or ids.new()
        with db.transaction() as tx:
            outbox.tell(tx, self.account_id, type, subject, {"id": "job_x", **data})
        return subject

    def send(self, **data: Any) -> None:
        """One event, and an attempt at what waits."""
        self.tell(**data)
        self.work()

    def work(self) -> None:
        """Let whatever waits be due now, and do it as a worker would."""
        for delivery in reversed(self.waiting()):
            self.work_one(delivery)

    def work_newest(self) -> None:
        """As `work`, for the newest delivery of those that wait."""
        self.work_one(self.waiting()[0])

    def waiting(self) -> list[UUID]:
        """The deliveries that wait, due now, the newest first."""
        with db.transaction() as tx:
            return sorted(db.values(tx, DUE), reverse=True)

    def work_one(self, delivery: UUID) -> None:
        builders.work(self.settings, ids.public(Noun.DELIVERY, delivery), noun=Noun.DELIVERY)

    def begin_and_die(self) -> None:
        """A worker takes the newest delivery, begins to send it and is killed; it is found dead."""
        vault = DeliveryTerms.of(self.settings).vault
        with db.transaction() as tx:
            newest = max(db.values(tx, DUE))
            (claimed,) = jobs.claim(tx, [newest], "killed", 30.0)
            assert isinstance(turns.begin(tx, newest, claimed.attempt, vault), Message)
        with db.transaction() as tx:
            tx.execute(
                "update jobs set lease_until = now() - interval '1 s' where worker = 'killed'"
            )
            sweep.sweep(tx)


def fetcher(
    settings: Settings, receiver: Receiver, certificate: Certificate, seconds: float
) -> Any:
    """The fetcher of deliveries, whose every connection ends at the receiver."""
    policy = replace(delivery_policy(settings), total_seconds=seconds, read_seconds=seconds)
    return receiver.wires.fetcher(policy, tls=certificate.trusting)
