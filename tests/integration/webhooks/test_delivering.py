"""What receivers get, and what their answers lead to."""

import json
import time

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from app.core import db, ids, log
from app.domains.queue.webhooks import outbox
from tests.integration.webhooks.receivers import Owner, Receiver, answer


def test_their_library_verifies_what_we_send(owner: Owner, receiver: Receiver) -> None:
    _, secret = owner.endpoint()
    owner.send(name="Größe ✓")
    (seen,) = receiver.seen
    assert Webhook(secret).verify(seen.body, seen.headers)["data"]["name"] == "Größe ✓"


def test_a_message_is_a_post_of_json_to_the_address(owner: Owner, receiver: Receiver) -> None:
    owner.endpoint()
    owner.send()
    (seen,) = receiver.seen
    assert (seen.line, seen.headers["content-type"]) == ("POST /in HTTP/1.1", "application/json")


def test_a_message_names_the_request_that_it_came_from(owner: Owner, receiver: Receiver) -> None:
    webhook_id, _ = owner.endpoint()
    asked = owner.client.post(f"/v1/webhooks/{webhook_id}/test", headers=owner.headers)
    owner.work()
    (seen,) = receiver.seen
    assert seen.headers["x-request-id"] == asked.headers["X-Request-Id"]


def test_a_message_that_no_request_caused_names_none(owner: Owner, receiver: Receiver) -> None:
    owner.endpoint()
    with log.bound(request_id=None):
        owner.tell()
    owner.work()
    (seen,) = receiver.seen
    assert "x-request-id" not in seen.headers


def test_an_event_says_its_type_its_time_and_the_version_of_its_subject(
    owner: Owner, receiver: Receiver
) -> None:
    owner.endpoint()
    subject = owner.tell("run.completed", records=3)
    owner.tell("job.completed", subject)
    owner.work()
    first, second = (json.loads(seen.body) for seen in receiver.seen)
    assert (first["type"], first["data"]["records"]) == ("run.completed", 3)
    assert first["timestamp"].endswith("Z")
    assert first["data"]["version"] < second["data"]["version"]


def test_a_delivery_that_was_accepted_says_so(owner: Owner, receiver: Receiver) -> None:
    webhook_id, _ = owner.endpoint()
    owner.send()
    (delivery,) = owner.deliveries(webhook_id)
    (attempt,) = delivery["attempts"]
    assert (delivery["status"], attempt["status"], attempt["error"]) == ("delivered", 200, None)
    assert (attempt["answer"], delivery["next_at"]) == ("thanks", None)


@pytest.mark.parametrize("status", ["301 Moved", "404 Not Found", "500 Broken"])
def test_any_other_answer_than_2xx_is_a_failed_attempt(
    owner: Owner, receiver: Receiver, status: str
) -> None:
    receiver.script = [answer(status)]
    webhook_id, _ = owner.endpoint()
    owner.send()
    (delivery,) = owner.deliveries(webhook_id)
    assert (delivery["status"], delivery["attempts"][0]["error"]) == (
        "waiting",
        f"http_{status[:3]}",
    )
    assert delivery["next_at"] is not None


def test_a_failed_delivery_is_tried_again_with_the_same_id_and_body(
    owner: Owner, receiver: Receiver
) -> None:
    receiver.script = [answer("500 Broken"), answer()]
    webhook_id, _ = owner.endpoint()
    owner.send()
    owner.work()
    first, second = receiver.seen
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    (delivery,) = owner.deliveries(webhook_id)
    assert [each["status"] for each in delivery["attempts"]] == [500, 200]


def test_after_eight_attempts_a_delivery_has_failed(owner: Owner, receiver: Receiver) -> None:
    receiver.script = [answer("500 Broken")]
    webhook_id, _ = owner.endpoint()
    owner.tell()
    for _ in range(10):
        owner.work()
    (delivery,) = owner.deliveries(webhook_id)
    assert (len(receiver.seen), delivery["status"]) == (8, "failed")
    assert delivery["error"] == "delivery_failed"


def test_nobody_is_told_where_nobody_listens(owner: Owner, receiver: Receiver) -> None:
    owner.endpoint(events=["job.failed"])
    owner.tell("job.completed")
    with db.reading() as reader:
        assert db.value(reader, "select count(*) from webhook_events") == 0


def test_an_event_is_promised_with_the_change_or_not_at_all(
    owner: Owner, receiver: Receiver
) -> None:
    """Neither a change without its event nor an event without its change, whatever crashes."""
    webhook_id, _ = owner.endpoint()
    with pytest.raises(RuntimeError):
        _change_and_crash(owner)
    assert owner.deliveries(webhook_id) == []
    with db.transaction() as tx:
        _tell_in(tx, owner)
    # The process that made the change is gone here; whoever works next finds the promise.
    owner.work()
    assert len(receiver.seen) == 1


def _change_and_crash(owner: Owner) -> None:
    with db.transaction() as tx:
        _tell_in(tx, owner)
        raise RuntimeError


def _tell_in(tx: db.Tx, owner: Owner) -> None:
    outbox.tell(tx, owner.account_id, "job.completed", ids.new(), {"id": "job_x"})


def test_a_secret_rolled_between_two_attempts_signs_the_second_with_both(
    owner: Owner, receiver: Receiver
) -> None:
    receiver.script = [answer("500 Broken"), answer()]
    webhook_id, old = owner.endpoint()
    owner.send()
    new = owner.call("POST", f"/{webhook_id}/roll")["secret"]
    owner.work()
    seen = receiver.seen[1]
    for secret in (old, new):
        Webhook(secret).verify(seen.body, seen.headers)


def test_a_former_secret_without_overlap_signs_nothing(owner: Owner, receiver: Receiver) -> None:
    webhook_id, old = owner.endpoint()
    owner.call("POST", f"/{webhook_id}/roll", overlap_hours=0)
    owner.send()
    with pytest.raises(WebhookVerificationError):
        Webhook(old).verify(receiver.seen[0].body, receiver.seen[0].headers)


def test_the_time_that_is_signed_is_that_of_the_attempt(owner: Owner, receiver: Receiver) -> None:
    before = int(time.time())
    owner.endpoint()
    owner.send()
    assert before <= int(receiver.seen[0].headers["webhook-timestamp"]) <= time.time()
