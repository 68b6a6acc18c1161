"""A model behind HTTP that somebody waits for: bounded, checked, and left alone while it fails."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from app.core.breaker import Breaker
from app.engine.fetch.deadline import Deadline
from app.engine.origin import Origin, OriginFailed
from app.engine.semantic.inference import InferenceFailed

MOST_CHARACTERS: Final = 4_000  # of one text; what a model reads no further it cuts itself
_MOST_FAILURES: Final = 2  # in a row; then nobody waits

Result = TypeVar("Result")


class ModelService:
    """One service by its base URL; threads may share it.

    After two failures in a row it is left alone for half a minute: then nobody waits for it.
    """

    def __init__(self, url: str, key: str, *, max_bytes: int, fair_seconds: float) -> None:
        """Raises ValueError when `url` is not the base URL of a service.

        `fair_seconds` is how long a call must have been given for its timeout to count.
        """
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._origin = Origin(url, headers=headers, max_bytes=max_bytes)
        self._breaker = Breaker(_MOST_FAILURES, fair_seconds=fair_seconds)
        self.host = self._origin.host

    def __repr__(self) -> str:
        return f"ModelService({self.host!r})"

    def post(
        self, path: str, body: Any, read: Callable[[Any], Result], deadline: Deadline
    ) -> Result:
        """Returns what `read` makes of the answer. Raises InferenceFailed.

        `read` raises ValueError, with a message that may be logged, for any other shape.
        """
        try:
            left = deadline.left()
        except TimeoutError:
            raise InferenceFailed(f"{self.host}: slow") from None
        if not self._breaker.admits():
            raise InferenceFailed(f"{self.host}: left alone after failures")
        try:
            result = read(self._origin.post(path, body, seconds=left))
        except OriginFailed as failed:
            self._blame(failed, left)
            raise InferenceFailed(str(failed), retryable=failed.retryable) from None
        except ValueError as error:
            self._breaker.failed()
            raise InferenceFailed(f"{self.host}: {error}") from None
        self._breaker.worked()
        return result

    def _blame(self, failed: OriginFailed, seconds: float) -> None:
        if failed.reason == "slow":
            self._breaker.timed_out(seconds)
        elif failed.retryable:
            self._breaker.failed(failed.retry_after)
        else:
            self._breaker.worked()  # it is there, and refuses this request


def acceptable(text: str) -> str:
    """A text as services take it: bounded, and not empty, which is an error to some of them."""
    return text[:MOST_CHARACTERS].strip() or "-"
