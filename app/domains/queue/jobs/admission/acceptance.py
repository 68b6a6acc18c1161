"""Accepting work over HTTP: whether there is room for it, and the answer 202."""

from typing import Any, Final

from flask import current_app

from app.core.db import Tx
from app.core.http import caller
from app.domains.queue.jobs.kinds import Kind

POLL_SECONDS: Final = 1

Accepted = tuple[Any, int, dict[str, str]]


def admit(tx: Tx, kind: Kind, deadline_seconds: float | None = None) -> None:
    """Makes sure that a job of the caller has room. Raises Overloaded, RateLimited."""
    backpressure = current_app.extensions["backpressure"]
    backpressure.admit(tx, kind, caller().account_id, deadline_seconds)


def accepted(answer: Any, location: str) -> Accepted:
    """The answer, with the address at which to poll."""
    return answer, 202, {"Location": location, "Retry-After": str(POLL_SECONDS)}
