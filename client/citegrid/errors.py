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
                RequestTimeout
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
    """The base URL is invalid: it must be an https URL without credentials."""

    code = "invalid_base_url"


class InvalidArgument(CitegridError, ValueError):
    """An argument is invalid. No request was sent."""

    code = "invalid_argument"


class ConnectionFailed(CitegridError):
    """The server is unreachable, or the connection broke before the response was complete.

    `__cause__` is the underlying error, if there is one.
    """

    code, retryable = "connection_failed", True


class AnswerTimedOut(ConnectionFailed):
    """The server did not respond in time."""

    code = "answer_timed_out"


class DeadlineReached(CitegridError, TimeoutError):
    """The call, including retries, exceeded its deadline."""

    code = "deadline_reached"


class UnusableAnswer(CitegridError):
    """The response is invalid: too large, not JSON, or of an unknown shape."""

    code = "unusable_answer"


class InvalidSignature(CitegridError, ValueError):
    """The message signature is invalid or too old."""

    code = "invalid_signature"


class StillRunning(CitegridError, TimeoutError):
    """The wait has timed out and the work continues. Use `id` to read it later."""

    code = "still_running"

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.id = id

    def __str__(self) -> str:
        return f"{self.id} is still running; it was not cancelled."


@dataclass(frozen=True, slots=True)
class Detail:
    """One problem of a request: `field` is a JSON pointer, `problem` a sentence."""

    field: str
    problem: str


class ApiError(CitegridError):
    """The server rejected the request or failed. `request_id` identifies it in the server logs."""

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

    @property
    def explanation(self) -> str:
        """The message, with those problems of fields that it does not name itself."""
        listed = [f" {each.field or '/'}: {each.problem}" for each in self.details]
        return self.message + "".join(each for each in listed if not self.message.endswith(each))

    def __str__(self) -> str:
        request = f", request {self.request_id}" if self.request_id else ""
        return f"{self.explanation} ({self.code}{request})"


class BadRequest(ApiError):
    """400: the request is invalid; `details` names each field."""

    code, status = "bad_request", 400


class Unauthenticated(ApiError):
    """401: the credential is missing or invalid."""

    code, status = "unauthenticated", 401


class PaymentRequired(ApiError):
    """402: payment required, or not enough credit."""

    code, status = "payment_required", 402


class Forbidden(ApiError):
    """403: this credential does not allow the operation."""

    code, status = "forbidden", 403


class NotFound(ApiError):
    """404: not found, or not yours."""

    code, status = "not_found", 404


class ClientTooSlow(ApiError):
    """408: the client read a streamed answer too slowly."""

    code, status = "client_too_slow", 408


class RequestTimeout(ClientTooSlow):
    """The request did not arrive in time."""

    code, retryable = "request_timeout", True


class Conflict(ApiError):
    """409: the current state does not allow the operation."""

    code, status = "conflict", 409


class PayloadTooLarge(ApiError):
    """413: the request body is too large."""

    code, status = "payload_too_large", 413


class TooManyRequests(ApiError):
    """429: too many requests; `retry_after` says how long to wait."""

    code, status, retryable = "too_many_requests", 429, True


class BadGateway(ApiError):
    """502: an upstream service failed."""

    code, status, retryable = "bad_gateway", 502, True


class Unavailable(ApiError):
    """503: the service is temporarily unavailable."""

    code, status, retryable = "unavailable", 503, True


class GatewayTimeout(ApiError):
    """504: an upstream service did not answer in time."""

    code, status, retryable = "gateway_timeout", 504, True


class AuthInvalidCredentials(Unauthenticated):
    """The e-mail or the password is wrong."""

    code = "auth_invalid_credentials"


class AuthExpiredToken(Unauthenticated):
    """The access token has expired and could not be refreshed."""

    code = "auth_expired_token"


class AuthRevokedToken(Unauthenticated):
    """The token or key was revoked."""

    code = "auth_revoked_token"


class ApiKeyScope(Forbidden):
    """The API key lacks the required scope."""

    code = "api_key_scope"


class JobNotFound(NotFound):
    """No job with this id belongs to your account."""

    code = "job_not_found"


class IdempotencyInProgress(Conflict):
    """A request with this Idempotency-Key is still in progress."""

    code, retryable = "idempotency_in_progress", True


class ProfileRequired(Conflict):
    """Save a provider profile before you publish an offer."""

    code = "profile_required"


class ProviderFailed(BadGateway):
    """The computer that answers a chat failed."""

    code, retryable = "provider_failed", False


class Overloaded(Unavailable):
    """The server is overloaded."""

    code = "overloaded"


class ProviderNotResponding(Unavailable):
    """The provider did not answer the chat in time."""

    code, retryable = "provider_not_responding", False


FAMILIES: Final = {family.status: family for family in ApiError.__subclasses__()}
"""The class of each status that has one."""

BY_CODE: Final = {
    cls.code: cls for family in FAMILIES.values() for cls in (family, *family.__subclasses__())
}
"""The class of each code that has one."""
