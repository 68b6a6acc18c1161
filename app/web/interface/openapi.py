"""The OpenAPI 3.1 document: what flask-smorest writes of schemas, completed from the views.

Which errors, headers and links an operation has follows from its form: who may call it, its method,
whether it takes a body, what it answers on success. Only what is peculiar to a view is declared at
the view, with `raises`.
"""

from collections import defaultdict
from collections.abc import Iterator

from flask import Flask

from app.core.errors import (
    AppError,
    Invalid,
    MalformedJson,
    NotFound,
    Overloaded,
    PayloadTooLarge,
    RateLimited,
    StorageUnavailable,
    Unauthenticated,
    UnsupportedMediaType,
)
from app.core.http import access
from app.core.http.fields import id_pattern
from app.core.http.hosts import UnknownHost
from app.core.http.idempotency import (
    IdempotencyInProgress,
    IdempotencyKeyReused,
    IdempotencyReplyLost,
)
from app.core.ids import Noun
from app.domains.account.accounts.sign_in import authentication
from app.domains.providers.providers.offer_rules import MOST_MODEL
from app.domains.providers.providers.profile_rules import HANDLE
from app.domains.search.memories.rules import PERSONA
from app.web.interface import examples
from app.web.interface.components import COMPONENTS
from app.web.interface.nodes import Node, resolve
from app.web.interface.operations import Operation, operations

PATH_PARAMETERS: dict[str, Node] = {
    "search_id": {"type": "string", "pattern": id_pattern(Noun.SEARCH)},
    "queue_name": {"type": "string", "examples": ["searches"]},
    "worker_id": {"type": "string", "examples": ["host1:4711"]},
    "task_id": {"type": "string", "pattern": id_pattern(Noun.TASK)},
    "work_id": {"type": "string", "pattern": id_pattern(Noun.WORK)},
    "key": {
        "type": "string",
        "minLength": 1,
        "maxLength": 500,
        "pattern": r"^[^\x00-\x1f\x7f-\x9f]+$",
        "examples": ["guide/intro.md"],
    },
    "persona_id": {"type": "string", "pattern": f"^{PERSONA.pattern}$"},
    "model": {"type": "string", "minLength": 1, "maxLength": MOST_MODEL},
    "n": {"type": "integer", "minimum": 1, "maximum": 999},
    "offer_id": {"type": "string", "format": "uuid"},
    "handle": {"type": "string", "pattern": f"^{HANDLE}$"},
}
"""What is found at all where a rule says `string`: anything else is 404 as well."""

DESCRIPTION = """\
Answers and records with quotes that link each statement to its exact source passage.

Every response has an `X-Request-Id` header. All errors have the shape `{error: {code, message, \
request_id}}`, plus `details: [{field, problem}]` for invalid fields (the first 20; \
`details_omitted` counts the rest). Lists accept `limit` and `cursor`. \
POST requests that create something accept an `Idempotency-Key`: repeating a request within 24 \
hours returns the first response. Rate-limited routes return the remaining quota in `RateLimit`; \
429 and 503 responses return the time to wait in `Retry-After`."""

REFUSALS = (
    Unauthenticated,
    authentication.AuthInvalidToken,
    authentication.AuthExpiredToken,
    authentication.AuthRevokedToken,
    access.ApiKeyScope,
)
BODY_REFUSALS = (MalformedJson, PayloadTooLarge, UnsupportedMediaType)
ALWAYS = (Invalid, UnknownHost, RateLimited, AppError, StorageUnavailable)


def complete(document: Node, app: Flask) -> None:
    """Fill in the document of `app` in place."""
    document["info"]["description"] = DESCRIPTION
    for name, found in COMPONENTS.items():
        document["components"].setdefault(name, {}).update(found)
    document["components"].pop("responses", None)  # flask-smorest's own; ours are per operation
    for item in document["paths"].values():
        for parameter in item.get("parameters", []):
            parameter["schema"] = PATH_PARAMETERS.get(parameter["name"], parameter["schema"])
    found = list(operations(document, app))
    for operation in found:
        operation.node["security"] = _security(operation.declared)
        if operation.preview:
            operation.node["x-status"] = "preview"
        if operation.makes:
            key = {"$ref": "#/components/parameters/IdempotencyKey"}
            operation.node.setdefault("parameters", []).append(key)
        _complete_answers(operation)
        examples.complete(document, operation.node)
    examples.publish(document)
    _link(document, found)
    used = {error for operation in found for error in _errors(operation)}
    document["components"]["examples"] = {
        error.code: _example(error) for error in sorted(used, key=lambda error: error.code)
    }


def _security(declared: access.Access) -> list[Node]:
    if declared.public:
        return []
    if declared.node:
        return [{"nodeToken": []}]
    return [{"bearer": []}] if declared.scope is None else [{"apiKey": []}, {"bearer": []}]


