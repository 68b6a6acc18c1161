"""Every way a call can fail: one tree that mirrors the server's catalogue of errors.

A class is one `code` of the server, below the family of its HTTP status. A code this version does
not know is raised as its family, with `code` as the server sent it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


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


# Families, one for each status.


class BadRequest(ApiError):
    code, status = "bad_request", 400


class Unauthenticated(ApiError):
    code, status = "unauthenticated", 401


class PaymentRequired(ApiError):
    code, status = "payment_required", 402


class Forbidden(ApiError):
    code, status = "forbidden", 403


class NotFound(ApiError):
    code, status = "not_found", 404


class MethodNotAllowed(ApiError):
    code, status = "method_not_allowed", 405


class NotAcceptable(ApiError):
    code, status = "not_acceptable", 406


class Conflict(ApiError):
    code, status = "conflict", 409


class PayloadTooLarge(ApiError):
    code, status = "payload_too_large", 413


class UnsupportedMediaType(ApiError):
    code, status = "unsupported_media_type", 415


class Misdirected(ApiError):
    code, status = "misdirected", 421


class TooManyRequests(ApiError):
    code, status, retryable = "too_many_requests", 429, True


class BadGateway(ApiError):
    code, status, retryable = "bad_gateway", 502, True


class Unavailable(ApiError):
    code, status, retryable = "unavailable", 503, True


class GatewayTimeout(ApiError):
    code, status, retryable = "gateway_timeout", 504, True


# Codes: everywhere.


class ValidationFailed(BadRequest):
    code = "validation_failed"


class MalformedJson(BadRequest):
    code = "malformed_json"


class IdempotencyKeyReused(Conflict):
    code = "idempotency_key_reused"


class IdempotencyInProgress(Conflict):
    code, retryable = "idempotency_in_progress", True


class RateLimited(TooManyRequests):
    code = "rate_limited"


class UnknownHost(Misdirected):
    code = "unknown_host"


class TooManyStreams(TooManyRequests):
    code = "too_many_streams"


class Overloaded(Unavailable):
    code = "overloaded"


class StorageUnavailable(Unavailable):
    code = "storage_unavailable"


# Codes: credentials and accounts.


class AuthNoToken(Unauthenticated):
    code = "auth_no_token"


class AuthInvalidToken(Unauthenticated):
    code = "auth_invalid_token"


class AuthExpiredToken(Unauthenticated):
    code = "auth_expired_token"


class AuthRevokedToken(Unauthenticated):
    code = "auth_revoked_token"


class AuthInvalidCredentials(Unauthenticated):
    code = "auth_invalid_credentials"


class ApiKeyScope(Forbidden):
    code = "api_key_scope"


class SignUpClosed(Forbidden):
    code = "sign_up_closed"


class EmailTaken(Conflict):
    code = "email_taken"


class ApiKeyNotFound(NotFound):
    code = "api_key_not_found"


class ApiKeyInactive(Conflict):
    code = "api_key_inactive"


class RequestNotFound(NotFound):
    code = "request_not_found"


# Codes: searches.


class SearchNotFound(NotFound):
    code = "search_not_found"


class SourceNotFound(NotFound):
    code = "source_not_found"


# Codes: jobs.


class QueueNotFound(NotFound):
    code = "queue_not_found"


class WorkerNotFound(NotFound):
    code = "worker_not_found"


class WorkerNotGone(Conflict):
    code = "worker_not_gone"


class TaskNotFound(NotFound):
    code = "task_not_found"


class TaskNotRetriable(Conflict):
    code = "task_not_retriable"


class TaskNotOpen(Conflict):
    code = "task_not_open"


class BulkNotFound(NotFound):
    code = "bulk_not_found"


class JobNotFound(NotFound):
    code = "job_not_found"


class RunNotFound(NotFound):
    code = "run_not_found"


class NotScheduled(Conflict):
    code = "job_not_scheduled"


class RunInProgress(Conflict):
    code = "run_in_progress"


class SnapshotNotFound(NotFound):
    code = "snapshot_not_found"


class VerificationNotFound(NotFound):
    code = "verification_not_found"


class NoEngineConfigured(BadRequest):
    code = "no_engine_configured"


# Codes: webhooks.


class CampaignNotFound(NotFound):
    code = "campaign_not_found"


class CampaignState(Conflict):
    code = "campaign_state"


class RewardTooSmall(BadRequest):
    code = "reward_too_small"


class WebhookNotFound(NotFound):
    code = "webhook_not_found"


class DeliveryNotFound(NotFound):
    code = "delivery_not_found"


class WebhookDisabled(Conflict):
    code = "webhook_disabled"


class TooManyWebhooks(Conflict):
    code = "too_many_webhooks"


# Codes: disputes.


class RecordNotFound(NotFound):
    code = "record_not_found"


class DisputeWindowOver(Conflict):
    code = "dispute_window_over"


class AlreadyDisputed(Conflict):
    code = "already_disputed"


class DisputeLimit(TooManyRequests):
    code, retryable = "dispute_limit", True


# Codes: payouts.


class PayoutNotFound(NotFound):
    code = "payout_not_found"


class PayoutOpen(Conflict):
    code = "payout_open"


class InsufficientRewards(Conflict):
    code = "insufficient_rewards"


# Codes: nodes and their work.


class NodeNotFound(NotFound):
    code = "node_not_found"


class TooManyNodes(Conflict):
    code = "too_many_nodes"


class PauseStands(Conflict):
    code = "pause_stands"


class WorkNotFound(NotFound):
    code = "work_not_found"


class LeaseLost(Conflict):
    code = "lease_lost"


class ResultConflict(Conflict):
    code = "result_conflict"


# Codes: paid searches.


class PaymentMalformed(BadRequest):
    code = "payment_malformed"


class PaymentRefused(PaymentRequired):
    code = "payment_refused"


class InsufficientCredit(PaymentRequired):
    code = "insufficient_credit"


class PaymentFailed(PaymentRequired):
    code = "payment_failed"


class SearchAccessDenied(PaymentRequired):
    code = "search_access_denied"


class PaymentsDisabled(NotFound):
    code = "payments_disabled"


class PaymentConflict(Conflict):
    code = "payment_conflict"


class PaymentAlreadyUsed(Conflict):
    code = "payment_already_used"


class PaymentCheckUnavailable(Unavailable):
    code = "payment_check_unavailable"


class SettlementPending(Unavailable):
    code = "settlement_pending"


# Codes: memory.


class ApprovalRequired(BadRequest):
    code = "approval_required"


class PersonaNotFound(NotFound):
    code = "persona_not_found"


class MemoryNotFound(NotFound):
    code = "memory_not_found"


class PersonaFull(Conflict):
    code = "persona_full"


class MemoryExists(Conflict):
    code = "memory_exists"


class MemorySuperseded(Conflict):
    code = "memory_superseded"


class MemoriesUnreadable(Conflict):
    code = "memories_unreadable"


# Codes: providers.


class InvalidProfile(BadRequest):
    code = "invalid_profile"


class InvalidWebsite(BadRequest):
    code = "invalid_website"


class InvalidOfferName(BadRequest):
    code = "invalid_offer_name"


class InvalidAvatar(BadRequest):
    code = "invalid_avatar"


class ProviderHandleTaken(Conflict):
    code = "provider_handle_taken"


class ProfileRequired(Conflict):
    code = "profile_required"


class OfferNotFound(NotFound):
    code = "offer_not_found"


class ProviderNotFound(NotFound):
    code = "provider_not_found"


class ProviderOfferUnavailable(NotFound):
    code = "provider_offer_unavailable"


class AvatarNotFound(NotFound):
    code = "avatar_not_found"


class ProviderProfilesUnavailable(Unavailable):
    code = "provider_profiles_unavailable"


# Codes: leaving.


class ExportNotFound(NotFound):
    code = "export_not_found"


class ExportNotReady(Conflict):
    code = "export_not_ready"


class DeletionNotConfirmed(Forbidden):
    code = "deletion_not_confirmed"


class ObligationsOpen(Conflict):
    code = "obligations_open"


class BalanceRemains(Conflict):
    code = "balance_remains"


# Codes: chats.


class ModelMismatch(BadRequest):
    code = "model_mismatch"


class ProviderRefused(BadRequest):
    code = "provider_refused"


class PricingRevisionChanged(Conflict):
    code = "pricing_revision_changed"


class ProviderOfferBusy(Conflict):
    code = "provider_offer_busy"


class IdempotencyStreamEnded(Conflict):
    code = "idempotency_stream_ended"


class ChunkGap(Conflict):
    code = "chunk_gap"


class ClientTooSlow(ApiError):
    code, status = "client_too_slow", 408


class ProviderFailed(BadGateway):
    code, retryable = "provider_failed", False


class ProviderNotResponding(Unavailable):
    code, retryable = "provider_not_responding", False


class NoOfferAvailable(Unavailable):
    code = "no_offer_available"


class ChatUnavailable(Unavailable):
    code = "chat_unavailable"


def _with_subclasses(cls: type[ApiError]) -> Iterator[type[ApiError]]:
    yield cls
    for sub in cls.__subclasses__():
        yield from _with_subclasses(sub)


BY_CODE: dict[str, type[ApiError]] = {cls.code: cls for cls in _with_subclasses(ApiError)}
"""The class of each code that this version knows."""

FAMILIES: dict[int, type[ApiError]] = {cls.status: cls for cls in ApiError.__subclasses__()}
"""The class that stands for a whole status."""
