"""Endpoints over HTTP: what can be asked for, what is shown, what is refused."""

from dataclasses import replace
from typing import Any

import pytest

from app.core import db, ids
from app.core.errors import Invalid
from app.core.ids import Noun
from app.domains.queue.webhooks import service as webhooks
from app.domains.queue.webhooks import store
from app.domains.queue.webhooks.service import endpoint_for_job
from app.domains.queue.webhooks.terms import DeliveryTerms
from tests import builders
from tests.integration.webhooks.receivers import URL, Owner, Receiver, answer

REFUSED = (
    "http://hooks.example.com/in",
    "https://hooks.example.com:8443/in",
    "https://hooks.internal/in",
    "https://10.1.2.3/in",
    "https://127.0.0.1/in",
    "https://a:b@hooks.example.com/in",
    "ftp://hooks.example.com/in",
    "hooks",
)


def code(owner: Owner, method: str, path: str, **body: Any) -> str:
    found: str = owner.call(method, path, **body)["error"]["code"]
    return found


def test_an_address_that_nothing_is_sent_to_is_refused_when_it_is_given(owner: Owner) -> None:
    for url in REFUSED:
        error = owner.call("POST", "", url=url)["error"]
        told = (error["code"], error["details"][0]["field"])
        assert told == ("validation_failed", "/url"), url


def test_an_unknown_type_of_event_is_refused(owner: Owner) -> None:
    assert code(owner, "POST", "", url=URL, events=["job.exploded"]) == "validation_failed"


def test_every_answer_says_that_this_is_a_preview(owner: Owner) -> None:
    answer = owner.client.get("/v1/webhooks", headers=owner.headers)
    assert answer.headers["X-API-Status"] == "preview"


def test_the_secret_is_shown_once(owner: Owner) -> None:
    webhook_id, secret = owner.endpoint()
    assert secret.startswith("whsec_")
    assert secret not in str(owner.show(webhook_id)) + str(owner.call("GET", ""))


def test_the_database_does_not_hold_a_readable_secret(owner: Owner) -> None:
    _, secret = owner.endpoint()
    with db.reading() as reader:
        sealed = bytes(db.value(reader, "select secret from webhooks"))
    assert secret.encode() not in sealed


def test_secrets_outlive_a_change_of_the_secret_key(owner: Owner, receiver: Receiver) -> None:
    """And are then kept under the new one, so that the previous one can go."""
    webhook_id, _ = owner.endpoint()
    old = owner.settings
    for settings in (
        replace(old, secret_key="y" * 32, secret_key_previous=old.secret_key),
        replace(old, secret_key="y" * 32),
    ):
        owner.settings = settings
        owner.send()
    assert {each["status"] for each in owner.deliveries(webhook_id)} == {"delivered"}


def test_a_secret_under_a_lost_key_is_a_failed_attempt(owner: Owner, receiver: Receiver) -> None:
    webhook_id, _ = owner.endpoint()
    owner.settings = replace(owner.settings, secret_key="y" * 32)
    owner.send()
    (attempt,) = owner.deliveries(webhook_id)[0]["attempts"]
    assert (attempt["error"], receiver.seen) == ("secret_unreadable", [])


def test_a_secret_that_was_rolled_after_a_key_was_lost_signs_at_once(
    owner: Owner, receiver: Receiver
) -> None:
    webhook_id, _ = owner.endpoint()
    owner.settings = replace(owner.settings, secret_key="y" * 32)
    terms = DeliveryTerms.of(owner.settings)
    with db.transaction() as tx:
        webhooks.roll(tx, owner.account_id, ids.lookup(Noun.WEBHOOK, webhook_id), 24, terms)
    owner.send()
    assert [each["status"] for each in owner.deliveries(webhook_id)] == ["delivered"]


def test_an_account_has_at_most_twenty_endpoints(owner: Owner) -> None:
    for _ in range(20):
        owner.endpoint()
    assert code(owner, "POST", "", url=URL) == "too_many_webhooks"


