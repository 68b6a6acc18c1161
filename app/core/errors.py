"""Every way to fail that a caller can understand.

A class is one entry of the public catalogue: its `code` is the contract, its docstring is the
message, `retryable` says whether the same call may succeed later. `docs/reference/errors.md` is
printed from here.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, ClassVar, Final, NamedTuple, Self, TypeVar
from uuid import UUID

Found = TypeVar("Found")

MOST_DETAILS: Final = 20


class AppError(Exception):
    """Something went wrong on our side. The failure is logged under the request id."""

    code: ClassVar[str] = "internal_error"
    status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        *,
        details: Iterable[dict[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        retry_after: int | None = None,
        why: str = "",
    ) -> None:
        """`details` and `headers` go to the caller; `why` is for the log only.

        Of the details the first 20 are kept, of the others only how many there are.
        """
        remaining = iter(details)
        self.details = list(islice(remaining, MOST_DETAILS))
        self.details_omitted = sum(1 for _ in remaining)
        super().__init__(" ".join([self.message(), *map(_sentence, self.details[:1])]))
        self.headers = dict(headers or {})
        if retry_after is not None:
            self.headers["Retry-After"] = str(retry_after)
        self.why = why

    @classmethod
    def at(cls, field: str, problem: str) -> Self:
        """The error of one field, by its JSON pointer."""
        return cls(details=[{"field": field, "problem": problem}])

    @property
    def retry_after_seconds(self) -> float:
        """The least time to wait before the next try."""
        return float(self.headers.get("Retry-After", 0))

    @classmethod
    def message(cls) -> str:
        return " ".join((inspect.getdoc(cls) or "").split())

    def body(self, request_id: str) -> dict[str, Any]:
        error: dict[str, Any] = {"code": self.code, "message": str(self), "request_id": request_id}
        if self.details:
            error["details"] = self.details
        if self.details_omitted:
            error["details_omitted"] = self.details_omitted
        return {"error": error}


def _sentence(detail: Mapping[str, str]) -> str:
    """The first detail ends the message: many clients show nothing else."""
    return f"{detail['field']}: {detail['problem']}" if detail["field"] else detail["problem"]


def required(found: Found | None, otherwise: type[AppError] | LookupError) -> Found:
    """The value that was found. Raises `otherwise` for None."""
    if found is None:
        raise otherwise
    return found


class Invalid(AppError):
    """The request is invalid; `details` names each field."""

    code, status = "validation_failed", 400


class MalformedJson(AppError):
    """The body must be valid JSON: UTF-8, no duplicate keys, no NUL, nesting up to 64, no number
    beyond a double."""

    code, status = "malformed_json", 400


class EndedCredential(NamedTuple):
    """An API key or token of an account that is not accepted any more."""

    id: UUID
    account_id: UUID
    is_key: bool


class Unauthenticated(AppError):
    """The request has no credential. Send an API key or an access token."""

    code, status = "auth_no_token", 401
    ended: "EndedCredential | None" = None
    """What was sent, where it is known."""


class Forbidden(AppError):
    """This credential does not allow this operation."""

    code, status = "forbidden", 403


class NotFound(AppError):
    """Nothing exists at this address."""

    code, status = "not_found", 404


class MethodNotAllowed(AppError):
    """This address does not support this method. See the Allow header."""

    code, status = "method_not_allowed", 405


class NotAcceptable(AppError):
    """This address offers none of the media types in `Accept`."""

    code, status = "not_acceptable", 406


class Conflict(AppError):
    """The current state does not allow this operation."""

    code, status = "conflict", 409


class PayloadTooLarge(AppError):
    """The request body is too large."""

    code, status = "payload_too_large", 413


class UnsupportedMediaType(AppError):
    """The media type is none that is read here."""

    code, status = "unsupported_media_type", 415


class RateLimited(AppError):
    """Too many requests with this credential or from this address. Wait Retry-After seconds."""

    code, status, retryable = "rate_limited", 429, True


class Overloaded(AppError):
    """The server is overloaded. Try again after Retry-After seconds."""

    code, status, retryable = "overloaded", 503, True


class StorageUnavailable(AppError):
    """The database is temporarily unavailable. Nothing was changed. Try again."""

    code, status, retryable = "storage_unavailable", 503, True


class MalformedRequest(AppError):
    """The request is not valid HTTP/1.1. The server has closed the connection."""

    code, status = "malformed_request", 400


class RequestTimeout(AppError):
    """The request did not arrive in time. The server has closed the connection."""

    code, status, retryable = "request_timeout", 408, True


class UriTooLong(AppError):
    """The address, including its query, is too long."""

    code, status = "uri_too_long", 414


class ExpectationFailed(AppError):
    """The only supported value of `Expect` is `100-continue`."""

    code, status = "expectation_failed", 417


class HeaderTooLarge(AppError):
    """The request has too many header fields, or they are too long."""

    code, status = "header_too_large", 431


class TransferCodingUnknown(AppError):
    """The only supported transfer coding is `chunked`."""

    code, status = "transfer_coding_unknown", 501


def catalogue(cls: type[AppError] = AppError) -> Iterator[type[AppError]]:
    """Every error class that is loaded, parents before children, siblings by code."""
    yield cls
    for sub in sorted(cls.__subclasses__(), key=lambda c: c.code):
        yield from catalogue(sub)
