"""Writes docs/reference/client.md from the client's own signatures and docstrings."""

import inspect
import pkgutil
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import citegrid
from citegrid import errors, nouns, paid
from citegrid.client import AsyncClient, Client
from citegrid.nouns.noun import Iteration, Method, Noun
from citegrid.profiles.credentials import Access
from citegrid.profiles.saved import UnknownProfile, UnreadableProfile

GENERATED = "<!-- Written by `make docs` from the code. Change the code, not this page. -->\n\n"
PAYING = (paid.NothingPaid, paid.PaymentContextInvalid, paid.PaymentOutcomeUnknown)
OTHERS = (
    "AnswerTimedOut",
    "ConnectionFailed",
    "DeadlineReached",
    "InvalidArgument",
    "InvalidBaseUrl",
    "StillRunning",
    "UnusableAnswer",
)
TAKES = {
    Access.NONE: "no credential",
    Access.KEY: "API key or access token",
    Access.ACCOUNT: "access token",
    Access.NODE: "token of a node",
}


def page() -> str:
    """The whole page."""
    return GENERATED + "\n".join(_lines()).rstrip() + "\n"


def _lines() -> Iterator[str]:
    yield "# Client\n"
    yield "`Client` has these methods. `AsyncClient` has the same ones: await them, iterate with"
    yield "`async for`. How to use them: [use the client](../how-to/use-the-client.md).\n"
    yield "Every result has `request_id`, which identifies the request in the server's logs, and"
    yield "`to_dict()`: the same values in JSON types, with the field names of the API.\n"
    yield "Every method also takes a `timeout` in seconds, which limits each of its calls with all"
    yield "retries. Methods that list a `timeout` wait that long, and then raise StillRunning.\n"
    classes = (Client, AsyncClient, citegrid.Policy, citegrid.Credentials, citegrid.RawResponse)
    for cls in classes:
        yield from _class(cls)
    with Client("http://127.0.0.1", credentials=citegrid.Credentials()) as client:
        held = {name: noun for name, noun in vars(client).items() if isinstance(noun, Noun)}
    yield "## client\n"
    yield from _options()
    yield from _methods("client", Client)
    for name, noun in held.items():
        yield f"## client.{name}\n"
        yield from _methods(f"client.{name}", type(noun))
    yield from _paid()
    yield "## Results\n"
    for result in _results():
        yield f"### {result.__name__}\n"
        if not _text(result).startswith(f"{result.__name__}("):  # Python's own, of a dataclass
            yield f"{_text(result)}\n"
        listed = (f"`{field.name}: {_type(field.type)}`" for field in fields(result))
        yield ", ".join(listed) + "\n"
    yield from _errors()


def _options() -> Iterator[str]:
    signature = inspect.signature(Client.with_options)
    without_self = signature.replace(parameters=[*signature.parameters.values()][1:])
    yield "### client.with_options\n"
    yield f"    client.with_options{_signature(without_self)}\n"
    yield f"{_text(Client.with_options)}\n"
    yield "### client.with_raw_response\n"
    yield "    client.with_raw_response.searches.create(query)\n"
    yield f"{_text(Client.with_raw_response)}"
    yield "Iterators have no raw responses: read their lists page by page.\n"


def _paid() -> Iterator[str]:
    yield "## Paid searches\n"
    yield "In `citegrid.paid`, with the extra `paid`. How to use it:"
    yield "[pay for single searches](../how-to/pay-per-search.md).\n"
    for paying in (paid.PaidClient, paid.AsyncPaidClient, paid.PaymentHandler, paid.PaymentContext):
        yield from _class(paying)
    yield from _methods("paid", paid.PaidClient)


def _errors() -> Iterator[str]:
    yield "## Errors\n"
    yield "What the server refuses is an `ApiError`, of the class of its status; `code` is one of"
    yield "[these](errors.md). A few codes have a class of their own below that.\n"
    yield "| exception | below | raised for | tried again |\n|---|---|---|---|"
    for error in errors.BY_CODE.values():
        again = "yes" if error.retryable else "no"
        below = error.__bases__[0].__name__
        reason = str(error.status) if below == "ApiError" else f"`{error.code}`"
        yield f"| `{error.__name__}` | `{below}` | {reason} | {again} |"
    yield ""
    for name in OTHERS:
        yield f"- `{name}`: {_line(getattr(errors, name))}"
    for kind in (citegrid.SearchNotCompleted, UnknownProfile, UnreadableProfile, *PAYING):
        yield f"- `{kind.__name__}`: {_line(kind)}"


def _class(cls: Any) -> Iterator[str]:
    yield f"## {cls.__name__}\n"
    yield f"    {cls.__name__}{_signature(inspect.signature(cls))}\n"
    yield f"{_text(cls)}\n"


def _methods(prefix: str, noun: type) -> Iterator[str]:
    every = [vars(cls) for cls in reversed(noun.__mro__)]
    for name, found in {name: v for members in every for name, v in members.items()}.items():
        if isinstance(found, Method | Iteration):
            yield f"### {prefix}.{name}\n"
            yield f"    {prefix}.{name}{_signature(found.signature)}\n"
            yield f"{_text(found)}\n"
            if route := found.route:
                yield f"`{route.method} {route.template}`, {TAKES[route.access]}\n"


def _signature(of: inspect.Signature) -> str:
    """What the caller gives, without types that only the checker needs to see."""
    shown = [p.replace(annotation=inspect.Parameter.empty) for p in of.parameters.values()]
    return str(inspect.Signature([_plain(p) for p in shown]))


def _plain(parameter: inspect.Parameter) -> inspect.Parameter:
    """A default without a short text is shown as `...`."""
    default = parameter.default
    simple = default is inspect.Parameter.empty or isinstance(default, int | float | str | None)
    return parameter if simple else parameter.replace(default=_Unsaid())


class _Unsaid:
    def __repr__(self) -> str:
        return "..."


def _results() -> Iterator[Any]:
    for found in pkgutil.walk_packages(nouns.__path__, f"{nouns.__name__}."):
        for name, cls in vars(import_module(found.name)).items():
            ours = inspect.isclass(cls) and cls.__module__ == found.name
            if ours and is_dataclass(cls) and not name.startswith("_"):
                yield cls


def _type(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    for noise in ("collections.abc.", "datetime.", "decimal.", "typing.", "~"):
        text = text.replace(noise, "")
    return text


def _line(of: Any) -> str:
    """In an item of a list."""
    return " ".join(_text(of).split())


def _text(of: Any) -> str:
    return inspect.getdoc(of) or ""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
