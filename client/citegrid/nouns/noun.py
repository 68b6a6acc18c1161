"""The form of an operation that is written once and called on both clients, with its types.

A noun is a class over a runner: `Searches[SyncRunner]` belongs to `Client`,
`Searches[AsyncRunner]` to `AsyncClient`. What stands in the class only describes; reading it from a
noun gives a function that returns the result on the one and an awaitable of it on the other.
"""

import copy
import inspect
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from dataclasses import replace
from functools import wraps
from inspect import Parameter
from typing import (
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    Protocol,
    Self,
    TypeVar,
    get_args,
    get_type_hints,
    overload,
)

from citegrid.calls import Call, Route, Watch
from citegrid.profiles.credentials import Access
from citegrid.service import Service
from citegrid.transport.async_runner import AsyncRunner
from citegrid.transport.exchange import Produce, Steps
from citegrid.transport.raw import RawAsyncRunner, RawResponse, RawSyncRunner
from citegrid.transport.sync_runner import SyncRunner

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R", covariant=True)
M = TypeVar("M", bound=SyncRunner | AsyncRunner | RawSyncRunner | RawAsyncRunner)


class Noun(Generic[M]):
    """Operations on one kind of thing."""

    def __init__(self, service: Service, runner: M) -> None:
        self._service = service
        self._runner: M = runner

    def _within(self, timeout: float) -> Self:
        """The same, each of its calls with this timeout. Raises InvalidArgument."""
        changed = copy.copy(self)
        changed._service = self._service.with_options(timeout=timeout)
        return changed


class Operation(Protocol[P, R]):
    """An operation as it is called: any that has no `timeout` of its own takes one."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__(self, *args: Any, timeout: float | None, **kwargs: Any) -> R: ...


class _Description:
    """The description of an operation in the class of a noun.

    `route` is None when it consists of other operations.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        steps: Callable[..., Any],
        route: Route | None = None,
        doc: str | None = None,
    ) -> None:
        self.function, self.route = function, route
        self._steps = steps
        self.signature = _without_self(signature_of(function))
        self.__doc__ = doc or function.__doc__

    def _on(self, noun: Noun[Any], run: Callable[[Any], Any]) -> Callable[..., Any]:
        timed = _with_timeout(self.signature)

        @wraps(self.function)
        def bound(*args: Any, **kwargs: Any) -> Any:
            timeout = None if timed is self.signature else kwargs.pop("timeout", None)
            self.signature.bind(*args, **kwargs)  # an option that nobody knows is a TypeError
            asked = noun if timeout is None else noun._within(timeout)
            return run(self._steps(asked, *args, **kwargs))

        bound.__signature__ = timed  # type: ignore[attr-defined]
        bound.__doc__ = self.__doc__
        return bound


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """With the options of `**options: Unpack[Options]` by name, each None unless it is given."""
    parameters = list(inspect.signature(function).parameters.values())
    if parameters[-1].kind is not Parameter.VAR_KEYWORD:
        return inspect.Signature(parameters)
    (options,) = get_args(parameters.pop().annotation)
    named = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=hint)
        for name, hint in get_type_hints(options).items()
    ]
    return inspect.Signature([*parameters, *named])


def _without_self(signature: inspect.Signature) -> inspect.Signature:
    """For `help()`, which would follow the wrapping to the function with `self`."""
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def _with_timeout(signature: inspect.Signature) -> inspect.Signature:
    """The signature with a `timeout`; itself where it has one, for how long to wait in all."""
    if "timeout" in signature.parameters:
        return signature
    timeout = Parameter("timeout", Parameter.KEYWORD_ONLY, default=None, annotation=float | None)
    return signature.replace(parameters=[*signature.parameters.values(), timeout])


class Method(_Description, Generic[P, T]):
    """Has one result."""

    @property
    def steps(self) -> Callable[Concatenate[Any, P], Steps[T]]:
        """For a procedure that consists of it."""
        return self._steps

    @overload
    def __get__(self, noun: None, owner: type) -> Self: ...
    @overload
    def __get__(self, noun: Noun[SyncRunner], owner: type) -> Operation[P, T]: ...
    @overload
    def __get__(
        self, noun: Noun[AsyncRunner], owner: type
    ) -> Operation[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, noun: Noun[RawSyncRunner], owner: type) -> Operation[P, RawResponse[T]]: ...
    @overload
    def __get__(
        self, noun: Noun[RawAsyncRunner], owner: type
    ) -> Operation[P, Coroutine[Any, Any, RawResponse[T]]]: ...
    def __get__(self, noun: Noun[Any] | None, owner: type) -> Any:
        return self if noun is None else self._on(noun, noun._runner.run)