def test_the_list_is_newest_first_in_pages(owner: Owner) -> None:
    made = [owner.endpoint()[0] for _ in range(3)]
    first = owner.call("GET", "?limit=2")
    second = owner.call("GET", f"?limit=2&cursor={first['next_cursor']}")
    assert [each["id"] for each in first["webhooks"] + second["webhooks"]] == made[::-1]


def test_webhooks_of_single_jobs_are_left_out_if_that_is_wanted(owner: Owner) -> None:
    webhook_id, _ = owner.endpoint()
    with db.transaction() as tx:
        of_job = store.insert(tx, ids.new(), owner.account_id, URL, ["*"], b"", ids.new())
    both = [ids.public(Noun.WEBHOOK, of_job.id), webhook_id]
    assert [each["id"] for each in owner.call("GET", "")["webhooks"]] == both
    own = owner.call("GET", "?of_jobs=false")["webhooks"]
    assert [each["id"] for each in own] == [webhook_id]


def test_address_and_events_can_be_changed(owner: Owner) -> None:
    webhook_id, _ = owner.endpoint()
    changed = owner.call("PATCH", f"/{webhook_id}", url=URL + "2", events=["job.failed"])
    assert (changed["webhook"]["url"], changed["webhook"]["events"]) == (URL + "2", ["job.failed"])


def test_a_disabled_endpoint_gets_nothing_until_it_is_enabled_again(
    owner: Owner, receiver: Receiver
) -> None:
    webhook_id, _ = owner.endpoint()
    disabled = owner.call("PATCH", f"/{webhook_id}", enabled=False)["webhook"]
    assert (disabled["enabled"], disabled["disabled_reason"]) == (False, "owner")
    owner.tell()
    assert code(owner, "POST", f"/{webhook_id}/test") == "webhook_disabled"
    enabled = owner.call("PATCH", f"/{webhook_id}", enabled=True)["webhook"]
    assert (enabled["enabled"], enabled["disabled_reason"]) == (True, None)
    owner.work()
    assert receiver.seen == []


def test_a_deleted_endpoint_gets_nothing_that_was_promised(
    owner: Owner, receiver: Receiver
) -> None:
    webhook_id, _ = owner.endpoint()
    owner.tell()
    owner.call("DELETE", f"/{webhook_id}")
    owner.work()
    assert receiver.seen == []
    assert code(owner, "GET", f"/{webhook_id}") == "webhook_not_found"


def test_a_test_goes_to_this_endpoint_only(owner: Owner, receiver: Receiver) -> None:
    webhook_id, _ = owner.endpoint(events=["job.failed"])
    other_id, _ = owner.endpoint()
    made = owner.call("POST", f"/{webhook_id}/test")["delivery"]
    owner.work()
    (delivery,) = owner.deliveries(webhook_id)
    assert (delivery["id"], delivery["status"]) == (made["id"], "delivered")
    assert owner.deliveries(other_id) == []


def test_a_delivery_shows_the_body_as_it_was_sent(owner: Owner, receiver: Receiver) -> None:
    webhook_id, _ = owner.endpoint()
    owner.send(name="Größe")
    id = owner.deliveries(webhook_id)[0]["id"]
    shown = owner.call("GET", f"/{webhook_id}/deliveries/{id}")["delivery"]
    assert shown["body"].encode() == receiver.seen[0].body


def test_deliveries_are_listed_by_status(owner: Owner, receiver: Receiver) -> None:
    webhook_id, _ = owner.endpoint()
    owner.send()
    owner.tell()
    assert len(owner.deliveries(webhook_id, "?status=delivered")) == 1
    assert len(owner.deliveries(webhook_id, "?status=failed")) == 0


def test_a_delivery_can_be_sent_again(owner: Owner, receiver: Receiver) -> None:
    webhook_id, _ = owner.endpoint()
    owner.send()
    first = owner.deliveries(webhook_id)[0]
    again = owner.call("POST", f"/{webhook_id}/deliveries/{first['id']}/redeliver")["delivery"]
    assert (again["redelivery_of"], again["event"]) == (first["id"], first["event"])
    owner.work()
    one, other = receiver.seen
    assert (one.headers["webhook-id"], one.body) == (other.headers["webhook-id"], other.body)


