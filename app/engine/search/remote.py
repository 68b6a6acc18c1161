"""An index outside of Postgres, as the rest of the product sees it.

What speaks to it is an optional extra, imported by name in a process that is configured for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from app.engine.search.interface import IndexedPassage, Retriever

Reason = Literal[
    "unreachable", "slow", "denied", "missing", "busy", "too large", "refused", "broken"
]
"""Why there is no answer: no connection or no trusted certificate; out of time; 401 or 403; 404;
429 or 503; 413; another 3xx or 4xx; another 5xx, or an answer that is too large or no JSON."""

_PASSING: Final = frozenset({"unreachable", "slow", "busy", "broken"})


class IndexFailed(Exception):
    """The index gave no usable answer. Names its host, never a path, a body or a credential."""

    def __init__(
        self, host: str, reason: Reason, detail: str = "", retry_after: int | None = None
    ) -> None:
        super().__init__(f"{host}: {reason}{f' ({detail})' if detail else ''}")
        self.reason: Reason = reason
        self.retry_after = retry_after

    @property
    def retryable(self) -> bool:
        return self.reason in _PASSING


@dataclass(frozen=True, slots=True)
class Addition:
    """A passage with its terms; the version is that of the change that added it."""

    passage: IndexedPassage
    terms: Sequence[str]
    version: int


@dataclass(frozen=True, slots=True)
class Removal:
    id: int
    version: int


@dataclass(frozen=True, slots=True)
class Bucket:
    """A run of passages: how many, and the sum of their digests."""

    passages: int
    digest: int


class RemoteIndex(Protocol):
    """One index by its name. Every method raises IndexFailed, and may be repeated."""

    def create(self) -> None:
        """Make it, unless it is there; searches see nothing of it."""

    def apply(self, changes: Iterable[Addition | Removal]) -> list[int]:
        """Send changes, of which the highest version of a passage wins in whatever order they come;
        the ids of passages that the index will never take."""

    def serve(self, alias: str) -> None:
        """Let all that was written be seen, and the alias stand for this index alone."""

    def drop(self) -> None:
        """Delete it, if it is there."""

    def buckets(self, width: int) -> Mapping[int, Bucket]:
        """Returns what it holds, by the first id of each run of `width`."""


class RemoteServer(Protocol):
    """The server of such indexes; threads may share it."""

    @property
    def host(self) -> str: ...

    def version(self) -> str:
        """As it names itself. Raises IndexFailed."""

    def index(self, name: str) -> RemoteIndex: ...

    def meant_by(self, alias: str) -> list[str]:
        """The indexes an alias stands for. Raises IndexFailed."""

    def retriever(self) -> Retriever:
        """Returns the retriever that searches; its methods raise IndexFailed."""
