"""The client library and the server describe one interface."""

import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from citegrid import errors as client_errors
from citegrid.cli.account import keys
from citegrid.client import Client
from citegrid.nouns.noun import Iteration, Method, Noun
from citegrid.nouns.operations.webhooks import EventType
from citegrid.nouns.pagination import Page
from citegrid.paid import client as paid
from citegrid.profiles.credentials import Access
from citegrid.transport.exchange import Reply, refusal

from app.core.errors import AppError, catalogue
from app.domains.account.accounts import key_rules
from app.domains.providers.chats.schemas import IGNORED
from app.domains.queue.webhooks import events
from app.web.interface import nodes
from app.web.interface.operations import items
from tests import interface

Operation = tuple[str, str]
NULL = {"type": "null"}

# Of `citegrid.paid`, whose client pays and reads what it paid for.
PAID: set[Operation] = {
    (route.method.lower(), route.template)
    for route in (paid.SEARCH.route, paid.READ, paid.WATCH, paid.SNAPSHOT, paid.BUY)
}
# For the operator's machinery, and so outside of the document.
PAGES: set[Operation] = {("get", "/readyz")}

# The operator's commands fail with these; no operation of the interface does.
OPERATORS_OWN = {
    "account_not_found",
    "corpus_exists",
    "corpus_not_found",
    "corpus_unreadable",
    "dispute_ended",
    "dispute_not_found",
    "domain_not_listed",
    "invalid_corpus",
    "not_a_domain",
    "payout_ended",
    "rebuild_overtaken",
    "remote_index_overtaken",
}
# Pages show these.
OF_PAGES = {"forged_form", "alert_link_invalid"}
# A program that uses the client cannot provoke these, but for a failure of the server: ApiError.
WITHOUT_FAMILY = {405, 406, 414, 415, 417, 421, 431, 500, 501}
# `chats.stream` sends the first two; the others have no effect, and other clients send them.
BY_ANOTHER_METHOD = {
    ("post", "/v1/chat/completions"): {"stream", "stream_options"}
    | (IGNORED - {"metadata", "store", "user"})
}
# These stand in the `error` of a failed search or job, which is no exception.
OF_FAILED_JOBS = {
    "work_declined",
    "worker_lost",
    "deadline_exceeded",
    "source_unreadable",
    "workflow_failed",
}


# Of the types of JSON Schema; an object may be a dataclass as well.
SHAPES: dict[str, set[Any]] = {
    "string": {str, Decimal},
    "integer": {int},
    "number": {float},
    "boolean": {bool},
    "array": {tuple},
    "object": {Mapping, dict},
}

DOCUMENT = interface.document()
OFFERED = {(method, path): node for path, method, node in items(DOCUMENT)}


def _methods() -> Iterator[tuple[Operation, Any]]:
    with Client("http://127.0.0.1:1") as client:
        nouns = [type(client), *(type(n) for n in vars(client).values() if isinstance(n, Noun))]
    for noun in nouns:
        for _, found in inspect.getmembers_static(noun):
            if isinstance(found, Method | Iteration) and found.route is not None:
                yield (found.route.method.lower(), found.route.template), found


METHODS = list(_methods())
"""An operation may have several, for bodies of several kinds."""
SHARED = [each for each in METHODS if each[0] in OFFERED]


def test_every_operation_has_a_method() -> None:
    assert OFFERED.keys() - dict(METHODS).keys() == PAID


def test_every_method_has_an_operation() -> None:
    assert dict(METHODS).keys() - OFFERED.keys() == PAGES


def test_a_method_takes_what_its_operation_takes() -> None:
    assert [which for which, ours in SHARED if _takes(ours) != _offered(which, ours)] == []


def _takes(ours: Any) -> set[str]:
    of_streams = {"timeout"} if isinstance(ours, Iteration) else set()
    return set(ours.signature.parameters) - of_streams


def _offered(which: Operation, ours: Any) -> set[str]:
    raw = "content" in ours.signature.parameters
    return _taken(*which, raw=raw) - BY_ANOTHER_METHOD.get(which, set())


def _taken(method: str, path: str, *, raw: bool) -> set[str]:
    node = OFFERED[method, path]
    found = {each["name"] for each in DOCUMENT["paths"][path].get("parameters", [])}
    for parameter in node.get("parameters", []):
        name = nodes.resolve(DOCUMENT, parameter)["name"]
        if not parameter.get("description", "").startswith("CSV:"):  # `export` takes those
            found.add(name.lower().replace("-", "_"))
    if "requestBody" in node:
        found |= _sent(node["requestBody"]["content"], raw=raw)
    if "text/event-stream" in node["responses"].get("200", {}).get("content", {}):
        found.add("last_event_id")  # a header that browsers send by themselves
    return found


def _sent(body: Mapping[str, Any], *, raw: bool) -> set[str]:
    """The arguments that become the body of a request; `raw`: as it is."""
    if "application/x-ndjson" in body:  # or a ZIP
        return {"content"} if raw else {"documents"}
    if raw and body.keys() - {"application/json"}:
        return {"content", "media_type"}
    described = nodes.resolve(DOCUMENT, body["application/json"]["schema"])
    return {"job"} if "oneOf" in described else set(described["properties"])


