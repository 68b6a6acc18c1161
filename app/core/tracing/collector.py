"""Spans by OpenTelemetry, sent to a collector (OTLP over HTTP). Needs the extra `tracing`.

The library reads its own variables (OTEL_TRACES_SAMPLER, OTEL_EXPORTER_OTLP_HEADERS and others).
"""

import contextvars
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, ParamSpec, TypeVar

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from app import __version__
from app.core import tracing
from app.core.tracing import Carrier, Facts

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_KINDS: Final = {
    "server": SpanKind.SERVER,
    "producer": SpanKind.PRODUCER,
    "consumer": SpanKind.CONSUMER,
    "client": SpanKind.CLIENT,
}
_HEADER: Final = "traceparent"
SEND_SECONDS: Final = 2
"""So long a process that stops waits for a collector that does not answer."""


def connected(url: str, service: str) -> "Collector":
    exporter = OTLPSpanExporter(endpoint=url, timeout=SEND_SECONDS)
    return Collector(BatchSpanProcessor(exporter), service)


class Collector:
    """A tracer whose spans go through `processor`."""

    def __init__(self, processor: SpanProcessor, service: str) -> None:
        resource = Resource.create({SERVICE_NAME: service, SERVICE_VERSION: __version__})
        self._provider = TracerProvider(resource=resource)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("citegrid", __version__)
        self._propagator = TraceContextTextMapPropagator()

    @contextmanager
    def span(
        self, name: str, kind: tracing.SpanKind, carrier: Carrier | None, facts: Facts
    ) -> Iterator[None]:
        parent = None if carrier is None else self._context(carrier)
        with self._tracer.start_as_current_span(
            name,
            parent,
            _KINDS[kind],
            _present(facts),
            record_exception=False,  # its text may hold what a page or a caller sent
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except BaseException as error:
                span.set_status(StatusCode.ERROR)
                span.set_attribute("error.type", type(error).__name__)
                raise

    @contextmanager
    def following(self, carrier: Carrier) -> Iterator[None]:
        token = context.attach(self._context(carrier))
        try:
            yield
        finally:
            context.detach(token)

    def note(self, facts: Facts, *, name: str | None, error: str | None) -> None:
        span = trace.get_current_span()
        span.set_attributes(_present(facts))
        if name is not None:
            span.update_name(name)
        if error is not None:
            span.set_status(Status(StatusCode.ERROR))
            span.set_attribute("error.type", error)

    def headers(self) -> dict[str, str]:
        carried: dict[str, str] = {}
        self._propagator.inject(carried)
        carried.pop("tracestate", None)  # another vendor's, which we do not take either
        return carried

    def inherited(self, act: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        here = contextvars.copy_context()

        def within(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            return here.run(act, *args, **kwargs)

        return within

    def stop(self) -> None:
        self._provider.shutdown()

    def _context(self, carrier: Carrier) -> Context:
        """That of a sound `traceparent`; of anything else an empty one, so that a trace begins."""
        value = carrier.get(_HEADER)
        sound = {_HEADER: value} if isinstance(value, str) else {}
        return self._propagator.extract(sound, Context())


def _present(facts: Facts) -> dict[str, str | int | float | list[str]]:
    return {name: fact for name, fact in facts.items() if fact is not None}
