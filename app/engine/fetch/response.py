"""The response to a fetch."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_CHARSET = re.compile(r""";\s*charset\s*=\s*"?([A-Za-z0-9._:+-]{1,40})"?""", re.IGNORECASE)
_SECONDS = re.compile(r"[0-9]{1,9}")


def media_type_of(header: str) -> str:
    """Lower-case type/subtype of a Content-Type, empty without one; of several the last counts."""
    stated = [each for each in header.split(",") if "/" in each.partition(";")[0]]
    return stated[-1].partition(";")[0].strip().lower() if stated else ""


@dataclass(frozen=True, slots=True)
class Response:
    """One answer, whatever its status.

    `url` is the canonical URL that answered, after redirects. Header names are lower-case; equal
    names are joined with ", ". `body` is decoded: no gzip is left, not even of a gzip file.
    `truncated` says that the policy cut it. `charset` is what the server says, unchecked. `moved`:
    redirects led here, and each said that it is permanent.
    """

    status: int
    url: str
    headers: Mapping[str, str]
    body: bytes
    fetched_at: datetime
    conditional: bool = False
    truncated: bool = False
    moved: bool = False

    @property
    def media_type(self) -> str:
        """Lower-case type/subtype, empty when the server gave none."""
        return media_type_of(self.headers.get("content-type", ""))

    @property
    def charset(self) -> str | None:
        match = _CHARSET.search(self.headers.get("content-type", ""))
        return match[1].lower() if match else None

    @property
    def not_modified(self) -> bool:
        """The copy the caller has is still good: 304 to a conditional request."""
        return self.conditional and self.status == 304

    @property
    def retryable(self) -> bool:
        """True if the server asks to be asked again: 429 and 5xx."""
        return self.status == 429 or self.status >= 500

    @property
    def retry_after_seconds(self) -> float | None:
        """Retry-After (RFC 9110, 10.2.3), both forms; None when absent or unreadable."""
        text = self.headers.get("retry-after", "").strip()
        if _SECONDS.fullmatch(text):
            return float(text)
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return None
        # A date without a zone is GMT by the RFC.
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - self.fetched_at).total_seconds())
