"""The one way a fetch fails: a reason from a closed list."""

from typing import Final, Literal, get_args

Reason = Literal[
    # The address was refused before or while connecting.
    "invalid_url",
    "scheme_not_allowed",
    "credentials_not_allowed",
    "host_not_allowed",
    "port_not_allowed",
    "address_not_allowed",
    "robots_disallowed",
    "robots_unreachable",
    # The chain of redirects was refused.
    "redirect_downgrade",
    "too_many_redirects",
    # The answer was refused.
    "bad_response",
    "response_too_large",
    "unsupported_encoding",
    "unsupported_media_type",
    # No answer was had.
    "tls_failed",
    "dns_failed",
    "connect_failed",
    "timeout",
]

REASONS: Final[frozenset[Reason]] = frozenset(get_args(Reason))
_RETRYABLE: Final[frozenset[Reason]] = frozenset(
    {"dns_failed", "connect_failed", "timeout", "robots_unreachable"}
)


class FetchFailed(Exception):
    """Nothing usable was fetched.

    `reason` is the whole explanation. The message holds the host and the reason and nothing else:
    a URL may carry a secret, and a server's own words may carry anything.
    """

    def __init__(self, reason: Reason, host: str = "") -> None:
        super().__init__(f"{host}: {reason}" if host else reason)
        self.reason: Reason = reason
        self.host = host

    @property
    def retryable(self) -> bool:
        """True if the same fetch may succeed later; a refusal never will."""
        return self.reason in _RETRYABLE
