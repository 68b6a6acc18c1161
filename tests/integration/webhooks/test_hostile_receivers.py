"""Receivers that hang, lead elsewhere, answer too much, fall silent: none of it does harm."""

import socket
import threading
from dataclasses import replace

import pytest

from app.core import db, ids
from app.core.ids import Noun
from app.domains.queue.jobs import service as jobs
from app.domains.queue.webhooks import turns
from app.domains.queue.webhooks.delivery import policy
from tests.integration.webhooks.receivers import URL, Hurry, Owner, Receiver, answer
from tests.patience import PATIENCE_SECONDS
from tests.unit.engine.fetch.certificates import Certificate
from tests.unit.engine.fetch.loopback import Seen, redirect, serving
from workers.housekeeping import webhooks as worker

PRIVATE = "10.1.2.3"


def hang(_seen: Seen, line: socket.socket) -> None:
    """Read on until the other side gives up."""
    line.recv(1)


def hang_up(_seen: Seen, line: socket.socket) -> None:
    """The message has arrived; its reply never will."""
    line.close()


def test_a_redirect_leads_nowhere(
    owner: Owner, receiver: Receiver, certificate: Certificate
) -> None:
    with serving(answer(), certificate.server) as inside:
        receiver.script = [redirect(f"http://127.0.0.1:{inside.port}/", "307 Temporary Redirect")]
        webhook_id, _ = owner.endpoint()
        owner.send()
    assert inside.seen == []
    assert owner.deliveries(webhook_id)[0]["attempts"][0]["error"] == "http_307"


def test_of_an_answer_of_a_gigabyte_little_is_read(owner: Owner, receiver: Receiver) -> None:
    sent: list[int] = []

    def endless(_seen: Seen, line: socket.socket) -> None:
        line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
        for _ in range(1024):
            sent.append(line.send(b"x" * (1 << 20)))

    receiver.script = [endless]
    webhook_id, _ = owner.endpoint()
    owner.send()
    (attempt,) = owner.deliveries(webhook_id)[0]["attempts"]
    assert (attempt["status"], len(attempt["answer"])) == (200, 1024)
    assert sum(sent) < 100 << 20  # what the sockets between them hold


def test_an_address_that_became_private_is_not_reached(owner: Owner, receiver: Receiver) -> None:
    receiver.script = [answer("500 Broken")]
    webhook_id, _ = owner.endpoint()
    owner.send()
    receiver.wires.dns["hooks.example.com"] = [PRIVATE]
    owner.work()
    assert PRIVATE not in {address for address, _ in receiver.wires.dialled}
    errors = [each["error"] for each in owner.deliveries(webhook_id)[0]["attempts"]]
    assert errors == ["http_500", "address_not_allowed"]


