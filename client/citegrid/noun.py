"""How an operation is written once and called on both clients, with its types.

A noun is a class over a runner: `Searches[Blocking]` belongs to `Client`, `Searches[Awaiting]` to
`AsyncClient`. What stands in the class only describes; reading it from a noun gives a function
that returns the result on the one and an awaitable of it on the other.
"""

import inspect
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from citegrid.profiles.credentials import Access
from citegrid.service import Call, Route, Service, Watch
from citegrid.transport.async_runner import Awaiting
from citegrid.transport.exchange import Produce, Steps
from citegrid.transport.sync_runner import Blocking

P = ParamSpec("P")
T = TypeVar("T")
M = TypeVar("M", bound=Blocking | Awaiting)


class Noun(Generic[M]):
    """Operations on one kind of thing."""

    def __init__(self, service: Service, runner: M) -> None:
        self._service = service
        self._runner: M = runner


class Method(Generic[P, T]):
    """Has one result. `route` is None when it consists of other operations."""

    def __init__(
        self,
        written: Callable[..., Any],
        steps: Callable[Concatenate[Any, P], Steps[T]],
        route: Route | None = None,
    ) -> None:
        self.written, self.steps, self.route = written, steps, route
        self._signature = _without_self(written)
        self.__doc__ = written.__doc__

    @overload
    def __get__(self, noun: None, owner: type) -> Self: ...
    @overload
    def __get__(self, noun: Noun[Blocking], owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, noun: Noun[Awaiting], owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, noun: Noun[Any] | None, owner: type) -> Any:
        if noun is None:
            return self

        @wraps(self.written)
        def bound(*args: P.args, **kwargs: P.kwargs) -> Any:
            return noun._runner.run(self.steps(noun, *args, **kwargs))

        bound.__signature__ = self._signature  # type: ignore[attr-defined]
        return bound


class Iteration(Generic[P, T]):
    """Has many results, one after the other."""

    def __init__(
        self,
        written: Callable[..., Any],
        steps: Callable[Concatenate[Any, P], Produce[T]],
        route: Route | None = None,
    ) -> None:
        self.written, self.steps, self.route = written, steps, route
        self._signature = _without_self(written)
        self.__doc__ = written.__doc__

    @overload
    def __get__(self, noun: None, owner: type) -> Self: ...
    @overload
    def __get__(
        self, noun: Noun[Blocking], owner: type
    ) -> Callable[P, Generator[T, None, None]]: ...
    @overload
    def __get__(
        self, noun: Noun[Awaiting], owner: type
    ) -> Callable[P, AsyncGenerator[T, None]]: ...
    def __get__(self, noun: Noun[Any] | None, owner: type) -> Any:
        if noun is None:
            return self

        @wraps(self.written)
        def bound(*args: P.args, **kwargs: P.kwargs) -> Any:
            return noun._runner.iterate(self.steps(noun, *args, **kwargs))

        bound.__signature__ = self._signature  # type: ignore[attr-defined]
        return bound


def _without_self(written: Callable[..., Any]) -> inspect.Signature:
    """For `help()`, which would follow the wrapping to the function with `self`."""
    signature = inspect.signature(written)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def operation(
    method: str, template: str, access: Access, *, makes: bool = False, repeatable: bool = False
) -> Callable[[Callable[Concatenate[Any, P], Call[T]]], Method[P, T]]:
    """One operation of the OpenAPI document: the function below describes a call of it."""
    route = Route(method, template, access, makes=makes, repeatable=repeatable)

    def decorate(describe: Callable[Concatenate[Any, P], Call[T]]) -> Method[P, T]:
        def steps(noun: Any, /, *args: P.args, **kwargs: P.kwargs) -> Steps[T]:
            service: Service = noun._service
            return service.perform(route, describe(noun, *args, **kwargs))

        return Method(describe, steps, route)

    return decorate


def stream(
    method: str, template: str, access: Access
) -> Callable[[Callable[Concatenate[Any, P], Watch[T]]], Iteration[P, T]]:
    """One operation of the OpenAPI document that answers with server-sent events."""
    route = Route(method, template, access)

    def decorate(describe: Callable[Concatenate[Any, P], Watch[T]]) -> Iteration[P, T]:
        def steps(noun: Any, /, *args: P.args, **kwargs: P.kwargs) -> Produce[T]:
            service: Service = noun._service
            return service.watch(route, describe(noun, *args, **kwargs))

        return Iteration(describe, steps, route)

    return decorate


def procedure(steps: Callable[Concatenate[Any, P], Steps[T]]) -> Method[P, T]:
    """A method that takes several steps."""
    return Method(steps, steps)


def iteration(steps: Callable[Concatenate[Any, P], Produce[T]]) -> Iteration[P, T]:
    """A method that gives many results."""
    return Iteration(steps, steps)
