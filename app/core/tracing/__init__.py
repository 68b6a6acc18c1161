"""Spans of requests, jobs and fetches; nothing unless a collector is configured (TRACING_URL).

A trace begins with a request, whose `traceparent` (W3C Trace Context) it goes on from, and is
passed on to the jobs that follow, to services that the operator configured, and to webhooks. Pages
get no header of it. Spans are for operators: they hold ids, names and hosts, never a text or an
address.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any, Literal, ParamSpec, Protocol, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

SpanKind = Literal["server", "producer", "consumer", "client"]
Facts = Mapping[str, str | int | float | list[str] | None]
Carrier = Mapping[str, Any]
"""Holds a `traceparent`, or none: the payload of a job, headers."""


class Tracer(Protocol):
    """The part of a tracing library that the service needs."""

    def span(
        self, name: str, kind: SpanKind, carrier: Carrier | None, facts: Facts
    ) -> AbstractContextManager[None]: ...

    def following(self, carrier: Carrier) -> AbstractContextManager[None]: ...

    def note(self, facts: Facts, *, name: str | None, error: str | None) -> None: ...

    def headers(self) -> dict[str, str]: ...

    def inherited(self, act: Callable[Arguments, Result]) -> Callable[Arguments, Result]: ...

    def stop(self) -> None: ...


class _Off:
    def span(self, *_: object) -> AbstractContextManager[None]:
        return _NOTHING

    def following(self, _carrier: Carrier) -> AbstractContextManager[None]:
        return _NOTHING

    def note(self, _facts: Facts, *, name: str | None, error: str | None) -> None:
        pass

    def headers(self) -> dict[str, str]:
        return {}

    def inherited(self, act: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        return act

    def stop(self) -> None:
        pass


_NOTHING: AbstractContextManager[None] = nullcontext()
_OFF = _Off()
_tracer: Tracer = _OFF


def start(url: str, service: str) -> None:
    """Send the spans of this process, which is called `service`, to the collector at `url`, if any.

    Once in each process, after it was forked.
    """
    if url:
        use(import_module("app.core.tracing.collector").connected(url, service))


def use(tracer: Tracer | None) -> None:
    global _tracer
    _tracer = tracer or _OFF


def stop() -> None:
    _tracer.stop()


def is_on() -> bool:
    return _tracer is not _OFF


def span(
    name: str, kind: SpanKind, carrier: Carrier | None = None, facts: Facts | None = None
) -> AbstractContextManager[None]:
    """A span until the block ends: a child of the `carrier`'s, or without one of the current."""
    return _tracer.span(name, kind, carrier, facts or {})


def following(carrier: Carrier) -> AbstractContextManager[None]:
    """Until the block ends the `carrier`'s span, which is another's, is the current one."""
    return _tracer.following(carrier)


def note(facts: Facts | None = None, *, name: str | None = None, error: str | None = None) -> None:
    """Add to the current span; `error` is the code with which it failed."""
    _tracer.note(facts or {}, name=name, error=error)


def headers() -> dict[str, str]:
    """The `traceparent` of the current span; empty without one."""
    return _tracer.headers()


def inherited(act: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """`act` for one call in another thread, where the current span is the one of here."""
    return _tracer.inherited(act)