def test_what_failed_since_then_can_be_sent_again_once(owner: Owner, receiver: Receiver) -> None:
    receiver.script = [answer("410 Gone"), answer()]
    webhook_id, _ = owner.endpoint()
    for _ in range(3):
        owner.tell()
    owner.work()
    owner.call("PATCH", f"/{webhook_id}", enabled=True)
    since = {"since": "2020-01-01T00:00:00Z"}
    assert owner.call("POST", f"/{webhook_id}/redeliver", **since) == {
        "redelivered": 3,
        "has_more": False,
    }
    owner.work()
    assert len(owner.deliveries(webhook_id, "?status=delivered")) == 3
    assert owner.call("POST", f"/{webhook_id}/redeliver", **since)["redelivered"] == 0


def test_what_waits_for_its_next_attempt_is_sent_now(owner: Owner, receiver: Receiver) -> None:
    receiver.script = [answer("503 Service Unavailable"), answer()]
    webhook_id, _ = owner.endpoint()
    owner.send()
    assert len(owner.deliveries(webhook_id, "?status=waiting")) == 1
    since = {"since": "2020-01-01T00:00:00Z"}
    assert owner.call("POST", f"/{webhook_id}/redeliver", **since)["redelivered"] == 1
    owner.work()
    assert len(owner.deliveries(webhook_id, "?status=delivered")) == 1


def test_an_endpoint_of_a_job_hears_of_that_job_only_and_goes_with_it(
    owner: Owner, receiver: Receiver
) -> None:
    job_id, terms = ids.new(), DeliveryTerms.of(owner.settings)
    with db.transaction() as tx:
        given = {"url": URL, "events": ["job.completed"]}
        id, secret = endpoint_for_job(tx, owner.account_id, given, job_id, terms)
    webhook_id = ids.public(Noun.WEBHOOK, id)
    assert secret is not None
    owner.tell()
    owner.tell(subject=job_id)
    assert len(owner.deliveries(webhook_id)) == 1
    assert owner.show(webhook_id)["job"] == ids.public(Noun.JOB, job_id)
    with db.transaction() as tx:
        store.delete_of_job(tx, job_id)
    assert code(owner, "GET", f"/{webhook_id}") == "webhook_not_found"


def test_a_job_can_name_an_endpoint_there_is(owner: Owner) -> None:
    webhook_id, _ = owner.endpoint()
    terms = DeliveryTerms.of(owner.settings)
    with db.transaction() as tx:
        given = {"id": webhook_id}
        found = endpoint_for_job(tx, owner.account_id, given, ids.new(), terms)
    assert found == (ids.internal(Noun.WEBHOOK, webhook_id), None)


def test_a_job_with_an_impossible_endpoint_is_refused_by_pointer(owner: Owner) -> None:
    terms = DeliveryTerms.of(owner.settings)
    for given, pointer in (
        ({"id": ids.public(Noun.WEBHOOK, ids.new())}, "/webhook/id"),
        ({"id": "nonsense"}, "/webhook/id"),
        ({"url": "http://localhost/"}, "/webhook/url"),
    ):
        with db.transaction() as tx, pytest.raises(Invalid) as caught:
            endpoint_for_job(tx, owner.account_id, given, ids.new(), terms)
        assert caught.value.details[0]["field"] == pointer


def test_events_are_forgotten_after_thirty_days_with_their_deliveries(
    owner: Owner, receiver: Receiver
) -> None:
    webhook_id, _ = owner.endpoint()
    owner.send()
    with db.transaction() as tx:
        tx.execute("update webhook_events set occurred_at = now() - interval '31 days'")
    owner.tell()
    builders.forget_expired(owner.settings)
    assert len(owner.deliveries(webhook_id)) == 1
