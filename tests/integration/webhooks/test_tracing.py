"""One trace from a request to the worker and the webhook that followed."""

from collections.abc import Iterator

import pytest

from app.core import db
from app.domains.queue.jobs import service as jobs
from app.domains.queue.webhooks import outbox
from tests import spans
from tests.integration.webhooks.receivers import Owner, Receiver, answer
from tests.spans import Spans
from workers.queue import attempt

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SOUND = f"00-{TRACE}-00f067aa0ba902b7-01"
REQUEST, DELIVERY = "POST /v1/webhooks/<whk:webhook_id>/test", "job webhooks.deliver"


@pytest.fixture
def recorded() -> Iterator[Spans]:
    with spans.recorded() as recorded:
        yield recorded


@pytest.fixture
def traced(recorded: Spans, request: pytest.FixtureRequest) -> Owner:
    """An account of an application that was made while tracing was on."""
    owner: Owner = request.getfixturevalue("owner")
    return owner


def ask(owner: Owner, webhook_id: str, traceparent: str) -> str:
    """Request a test delivery; returns the request's id."""
    path = f"/v1/webhooks/{webhook_id}/test"
    asked = owner.client.post(path, headers={**owner.headers, "traceparent": traceparent})
    return asked.headers["X-Request-Id"]


def test_a_request_its_job_and_its_webhook_are_one_trace(
    traced: Owner, receiver: Receiver, recorded: Spans
) -> None:
    webhook_id, _ = traced.endpoint()
    request_id = ask(traced, webhook_id, SOUND)
    traced.work()
    request, job = recorded.named(REQUEST), recorded.named(DELIVERY)
    fetch = recorded.named("fetch POST")
    assert [spans.trace_id(span) for span in (request, job, fetch)] == [TRACE] * 3
    assert spans.parent_id(request) == "00f067aa0ba902b7"
    assert spans.parent_id(job) == spans.span_id(request)
    assert spans.parent_id(fetch) == spans.span_id(job)
    (seen,) = receiver.seen
    assert seen.headers["traceparent"] == f"00-{TRACE}-{spans.span_id(job)}-01"
    assert {recorded.facts(name)["citegrid.request_id"] for name in (REQUEST, DELIVERY)} == {
        request_id
    }


def test_a_hostile_traceparent_begins_a_trace(
    traced: Owner, receiver: Receiver, recorded: Spans
) -> None:
    webhook_id, _ = traced.endpoint()
    ask(traced, webhook_id, f"{SOUND},{SOUND}")
    assert recorded.named(REQUEST).parent is None


def test_what_results_enqueue_follows_from_their_job(
    traced: Owner, recorded: Spans, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        attempt._handlers,
        outbox.KIND.name,
        lambda work: lambda tx: jobs.enqueue(tx, outbox.KIND, work.account_id, {}),
    )
    webhook_id, _ = traced.endpoint()
    ask(traced, webhook_id, SOUND)
    traced.work()
    with db.reading() as reader:
        payload = reader.execute(
            "select payload from jobs where state = 'queued' and kind = 'webhooks.deliver'"
        ).fetchone()
    job = spans.span_id(recorded.named(DELIVERY))
    assert payload == ({"traceparent": f"00-{TRACE}-{job}-01"},)


def test_a_failed_job_leaves_its_code(traced: Owner, receiver: Receiver, recorded: Spans) -> None:
    receiver.script = [answer("500 Broken")]
    webhook_id, _ = traced.endpoint()
    ask(traced, webhook_id, SOUND)
    traced.work()
    assert recorded.facts(DELIVERY)["error.type"] == "delivery_failed"


def test_without_tracing_jobs_and_receivers_get_no_traceparent(
    owner: Owner, receiver: Receiver
) -> None:
    webhook_id, _ = owner.endpoint()
    ask(owner, webhook_id, SOUND)
    with db.reading() as reader:
        payload = reader.execute("select payload from jobs").fetchone()
    owner.work()
    assert payload == ({},)
    assert "traceparent" not in receiver.seen[0].headers