def _complete_answers(operation: Operation) -> None:
    """The good answers get their headers; the others are written from the error classes."""
    answers = operation.succeeds
    for status, answer in answers.items():
        answer.setdefault("headers", {}).update(_headers(_of_success(operation, status)))
    marks = _headers(iter(("X-API-Status",))) if operation.preview else {}
    by_status: dict[int, list[type[AppError]]] = defaultdict(list)
    for error in _errors(operation):
        by_status[error.status].append(error)
    for code, errors in sorted(by_status.items()):
        answers[str(code)] = _refusal(code, errors)
    for answer in answers.values():
        answer.setdefault("headers", {}).update(marks)
    operation.node["responses"] = answers


def _of_success(operation: Operation, status: str) -> Iterator[str]:
    yield from ("X-Request-Id", "RateLimit", "RateLimit-Policy")
    if status == "202":
        yield from ("Location", "Retry-After")
    if any(parameter.get("name") == "wait" for parameter in operation.node.get("parameters", [])):
        yield "Retry-After?"
    if operation.node["operationId"] == "createChatCompletion":
        yield "X-Ignored-Parameters?"


def _errors(operation: Operation) -> list[type[AppError]]:
    """In the order of their checks, each once."""
    found: list[type[AppError]] = [] if operation.declared.public else list(REFUSALS)
    found += ALWAYS
    if operation.declared.operator:
        found.append(NotFound)
    if "requestBody" in operation.node:
        found += BODY_REFUSALS
    if operation.makes:
        found += (IdempotencyKeyReused, IdempotencyInProgress, IdempotencyReplyLost)
    if "202" in operation.succeeds:
        found.append(Overloaded)
    found += operation.raised
    if any(error.__base__ is StorageUnavailable for error in found):
        found.remove(StorageUnavailable)  # the route has its own word for it
    return list(dict.fromkeys(found))


def _refusal(status: int, errors: list[type[AppError]]) -> Node:
    codes = [error.code for error in errors]
    narrowed = {"properties": {"error": {"properties": {"code": {"enum": codes}}}}}
    return {
        "description": " ".join(f"`{error.code}`: {error.message()}" for error in errors),
        "headers": _headers(_of_refusal(status)),
        "content": {
            "application/json": {
                "schema": {"allOf": [{"$ref": "#/components/schemas/Error"}, narrowed]},
                "examples": {code: {"$ref": f"#/components/examples/{code}"} for code in codes},
            }
        },
    }


def _of_refusal(status: int) -> Iterator[str]:
    yield "X-Request-Id"
    if status < 500:  # whoever is counted is told; what fails may fail before that
        yield from ("RateLimit", "RateLimit-Policy")
    if status == 401:
        yield "WWW-Authenticate"
    if status in (429, 503):
        yield "Retry-After"
    if status == 409:
        yield "Retry-After?"


HEADERS = {
    "X-Request-Id": "XRequestId",
    "RateLimit": "RateLimit",
    "RateLimit-Policy": "RateLimitPolicy",
    "Retry-After": "RetryAfter",
    "Retry-After?": "MayRetryAfter",
    "Location": "Location",
    "WWW-Authenticate": "WwwAuthenticate",
    "X-API-Status": "XApiStatus",
    "X-Ignored-Parameters?": "XIgnoredParameters",
}


def _headers(names: Iterator[str]) -> Node:
    return {name.rstrip("?"): {"$ref": f"#/components/headers/{HEADERS[name]}"} for name in names}


def _example(error: type[AppError]) -> Node:
    details = [{"field": "/query", "problem": "Missing data for required field."}]
    example = error(details=details if error is Invalid else ())
    return {"value": example.body("req_" + "a" * 26)}


def _link(document: Node, operations: list[Operation]) -> None:
    """From the answer that makes a thing to every operation whose path names it."""
    for operation in operations:
        for status in {"201", "202"} & operation.succeeds.keys():
            answer = operation.node["responses"][status]
            schema = answer["content"]["application/json"]["schema"]
            made = dict(_identifiers(document, schema, "$response.body#"))
            links = {
                other.node["operationId"]: {
                    "operationId": other.node["operationId"],
                    "parameters": {name: made[pattern]},
                }
                for other in operations
                for name, pattern in _named(document, other)
                if pattern in made and other.declared.public == operation.declared.public
            }
            if links:
                answer["links"] = links


def _named(document: Node, operation: Operation) -> Iterator[tuple[str, str]]:
    """Path parameters that are identifiers, with their patterns."""
    for parameter in document["paths"][operation.path].get("parameters", []):
        if "pattern" in parameter["schema"]:
            yield parameter["name"], parameter["schema"]["pattern"]


def _identifiers(document: Node, schema: Node, pointer: str) -> Iterator[tuple[str, str]]:
    """Pattern and address of each identifier `id` in an answer; a nested one stands for less."""
    properties = resolve(document, schema).get("properties", {})
    for name, child in properties.items():
        if name == "id" and "pattern" in child:
            yield child["pattern"], f"{pointer}/id"
        else:
            yield from _identifiers(document, child, f"{pointer}/{name}")
