"""Every way a call can fail.

    CitegridError
        InvalidBaseUrl, InvalidArgument, InvalidSignature
        ConnectionFailed
            AnswerTimedOut
        DeadlineReached, StillRunning, UnusableAnswer
        ApiError
            BadRequest
            Unauthenticated
                AuthInvalidCredentials, AuthExpiredToken, AuthRevokedToken
            PaymentRequired
            Forbidden
                ApiKeyScope
            NotFound
                JobNotFound
            ClientTooSlow
            Conflict
                IdempotencyInProgress, ProfileRequired
            PayloadTooLarge, TooManyRequests
            BadGateway
                ProviderFailed
            Unavailable
                Overloaded, ProviderNotResponding
            GatewayTimeout

What the server refuses is the class of its HTTP status, with `code` as the server sent it; a few
codes have a class of their own below it. A status without a class is ApiError itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


class CitegridError(Exception):
    """Anything that this package raises by itself.

    `code` is for programs. `request_id` names the request in the server's logs, where one was
    answered.
    """

    code: str = "failed"
    retryable: bool = False
    retry_after: float | None = None
    """In seconds."""
    request_id: str | None = None


class InvalidBaseUrl(CitegridError, ValueError):
    """The base URL cannot be used: not https, with credentials in it, or no URL at all."""

    code = "invalid_base_url"


class InvalidArgument(CitegridError, ValueError):
    """An argument could not be sent at all; the server was not asked."""

    code = "invalid_argument"


class ConnectionFailed(CitegridError):
    """The server could not be reached, or the connection broke before the answer was whole.

    `__cause__` is what the system or the protocol said, where it said something.
    """

    code, retryable = "connection_failed", True


class AnswerTimedOut(ConnectionFailed):
    """The server was reached, or nobody knows, but did not answer in time."""

    code = "answer_timed_out"


class DeadlineReached(CitegridError, TimeoutError):
    """The call was not answered within its deadline, retries included."""

    code = "deadline_reached"


class UnusableAnswer(CitegridError):
    """The answer is not what this operation answers: too large, not JSON, or of another form."""

    code = "unusable_answer"


class InvalidSignature(CitegridError, ValueError):
    """This is no message of the server that has the secret, or it is not of now."""

    code = "invalid_signature"


class StillRunning(CitegridError, TimeoutError):
    """The time to wait is over; the work goes on. `id` reads it later."""

    code = "still_running"

    def __init__(self, id: str) -> None:
        super().__init__(f"{id} is still running; it was not cancelled.")
        self.id = id


@dataclass(frozen=True, slots=True)
class Detail:
    """One problem of a request: `field` is a JSON pointer, `problem` a sentence."""

    field: str
    problem: str


class ApiError(CitegridError):
    """The server refused or failed. `request_id` names the request in its logs."""

    code = "internal_error"
    status: int = 500

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        status: int | None = None,
        retryable: bool | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        details: Sequence[Detail] = (),
    ) -> None:
        """`retry_after` in seconds. What is not given is what the class says."""
        super().__init__(message)
        self.message = message
        self.code = self.code if code is None else code
        self.status = self.status if status is None else status
        self.retryable = self.retryable if retryable is None else retryable
        self.request_id = request_id
        self.retry_after = retry_after
        self.details = tuple(details)

    def __str__(self) -> str:
        problems = "".join(f" {each.field or '/'}: {each.problem}" for each in self.details)
        request = f", request {self.request_id}" if self.request_id else ""
        return f"{self.message}{problems} ({self.code}{request})"


class BadRequest(ApiError):
    """400: the request is wrong; `details` says where."""

    code, status = "bad_request", 400


class Unauthenticated(ApiError):
    """401: no credential was sent, or one that is not accepted."""

    code, status = "unauthenticated", 401


class PaymentRequired(ApiError):
    """402: it is to be paid for, or the account cannot pay for it."""

    code, status = "payment_required", 402


class Forbidden(ApiError):
    """403: this credential may not do that."""

    code, status = "forbidden", 403


class NotFound(ApiError):
    """404: it is not there, or not yours."""

    code, status = "not_found", 404


class ClientTooSlow(ApiError):
    """408: an answer that comes in pieces was read too slowly."""

    code, status = "client_too_slow", 408


class Conflict(ApiError):
    """409: the present state does not allow it."""

    code, status = "conflict", 409


class PayloadTooLarge(ApiError):
    """413: the body is larger than this operation takes."""

    code, status = "payload_too_large", 413


class TooManyRequests(ApiError):
    """429: too many requests; `retry_after` says how long to wait."""

    code, status, retryable = "too_many_requests", 429, True


class BadGateway(ApiError):
    """502: something behind the server failed."""

    code, status, retryable = "bad_gateway", 502, True


class Unavailable(ApiError):
    """503: the server cannot do it now."""

    code, status, retryable = "unavailable", 503, True


class GatewayTimeout(ApiError):
    """504: something behind the server did not answer in time."""

    code, status, retryable = "gateway_timeout", 504, True


class AuthInvalidCredentials(Unauthenticated):
    """The e-mail or the password is wrong."""

    code = "auth_invalid_credentials"


class AuthExpiredToken(Unauthenticated):
    """The access token has ended, and could not be refreshed."""

    code = "auth_expired_token"


class AuthRevokedToken(Unauthenticated):
    """The token or key was revoked."""

    code = "auth_revoked_token"


class ApiKeyScope(Forbidden):
    """The API key lacks the scope that this takes."""

    code = "api_key_scope"


class JobNotFound(NotFound):
    """There is no such job, or it is not yours."""

    code = "job_not_found"


class IdempotencyInProgress(Conflict):
    """The first request with this Idempotency-Key is not answered yet."""

    code, retryable = "idempotency_in_progress", True


class ProfileRequired(Conflict):
    """An offer can be published once a provider profile is saved."""

    code = "profile_required"


class ProviderFailed(BadGateway):
    """The computer that answers a chat failed."""

    code, retryable = "provider_failed", False


class Overloaded(Unavailable):
    """The server has no room for this now."""

    code = "overloaded"


class ProviderNotResponding(Unavailable):
    """The computer that was to answer a chat said nothing in time."""

    code, retryable = "provider_not_responding", False


FAMILIES: Final = {family.status: family for family in ApiError.__subclasses__()}
"""The class of each status that has one."""

BY_CODE: Final = {
    cls.code: cls for family in FAMILIES.values() for cls in (family, *family.__subclasses__())
}
"""The class of each code that has one."""
