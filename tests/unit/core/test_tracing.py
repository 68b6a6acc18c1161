"""Traces as other programs see them, and what is left of them when tracing is off."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace import ReadableSpan

from app.core import tracing
from app.engine.fetch import FetchFailed
from app.engine.origin import Origin
from tests import spans
from tests.spans import Spans
from tests.unit.engine.fetch.loopback import PAGE, Wires, always, raw, serving

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SOUND = f"00-{TRACE}-00f067aa0ba902b7-01"
HOSTILE = [
    "",
    f"ff-{TRACE}-00f067aa0ba902b7-01",
    f"00-{'0' * 32}-00f067aa0ba902b7-01",
    f"00-{TRACE}-{'0' * 16}-01",
    f"00-{TRACE.upper()}-00f067aa0ba902b7-01",
    f"00-{TRACE}-00f067aa0ba902b7-01-more",
    f"{SOUND},{SOUND}",
    f"00-{TRACE}-00f067aa0ba902b7-01\nX-Admin: 1",
    "00-" + "4" * 100_000,
    "-" * 100_000,
    "٠٠-" + "٤" * 32 + "-" + "٤" * 16 + "-٠١",
]


@pytest.fixture
def recorded() -> Iterator[Spans]:
    with spans.recorded() as recorded:
        yield recorded


def one(recorded: Spans, carrier: dict[str, Any]) -> ReadableSpan:
    with tracing.span("one", "server", carrier):
        pass
    return recorded.named("one")


def test_a_span_goes_on_from_a_sound_traceparent(recorded: Spans) -> None:
    assert spans.trace_id(one(recorded, {"traceparent": SOUND})) == TRACE


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: repr(value[:40]))
def test_any_other_traceparent_is_ignored(recorded: Spans, value: str) -> None:
    span = one(recorded, {"traceparent": value})
    assert (span.parent, spans.trace_id(span) == TRACE) == (None, False)


@given(st.text() | st.none() | st.integers() | st.lists(st.text()))
def test_no_traceparent_breaks_anything(value: Any) -> None:
    with spans.recorded() as recorded:
        assert one(recorded, {"traceparent": value}).parent is None


def test_another_vendors_state_is_not_passed_on(recorded: Spans) -> None:
    with tracing.span("one", "server", {"traceparent": SOUND, "tracestate": "vendor=x"}):
        assert set(tracing.headers()) == {"traceparent"}


def test_a_failure_leaves_its_name_and_not_its_text(recorded: Spans) -> None:
    with pytest.raises(ValueError, match="hunter2"), tracing.span("one", "client"):
        raise ValueError("hunter2")
    assert "hunter2" not in recorded.named("one").to_json()
    assert recorded.facts("one")["error.type"] == "ValueError"


def test_a_call_in_another_thread_is_in_the_same_trace(recorded: Spans) -> None:
    with ThreadPoolExecutor(1) as pool, tracing.span("one", "server", {"traceparent": SOUND}):
        (header,) = pool.submit(tracing.inherited(tracing.headers)).result().values()
    assert TRACE in header


def test_a_page_is_asked_without_a_traceparent(recorded: Spans) -> None:
    with serving(always()) as server:
        with tracing.span("one", "server", {"traceparent": SOUND}):
            Wires(server.port).fetcher().get(PAGE)
        assert "traceparent" not in server.seen[0].headers
    assert spans.trace_id(recorded.named("fetch GET")) == TRACE
    assert recorded.facts("fetch GET")["server.address"] == "example.com"


def test_a_failed_fetch_is_a_failed_span(recorded: Spans) -> None:
    with serving(raw(b"")) as server, pytest.raises(FetchFailed):
        Wires(server.port).fetcher().get(PAGE)
    assert recorded.facts("fetch GET")["error.type"] == "FetchFailed"


def test_a_configured_service_is_asked_with_one(recorded: Spans) -> None:
    with serving(always(b"{}", media_type="application/json")) as server:
        with tracing.span("one", "server", {"traceparent": SOUND}):
            Origin(f"http://127.0.0.1:{server.port}").post("/v1", {}, seconds=90)
        assert TRACE in server.seen[0].headers["traceparent"]


def test_nothing_is_carried_or_made_while_tracing_is_off() -> None:
    with tracing.span("one", "server", {"traceparent": SOUND}), tracing.following({}):
        assert (tracing.is_on(), tracing.headers()) == (False, {})
    assert tracing.span("one", "server") is tracing.span("two", "client")


def test_spans_reach_the_collector() -> None:
    with serving(always(b"", media_type="application/x-protobuf")) as server:
        tracing.start(f"http://127.0.0.1:{server.port}/v1/traces", "citegrid-api")
        try:
            with tracing.span("a request", "server"):
                pass
            tracing.stop()
        finally:
            tracing.use(None)
        (seen,) = server.seen
    assert seen.path == "/v1/traces"
    assert all(word in seen.body for word in (b"citegrid-api", b"a request"))


def test_without_an_address_tracing_stays_off() -> None:
    tracing.start("", "citegrid-api")
    assert not tracing.is_on()
