"""One attempt to deliver a message, through the fetcher that judges each address at connect."""

import time
from dataclasses import dataclass
from typing import Final

from app.core import tracing
from app.core.config.allow_list import parse_allow_list
from app.core.config.settings import Settings
from app.domains.queue.webhooks import signatures
from app.engine.fetch import Fetcher, FetchFailed, FetchPolicy, Response
from app.engine.fetch.policy import user_agent
from app.engine.fetch.url import parse

ATTEMPT_SECONDS: Final = 15.0
_CONNECT_SECONDS: Final = 5.0
_READ_BYTES: Final = 4096
_KEPT_BYTES: Final = 1024
GONE: Final = 410

REFUSALS: Final = {
    "scheme_not_allowed": "Must be an https URL.",
    "credentials_not_allowed": "Must not contain a user name or password.",
    "host_not_allowed": "This host is not on the public internet.",
    "port_not_allowed": "Must use port 80 or 443.",
    "address_not_allowed": "This address is not on the public internet.",
}


@dataclass(frozen=True, slots=True)
class Message:
    """A message to be sent: `body` as it was fixed with its event, `secrets` as they are now."""

    id: str
    url: str
    body: bytes
    secrets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EndpointReply:
    """The reply of an endpoint: a status, or in `error` why there is none."""

    milliseconds: int
    status: int | None = None
    error: str | None = None
    text: str | None = None
    retry_after_seconds: float | None = None

    @property
    def accepted(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def gone(self) -> bool:
        """The receiver wants no more."""
        return self.status == GONE

    @property
    def timed_out(self) -> bool:
        return self.error == "timeout"


def policy(settings: Settings) -> FetchPolicy:
    """The policy of deliveries: what they may reach and cost."""
    return FetchPolicy(
        user_agent=user_agent(settings.fetch_contact),
        allow=parse_allow_list(settings.webhook_allow),
        media_types=None,
        max_body_bytes=_READ_BYTES,
        truncate=True,
        connect_seconds=_CONNECT_SECONDS,
        read_seconds=ATTEMPT_SECONDS,
        total_seconds=ATTEMPT_SECONDS,
    )


def refusal(url: str, policy: FetchPolicy) -> str | None:
    """Why nothing will be sent to `url`, as far as can be told without looking its name up."""
    try:
        _check(url, policy)
    except FetchFailed as failed:
        return REFUSALS.get(failed.reason, "Not a valid webhook URL.")
    return None


def _check(url: str, policy: FetchPolicy) -> None:
    """Plain http is for hosts that the operator vouches for."""
    target = parse(url, policy)
    if target.scheme != "https" and not target.listed:
        raise FetchFailed("scheme_not_allowed", target.host)


def send(fetcher: Fetcher, message: Message, request_id: str | None = None) -> EndpointReply:
    """POST it. A redirect is an answer like any other: nothing follows it.

    `request_id` is that of the request from which it came in the end.
    """
    began = time.monotonic()
    origin = {"X-Request-Id": request_id} if request_id else {}
    signed = signatures.headers(message.secrets, message.id, int(time.time()), message.body)
    try:
        _check(message.url, fetcher.policy)
        response = fetcher.request(
            "POST",
            message.url,
            headers={"Content-Type": "application/json", **signed, **origin, **tracing.headers()},
            body=message.body,
        )
    except FetchFailed as failed:
        return EndpointReply(_milliseconds(began), error=failed.reason)
    return EndpointReply(
        _milliseconds(began),
        status=response.status,
        error=None if 200 <= response.status < 300 else f"http_{response.status}",
        text=_text(response),
        retry_after_seconds=response.retry_after_seconds,
    )


def _milliseconds(began: float) -> int:
    return round((time.monotonic() - began) * 1000)


def _text(response: Response) -> str:
    """The beginning of the answer, as a table can hold it."""
    return response.body[:_KEPT_BYTES].decode("utf-8", "replace").replace("\0", "\ufffd")
