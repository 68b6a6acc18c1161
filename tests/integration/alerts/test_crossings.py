"""One message for each crossing of a threshold, never a flood."""

from typing import Any

import pytest

from app.core import db, ids
from app.core.ids import Noun
from app.domains.queue.webhooks import service as webhooks
from app.domains.queue.webhooks.terms import DeliveryTerms
from tests.integration.alerts.mailbox import AlertOwner

EVENTS = "select type, convert_from(body, 'utf8')::json->'data' from webhook_events order by id"


@pytest.fixture
def webhook(owner: AlertOwner) -> str:
    """An endpoint that subscribes to nothing of this."""
    terms = DeliveryTerms.of(owner.settings)
    with db.transaction() as tx:
        made = webhooks.create(
            tx, owner.account_id, "https://hooks.example.org/", ["document.failed"], terms
        )
    return ids.public(Noun.WEBHOOK, made.webhook.id)


def told() -> list[tuple[str, Any]]:
    with db.reading() as reader:
        return reader.execute(EVENTS).fetchall()


def values() -> list[float]:
    return [data["value"] for _, data in told()]


def test_a_crossing_is_told_once_to_the_webhook_whatever_it_subscribes_to(
    owner: AlertOwner, webhook: str
) -> None:
    id = owner.alert(webhook=webhook)
    for value in (2, 3, 4, 5):
        owner.measure(id, value)
    [(type, data)] = told()
    assert (type, data["id"], data["value"], data["threshold"]) == ("alert.raised", id, 3, 3)


def test_a_value_that_swings_tells_once_an_hour(owner: AlertOwner, webhook: str) -> None:
    id = owner.alert(webhook=webhook)
    for _ in range(5):
        owner.measure(id, 3)
        owner.measure(id, 0)
    assert values() == [3]
    owner.an_hour_later()
    owner.measure(id, 7)
    assert values() == [3, 7]


def test_changes_within_an_hour_are_told_together(owner: AlertOwner, webhook: str) -> None:
    id = owner.alert(webhook=webhook, condition="changed")
    for events in (1, 2, 3, 0):
        owner.count(id, events)
    assert values() == [1]
    owner.an_hour_later()
    owner.count(id, 0)
    assert values() == [1, 5]
    owner.an_hour_later()
    owner.count(id, 0)
    assert values() == [1, 5]


def test_a_deleted_alert_tells_nothing(owner: AlertOwner, webhook: str) -> None:
    id = owner.alert(webhook=webhook)
    gone = owner.client.delete(f"/v1/alerts/{id}", headers=owner.headers)
    assert (gone.status_code, owner.alerts()) == (204, [])


def test_a_request_that_is_repeated_makes_one_alert(owner: AlertOwner, webhook: str) -> None:
    body = {"monitor": owner.monitor(), "condition": "changed", "webhook": webhook}
    headers = {**owner.headers, "Idempotency-Key": "once"}
    first, second = (
        owner.client.post("/v1/alerts", json=body, headers=headers).get_json() for _ in range(2)
    )
    assert first == second
    assert len(owner.alerts()) == 1


def test_the_alerts_about_one_thing_are_listed(owner: AlertOwner, webhook: str) -> None:
    one, other = owner.monitor(), owner.monitor()
    for monitor in (one, other):
        owner.alert(monitor=monitor, webhook=webhook)
    assert [each["monitor"] for each in owner.alerts(f"?monitor={other}")] == [other]


def test_an_alert_has_one_thing_one_channel_and_a_number(owner: AlertOwner) -> None:
    for body in (
        {"condition": "changed"},
        {"condition": "changed", "email": "a@example.org", "webhook": "whk_x"},
        {"condition": "changed", "email": "a@example.org", "queue": "searches"},
        {"condition": "failing", "email": "a@example.org", "threshold": "3"},
        {"condition": "failing", "email": "a@example.org", "threshold": True},
    ):
        assert owner.post(monitor=owner.monitor(), **body).status_code == 400, body