def test_a_host_that_is_not_listed_any_more_is_not_reached_without_https(
    owner: Owner, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = URL.replace("https:", "http:")
    settings = replace(owner.settings, webhook_allow="hooks.example.com")
    owner.client.application.extensions["settings"] = settings
    webhook_id, _ = owner.endpoint(url)
    owner.send()
    assert receiver.seen == []
    errors = [each["error"] for each in owner.deliveries(webhook_id)[0]["attempts"]]
    assert errors == ["scheme_not_allowed"]


def test_410_disables_at_once_and_what_waits_fails(owner: Owner, receiver: Receiver) -> None:
    receiver.script = [answer("410 Gone")]
    webhook_id, _ = owner.endpoint()
    owner.tell()
    owner.send()
    shown = owner.show(webhook_id)
    assert (shown["enabled"], shown["disabled_reason"]) == (False, "gone")
    assert len(receiver.seen) == 1
    assert {each["status"] for each in owner.deliveries(webhook_id)} == {"failed"}


def test_what_is_accepted_while_its_endpoint_is_disabled_was_delivered_without_an_error(
    owner: Owner, receiver: Receiver
) -> None:
    webhook_id, _ = owner.endpoint()

    def disable(seen: Seen, line: socket.socket) -> None:
        with db.transaction() as tx:
            turns.disable(tx, ids.lookup(Noun.WEBHOOK, webhook_id), turns.BY_OWNER)
        answer()(seen, line)

    receiver.script = [disable]
    owner.send()
    (delivery,) = owner.deliveries(webhook_id)
    assert (delivery["status"], delivery["error"]) == ("delivered", None)


def test_three_days_of_failures_disable_and_the_other_endpoints_hear_of_it(
    owner: Owner, receiver: Receiver
) -> None:
    receiver.script = [answer("500 Broken")]
    webhook_id, _ = owner.endpoint()
    other_id, _ = owner.endpoint(events=["job.failed"])
    owner.tell()
    for _ in range(7):
        owner.work()
    with db.transaction() as tx:
        tx.execute("update webhooks set failing_since = failing_since - interval '3 days'")
    owner.work()
    assert owner.show(webhook_id)["disabled_reason"] == "failing"
    (delivery,) = owner.deliveries(other_id)
    assert delivery["type"] == "webhook.disabled"


def test_eight_failures_within_a_day_disable_nothing(owner: Owner, receiver: Receiver) -> None:
    receiver.script = [answer("500 Broken")]
    webhook_id, _ = owner.endpoint()
    owner.tell()
    for _ in range(8):
        owner.work()
    shown = owner.show(webhook_id)
    assert (shown["enabled"], shown["failing_since"] is None) == (True, False)


def test_a_success_ends_a_row_of_failures(owner: Owner, receiver: Receiver) -> None:
    receiver.script = [answer("500 Broken"), answer()]
    webhook_id, _ = owner.endpoint()
    owner.send()
    owner.work()
    assert owner.show(webhook_id)["failing_since"] is None


def test_another_address_answers_for_no_failures_of_the_former_one(
    owner: Owner, receiver: Receiver
) -> None:
    receiver.script = [answer("500 Broken")]
    webhook_id, _ = owner.endpoint()
    owner.send()
    changed = owner.call("PATCH", f"/{webhook_id}", url=f"{URL}/new")["webhook"]
    assert changed["failing_since"] is None


def test_three_timeouts_in_a_row_pause_the_endpoint(
    owner: Owner, receiver: Receiver, hurry: Hurry
) -> None:
    receiver.script = [hang]
    webhook_id, _ = owner.endpoint()
    owner.tell()
    with hurry():
        for _ in range(5):
            owner.work()
    assert len(receiver.seen) == 3
    assert owner.show(webhook_id)["paused_until"] is not None
    (delivery,) = owner.deliveries(webhook_id)
    assert {each["error"] for each in delivery["attempts"]} == {"timeout"}


def test_a_pause_is_no_failed_attempt(owner: Owner, receiver: Receiver, hurry: Hurry) -> None:
    receiver.script = [hang, hang, hang, answer()]
    webhook_id, _ = owner.endpoint()
    owner.tell()
    with hurry():
        for _ in range(12):
            owner.work()
    with db.transaction() as tx:
        tx.execute("update webhooks set paused_until = now()")
    owner.work()
    (delivery,) = owner.deliveries(webhook_id)
    assert (delivery["status"], len(delivery["attempts"])) == ("delivered", 4)


def test_a_receiver_that_hangs_holds_two_deliveries_at_most(
    owner: Owner, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave = threading.Event()
    receiver.script = [lambda seen, line: (leave.wait(PATIENCE_SECONDS), answer()(seen, line))[1]]
    patient = receiver.wires.fetcher(
        policy(owner.settings), tls=worker.fetcher_of(owner.settings)._tls
    )
    monkeypatch.setattr(worker, "fetcher_of", lambda _settings: patient)
    webhook_id, _ = owner.endpoint()
    for _ in range(2):
        owner.tell()
    workers = [threading.Thread(target=owner.work_one, args=(x,)) for x in owner.waiting()]
    for thread in workers:
        thread.start()
    for _ in workers:
        assert receiver.arrived.acquire(timeout=PATIENCE_SECONDS)
    owner.tell()
    owner.work_newest()  # it is put off
    assert len(receiver.seen) == 2
    leave.set()
    for thread in workers:
        thread.join(PATIENCE_SECONDS)
    owner.work()
    assert {each["status"] for each in owner.deliveries(webhook_id)} == {"delivered"}


def test_of_one_subject_the_second_event_waits_for_the_first_attempt_of_the_first(
    owner: Owner, receiver: Receiver
) -> None:
    receiver.script = [answer("500 Broken")]
    owner.endpoint()
    subject = owner.tell("run.completed")
    owner.tell("job.completed", subject)
    owner.work_newest()
    assert receiver.seen == []
    owner.work()
    assert [b"run.completed" in seen.body for seen in receiver.seen] == [True, False]


def test_a_reply_that_is_lost_is_a_second_delivery_with_the_same_id(
    owner: Owner, receiver: Receiver
) -> None:
    receiver.script = [hang_up, answer()]
    owner.endpoint()
    owner.send()
    owner.work()
    first, second = (seen.headers["webhook-id"] for seen in receiver.seen)
    assert first == second


def test_what_a_killed_worker_had_begun_is_delivered_by_another(
    owner: Owner, receiver: Receiver
) -> None:
    webhook_id, _ = owner.endpoint()
    owner.tell()
    owner.begin_and_die()
    owner.work()
    assert owner.deliveries(webhook_id)[0]["status"] == "delivered"


def test_killed_workers_do_not_count_as_sending(owner: Owner, receiver: Receiver) -> None:
    webhook_id, _ = owner.endpoint()
    for _ in range(3):
        owner.tell()
        owner.begin_and_die()
    owner.work()
    assert {each["status"] for each in owner.deliveries(webhook_id)} == {"delivered"}


def test_retry_after_stretches_a_pause_up_to_six_hours(owner: Owner, receiver: Receiver) -> None:
    receiver.script = [answer("503 Busy", b"", "Retry-After: 999999")]
    owner.endpoint()
    owner.send()
    with db.reading() as reader:
        pause = db.value(reader, "select extract(epoch from run_at - now()) from jobs")
    assert 6 * 3600 - 60 < pause <= 6 * 3600


def test_a_delivery_whose_job_is_lost_has_failed(owner: Owner, receiver: Receiver) -> None:
    webhook_id, _ = owner.endpoint()
    owner.tell()
    id = ids.internal(Noun.DELIVERY, owner.deliveries(webhook_id)[0]["id"])
    assert id is not None
    with db.transaction() as tx:
        jobs.cancel(tx, id)
    assert owner.deliveries(webhook_id)[0]["error"] == "cancelled"
