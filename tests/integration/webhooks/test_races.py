"""An endpoint that is deleted while something is promised to it: what happened is kept."""

import threading
from collections.abc import Callable

import psycopg
import pytest

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.errors import Invalid
from app.domains.queue.alerts import service as alerts
from app.domains.queue.alerts.mail.terms import MailTerms
from app.domains.queue.jobs.operations.queues import queues
from app.domains.queue.webhooks import outbox
from app.domains.queue.webhooks import service as webhooks
from app.domains.queue.webhooks.terms import DeliveryTerms
from tests import builders, servers
from tests.databases import sessions_waiting
from tests.integration.webhooks.receivers import URL


@pytest.mark.parametrize(
    "promise",
    [
        lambda tx, account, _: outbox.tell(tx, account, "payout.settled", ids.new(), {"id": "x"}),
        lambda tx, account, id: outbox.alert(tx, account, id, ids.new(), {"id": "x"}),
    ],
    ids=["an event", "an alert"],
)
def test_what_is_told_of_is_written_though_its_endpoint_is_deleted_meanwhile(
    settings: Settings, promise: Callable[..., None]
) -> None:
    with db.transaction() as tx:
        account = builders.account(tx)
        endpoint = webhooks.create(tx, account, URL, ["*"], DeliveryTerms.of(settings)).webhook.id
    written: list[bool] = []

    def happen() -> None:
        with db.transaction() as tx:
            promise(tx, account, endpoint)
        written.append(True)

    thread = threading.Thread(target=happen)
    with db.transaction() as tx:
        webhooks.delete(tx, account, endpoint)
        thread.start()
        servers.until(sessions_waiting)
    thread.join()
    assert written == [True]


def test_an_alert_by_an_endpoint_that_is_deleted_meanwhile_is_refused(settings: Settings) -> None:
    with db.transaction() as tx:
        queues.establish(tx)
        account = builders.account(tx)
        endpoint = webhooks.create(tx, account, URL, ["*"], DeliveryTerms.of(settings)).webhook.id
    wanted = alerts.AlertRequest("queue", None, "webhooks", "waiting", 10.0, None, endpoint)
    refused: list[Exception] = []

    def ask() -> None:
        try:
            with db.transaction() as tx:
                alerts.create(tx, account, wanted, MailTerms.of(settings), operator=True)
        except (Invalid, psycopg.Error) as error:
            refused.append(error)

    thread = threading.Thread(target=ask)
    with db.transaction() as tx:
        webhooks.delete(tx, account, endpoint)
        thread.start()
        servers.until(sessions_waiting)
    thread.join()
    assert [type(error) for error in refused] == [Invalid]
