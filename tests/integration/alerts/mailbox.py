"""A mail server on loopback, and an account that has alerts."""

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any
from uuid import UUID

from aiosmtpd import smtp
from aiosmtpd.smtp import Envelope
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.queue.alerts import observations, service, store
from app.domains.records.page_jobs import service as extractions
from tests import builders
from tests.patience import PATIENCE_SECONDS

READER = "reader@example.org"
LINK = re.compile(r"http://127\.0\.0\.1:8000/alerts/(confirm|stop)/([\w-]+)")
DUE = """
    update jobs set run_at = now() where kind = 'alerts.mail' and state in ('queued', 'dispatched')
    returning id
    """
MONITOR = {
    "type": "monitoring",
    "source": {"type": "url", "url": "https://shop.example.org/lamp"},
    "schedule": {"every": "1d"},
    "max_pages": 5,
    "deadline_seconds": 3_600,
}
LATER = "update alerts set told_at = told_at - interval '61 minutes'"
MAILS = "select status, error from alert_mails order by id"


@dataclass
class Mailbox:
    """Mails that arrived. `replies` to DATA are given one by one, then all is accepted."""

    mails: list[EmailMessage] = field(default_factory=list)
    recipients: list[list[str]] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)

    async def handle_DATA(self, server: Any, session: Any, envelope: Envelope) -> str:  # noqa: N802
        if self.replies:
            return self.replies.pop(0)
        content = envelope.content
        assert isinstance(content, bytes)
        self.raw.append(content)
        mail = message_from_bytes(content, policy=SMTP)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        self.recipients.append(list(envelope.rcpt_tos))
        return "250 OK"

    def text(self, place: int = -1) -> str:
        return str(self.mails[place].get_content())

    def token(self, what: str, place: int = -1) -> str:
        """The token of the link that confirms or stops."""
        return dict(LINK.findall(self.text(place)))[what]


@contextmanager
def serving(**options: Any) -> Iterator[tuple[Mailbox, int]]:
    """A mailbox and the port of its server."""
    mailbox, loop = Mailbox(), asyncio.new_event_loop()
    server = loop.run_until_complete(
        loop.create_server(
            lambda: smtp.SMTP(mailbox, hostname="test", loop=loop, **options), "127.0.0.1", 0
        )
    )
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield mailbox, server.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE_SECONDS)
        loop.run_until_complete(_hang_up(server))
        loop.close()


async def _hang_up(server: asyncio.Server) -> None:
    """Nothing of a connection outlives its test."""
    server.close()
    sessions = asyncio.all_tasks() - {asyncio.current_task()}
    for session in sessions:
        session.cancel()
    await asyncio.gather(*sessions, return_exceptions=True)
    await asyncio.sleep(0)


@dataclass
class AlertOwner:
    """An account with a key for jobs, whose readers have this mailbox."""

    settings: Settings
    client: FlaskClient
    mailbox: Mailbox
    account_id: UUID
    headers: dict[str, str]

    @classmethod
    def of(
        cls,
        settings: Settings,
        client: FlaskClient,
        mailbox: Mailbox,
        email: str = "owner@example.org",
    ) -> "AlertOwner":
        """A new account with this address."""
        with db.transaction() as tx:
            account_id = builders.account(tx, email)
            key = builders.api_key(tx, settings, account_id, ("jobs",))
        return cls(settings, client, mailbox, account_id, {"X-API-Key": key})

    def another(self, email: str) -> "AlertOwner":
        """Another account of the same server, with this address."""
        return AlertOwner.of(self.settings, self.client, self.mailbox, email)

    def post(self, **body: Any) -> Any:
        """The answer to a request for an alert."""
        return self.client.post("/v1/alerts", json=body, headers=self.headers)

    def alerts(self, query: str = "") -> Any:
        return self.client.get(f"/v1/alerts{query}", headers=self.headers).get_json()["alerts"]

    def monitor(self) -> str:
        """The id of a new one."""
        with db.transaction() as tx:
            job = extractions.submit(
                tx, self.account_id, "monitoring", MONITOR, kept_seconds=86_400
            )
        return ids.public(Noun.JOB, job.id)

    def alert(self, **body: Any) -> str:
        """The id of a new alert about a new monitor, by e-mail unless said otherwise."""
        channel = {} if "webhook" in body else {"email": READER}
        condition = {} if "condition" in body else {"condition": "failing", "threshold": 3}
        made = self.post(**{"monitor": self.monitor(), **condition, **channel, **body})
        return str(made.get_json()["alert"]["id"])

    def measure(self, alert_id: str, value: float) -> None:
        """Observe a value of the thing that the alert is about."""
        with db.transaction() as tx:
            alert = self._listening(tx, alert_id)
            if alert is not None:
                observations.measure(tx, alert, value, "Alder lamp")

    def count(self, alert_id: str, events: int) -> None:
        """Observe so many events."""
        with db.transaction() as tx:
            alert = self._listening(tx, alert_id)
            if alert is not None:
                observations.count(tx, alert, events, "Alder lamp")

    def _listening(self, tx: db.Tx, alert_id: str) -> store.Alert | None:
        alert = service.find(tx, self.account_id, ids.lookup(Noun.ALERT, alert_id))
        heard = store.listening(tx, alert.about_id) if alert.about_id else []
        return next((each for each in heard if each.id == alert.id), None)

    def an_hour_later(self) -> None:
        with db.transaction() as tx:
            tx.execute(LATER)

    def work(self) -> None:
        """Let mails that wait be due now, and hand them over as a worker would."""
        with db.transaction() as tx:
            due = sorted(db.values(tx, DUE))
        builders.run(self.settings, due)

    def mails(self) -> list[tuple[str, str | None]]:
        """The state and error of each mail, oldest first."""
        with db.reading() as reader:
            return reader.execute(MAILS).fetchall()

    def confirm(self) -> None:
        """Do as the request to confirm that arrived last asks."""
        with db.transaction() as tx:
            service.confirm(tx, self.mailbox.token("confirm"))
