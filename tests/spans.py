"""Tracing into memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from app.core import tracing
from app.core.tracing.collector import Collector


@dataclass(frozen=True)
class Spans:
    """The spans that have ended."""

    exporter: InMemorySpanExporter

    def named(self, name: str) -> ReadableSpan:
        """The only one of this name."""
        (span,) = (span for span in self.exporter.get_finished_spans() if span.name == name)
        return span

    def facts(self, name: str) -> dict[str, Any]:
        return dict(self.named(name).attributes or {})


@contextmanager
def recorded() -> Iterator[Spans]:
    """Tracing is on until the block ends; an application must be made inside."""
    exporter = InMemorySpanExporter()
    collector = Collector(SimpleSpanProcessor(exporter), "test")
    tracing.use(collector)
    try:
        yield Spans(exporter)
    finally:
        tracing.use(None)
        collector.stop()


def trace_id(span: ReadableSpan) -> str:
    return f"{span.context.trace_id:032x}" if span.context else ""


def span_id(span: ReadableSpan) -> str:
    return f"{span.context.span_id:016x}" if span.context else ""


def parent_id(span: ReadableSpan) -> str | None:
    return f"{span.parent.span_id:016x}" if span.parent else None
