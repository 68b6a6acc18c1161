"""The options of single calls: another timeout, other retries, further headers."""

import re
from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Final

from citegrid.errors import InvalidArgument
from citegrid.transport.exchange import Policy

# These belong to the call itself: it would be another one, or another caller's, with others.
RESERVED: Final = frozenset(
    {
        "accept",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "idempotency-key",
        "last-event-id",
        "payment-signature",
        "transfer-encoding",
        "x-api-key",
    }
)
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # a token of RFC 9110
_VALUE: Final = re.compile(r"[!-~](?:[ \t!-~]*[!-~])?|")


def adapted(policy: Policy, timeout: float | None, retries: int | None) -> Policy:
    """The policy with these in it, where they are given. Raises InvalidArgument."""
    if timeout is not None:
        if not 0 < timeout < inf:
            raise InvalidArgument("timeout must be more than 0 seconds.")
        policy = replace(policy, deadline_seconds=timeout, read_seconds=timeout)
    if retries is not None:
        if retries < 0:
            raise InvalidArgument("retries must be 0 or more.")
        policy = replace(policy, retries=retries)
    return policy


def merged(headers: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """The headers, with those that were given in place of others of the same name.

    Raises InvalidArgument, which names a header and never its value.
    """
    for name in given:
        if name.lower() in RESERVED:
            raise InvalidArgument(f"The header {name} is set by the client itself.")
    check(given)
    replaced = {name.lower() for name in given}
    kept = {name: value for name, value in headers.items() if name.lower() not in replaced}
    return kept | dict(given)


def check(headers: Mapping[str, str]) -> None:
    """Raises InvalidArgument for what no header can hold; it names a header and never its value."""
    for name, value in headers.items():
        if not (_NAME.fullmatch(name) and _VALUE.fullmatch(value)):
            raise InvalidArgument(f"The header {name!r} cannot be sent.")