def test_a_method_sends_the_credential_its_operation_takes() -> None:
    expected = {
        Access.NONE: [],
        Access.ACCOUNT: [{"bearer"}],
        Access.KEY: [{"apiKey"}, {"bearer"}],
        Access.NODE: [{"nodeToken"}],
    }
    taken = {which: [set(each) for each in OFFERED[which]["security"]] for which, _ in SHARED}
    assert [w for w, ours in SHARED if taken[w] != expected[ours.route.access]] == []


def test_a_method_makes_an_idempotency_key_where_the_operation_takes_one() -> None:
    key = {"$ref": "#/components/parameters/IdempotencyKey"}
    takes_one = {which for which, _ in SHARED if key in OFFERED[which].get("parameters", [])}
    assert [w for w, ours in SHARED if ours.route.makes != (w in takes_one)] == []


def test_a_result_has_the_fields_of_the_answer() -> None:
    differences = [
        (which, *differing)
        for which, ours in SHARED
        if (differing := list(_differing(OFFERED[which], ours)))
    ]
    assert differences == []


def _differing(node: dict[str, Any], ours: Any) -> Iterator[str]:
    shape = get_args(get_type_hints(ours.function)["return"])[0]
    content = next(iter(_successes(node))).get("content", {})
    if "application/json" in content:
        schema = nodes.resolve(DOCUMENT, content["application/json"]["schema"])
        if get_origin(shape) is Page:
            (listed,) = schema["properties"].keys() - {"has_more", "next_cursor"}
            shape, schema = get_args(shape)[0], schema["properties"][listed]["items"]
        elif len(schema["properties"]) == 1:  # {account: ...}: the method returns what is inside
            (schema,) = schema["properties"].values()
        yield from _differences(_present(shape), schema)


def _successes(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [answer for status, answer in node["responses"].items() if status.startswith("2")]


def _differences(shape: Any, schema: dict[str, Any], where: str = "") -> Iterator[str]:
    """Fields that only one side has, and fields that may be null on the server's side only."""
    schema = nodes.resolve(DOCUMENT, _not_null(schema))
    if get_origin(shape) is tuple:
        yield from _differences(get_args(shape)[0], schema["items"], f"{where}[]")
    elif is_dataclass(shape):
        hints = get_type_hints(shape)
        ours, theirs = {f.name for f in fields(shape)}, schema["properties"]
        yield from (f"{where}/{name}" for name in ours ^ theirs.keys())
        for name in ours & theirs.keys():
            yield from _nullable(hints[name], theirs[name], f"{where}/{name}")
            yield from _mistyped(_present(hints[name]), theirs[name], f"{where}/{name}")
            yield from _differences(_present(hints[name]), theirs[name], f"{where}/{name}")


def _nullable(hint: Any, schema: dict[str, Any], where: str) -> Iterator[str]:
    may_be_null = "null" in schema.get("type", ()) or NULL in schema.get("anyOf", ())
    if may_be_null and NoneType not in get_args(hint):
        yield f"{where} may be null"


def _mistyped(shape: Any, schema: dict[str, Any], where: str) -> Iterator[str]:
    schema = nodes.resolve(DOCUMENT, _not_null(schema))
    kinds = schema.get("type", ())
    for kind in {kinds} if isinstance(kinds, str) else {*kinds} - {"null"}:
        of_time = kind == "string" and schema.get("format") == "date-time"
        allowed = {datetime} if of_time else SHAPES[kind]
        if (get_origin(shape) or shape) not in allowed and not (
            kind == "object" and is_dataclass(shape)
        ):
            yield f"{where} is {kind}, not {shape}"


def _not_null(schema: dict[str, Any]) -> dict[str, Any]:
    """What a value that may be null is otherwise."""
    others = [each for each in schema.get("anyOf", ()) if each != NULL]
    return others[0] if others else schema


def _present(hint: Any) -> Any:
    """`X` of `X | None`."""
    return get_args(hint)[0] if get_origin(hint) in (Union, UnionType) else hint


def _ours() -> list[type[AppError]]:
    found = [error for error in catalogue() if error.__module__.startswith("app.")]
    exempt = OPERATORS_OWN | OF_PAGES | OF_FAILED_JOBS
    return [error for error in found if error.code not in exempt]


def test_every_code_belongs_to_a_family() -> None:
    known = client_errors.FAMILIES.keys() | WITHOUT_FAMILY
    assert [error.code for error in _ours() if error.status not in known] == []


def test_a_refusal_is_tried_again_where_the_server_says_that_it_helps() -> None:
    assert [error.code for error in _ours() if _retryable(error) != error.retryable] == []


def _retryable(error: type[AppError]) -> bool:
    answer = json.dumps(error().body("req_a")).encode()
    return refusal(Reply(error.status, {}, answer)).retryable


def test_an_exception_of_one_code_is_one_of_the_servers() -> None:
    families = set(client_errors.FAMILIES.values())
    of_one_code = [error for error in client_errors.BY_CODE.values() if error not in families]
    theirs = {(error.code, error.status) for error in _ours()}
    assert {(error.code, error.status) for error in of_one_code} <= theirs


def test_the_client_knows_every_type_of_event() -> None:
    assert set(get_args(EventType)) == {events.EVERY, *events.TYPES}


def test_the_command_line_offers_the_scopes_and_the_days_that_a_key_may_have() -> None:
    assert keys.SCOPES == key_rules.SCOPES
    assert timedelta(days=keys.MOST_DAYS) == key_rules.LONGEST_LIFE