class Iteration(_Description, Generic[P, T]):
    """Has many results, one after the other."""

    @overload
    def __get__(self, noun: None, owner: type) -> Self: ...
    @overload
    def __get__(
        self, noun: Noun[SyncRunner], owner: type
    ) -> Operation[P, Generator[T, None, None]]: ...
    @overload
    def __get__(
        self, noun: Noun[AsyncRunner], owner: type
    ) -> Operation[P, AsyncGenerator[T, None]]: ...
    def __get__(self, noun: Noun[Any] | None, owner: type) -> Any:
        if noun is None:
            return self
        if isinstance(noun._runner, RawSyncRunner | RawAsyncRunner):
            raise AttributeError("Many answers have no raw response: read the list page by page.")
        return self._on(noun, noun._runner.iterate)


def operation(
    method: str, template: str, access: Access, *, makes: bool = False, repeatable: bool = False
) -> Callable[[Callable[Concatenate[Any, P], Call[T]]], Method[P, T]]:
    """One operation of the OpenAPI document: the function below says how its answer is read.

    Arguments are sent under their names: those that the template names fill it, the others are the
    query of a GET and else the body, but for None where that is the default. `idempotency_key` is
    a header. A call that has a query or a body of its own is sent with that.
    """
    route = Route(method, template, access, makes=makes, repeatable=repeatable)

    def decorate(describe: Callable[Concatenate[Any, P], Call[T]]) -> Method[P, T]:
        signature = _without_self(signature_of(describe))

        def steps(noun: Any, /, *args: P.args, **kwargs: P.kwargs) -> Steps[T]:
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()
            service: Service = noun._service
            return service.perform(route, _filled(route, describe(noun, *args, **kwargs), given))

        return Method(describe, steps, route)

    return decorate


def _filled(route: Route, call: Call[T], given: inspect.BoundArguments) -> Call[T]:
    path = _path(route, given)
    call = replace(call, path=path, idempotency_key=given.arguments.get("idempotency_key"))
    members = {
        name: value
        for name, value in given.arguments.items()
        if name not in path and name != "idempotency_key"
    }
    if call.query or call.body is not None or not members:
        return call
    if route.method == "GET":
        return replace(call, query=members)
    defaults = given.signature.parameters
    body = {n: v for n, v in members.items() if v is not None or defaults[n].default is not None}
    return replace(call, body=body)


def _path(route: Route, given: inspect.BoundArguments) -> dict[str, object]:
    named = given.arguments.items()
    return {name: value for name, value in named if f"{{{name}}}" in route.template}


def stream(
    method: str, template: str, access: Access
) -> Callable[[Callable[Concatenate[Any, P], Watch[T]]], Iteration[P, T]]:
    """One operation of the OpenAPI document that answers with server-sent events.

    It takes the id of what is watched, `last_event_id` and `timeout`.
    """
    route = Route(method, template, access)

    def decorate(describe: Callable[Concatenate[Any, P], Watch[T]]) -> Iteration[P, T]:
        signature = _without_self(signature_of(describe))

        def steps(noun: Any, /, *args: P.args, **kwargs: P.kwargs) -> Produce[T]:
            given = signature.bind(*args, **kwargs)
            path = _path(route, given)
            others = {name: v for name, v in given.arguments.items() if name not in path}
            (id,) = path.values()
            watch = replace(describe(noun, *args, **kwargs), id=str(id), path=path, **others)
            service: Service = noun._service
            return service.watch(route, watch)

        return Iteration(describe, steps, route)

    return decorate


def procedure(steps: Callable[Concatenate[Any, P], Steps[T]]) -> Method[P, T]:
    """A method that takes several steps."""
    return Method(steps, steps)


def iteration(steps: Callable[Concatenate[Any, P], Produce[T]]) -> Iteration[P, T]:
    """A method that gives many results."""
    return Iteration(steps, steps)
