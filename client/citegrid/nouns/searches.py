"""Searches: ask, wait, read the answer and the pages it was cut from."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from citegrid.credentials import Access
from citegrid.decoding import decode
from citegrid.errors import CitegridError, StillRunning, UnusableAnswer
from citegrid.event_stream import ServerEvent
from citegrid.exchange import Pause, Produce, Steps
from citegrid.noun import M, Noun, iteration, operation, procedure, stream
from citegrid.paging import Page, page_of, walk
from citegrid.service import UNSET, Call, Watch, json_of

Depth = Literal["quick", "standard", "deep"]
Status = Literal["pending", "running", "completed", "failed", "cancelled"]

LONGEST_WAIT_SECONDS: Final = 30.0
PAUSE_SECONDS: Final = 1.0
FINISHED: Final = frozenset({"completed", "failed", "cancelled"})


@dataclass(frozen=True, slots=True)
class Accepted:
    """A search that was started."""

    id: str
    status: str


@dataclass(frozen=True, slots=True)
class Progress:
    percent: int
    stage: str
    sources_found: int


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a search failed; `code` is of the server's catalogue of errors."""

    code: str
    message: str
    retryable: bool


@dataclass(frozen=True, slots=True)
class Quality:
    """What makes a quality score, each 0 to 1; None where it is not known."""

    relevance: float | None
    authority: float | None
    freshness: float | None
    content: float | None
    agreement: float | None
    formula: str


@dataclass(frozen=True, slots=True)
class Source:
    """A page the answer rests on; `n` is its number, from 1."""

    n: int
    title: str
    url: str
    quality_score: float
    quality: Quality
    published_at: datetime | None
    fetched_at: datetime
    content_hash: str


@dataclass(frozen=True, slots=True)
class Citation:
    """One quote: marker `[n]` of the answer, cut from source number `source`.

    `quote == snapshot.text[start:end]` and `answer[answer_start:answer_end]` is what it supports;
    offsets count Unicode code points, as Python does.
    """

    n: int
    source: int
    quote: str
    start: int
    end: int
    prefix: str
    suffix: str
    answer_start: int
    answer_end: int
    match: str


@dataclass(frozen=True, slots=True)
class Stats:
    """How the answer came about; `seconds` for each stage."""

    engines: tuple[Mapping[str, Any], ...]
    pages_read: int
    seconds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Result:
    """The answer. `answered` is False when the sources do not answer the question."""

    answer: str
    answered: bool
    answer_mode: str
    sources: tuple[Source, ...]
    citations: tuple[Citation, ...]
    stats: Stats

    def source(self, n: int) -> Source | None:
        """The source of that number."""
        return next((source for source in self.sources if source.n == n), None)


@dataclass(frozen=True, slots=True)
class SearchSummary:
    """A search without its answer. `error` is there only when it failed."""

    id: str
    status: str
    query: str
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    expires_at: datetime
    deadline_at: datetime
    progress: Progress
    attempts: int
    warnings: tuple[str, ...]
    error: Failure | None = None

    @property
    def finished(self) -> bool:
        """Whether it will never change again."""
        return self.status in FINISHED


@dataclass(frozen=True, slots=True)
class Search(SearchSummary):
    """A search. `result` is there only when it is completed."""

    result: Result | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The stored text of a page as it was read."""

    url: str
    title: str | None
    text: str
    content_hash: str
    language: str | None
    published_at: datetime | None
    fetched_at: datetime


@dataclass(frozen=True, slots=True)
class SearchEvent:
    """Something moved: `event` is `status`, `progress` or `completed`; `search` with the last."""

    event: str
    id: str
    status: str
    progress: Progress | None = None
    search: Search | None = None


class SearchNotCompleted(CitegridError):
    """The search ended without an answer: it failed or was cancelled. `search` says how."""

    def __init__(self, search: Search) -> None:
        why = f": {search.error.message} ({search.error.code})" if search.error else ""
        super().__init__(f"{search.id} ended as {search.status}{why}")
        self.search = search


class Searches(Noun[M]):
    """`client.searches`"""

    @operation("POST", "/external/v1/search", Access.KEY, makes=True)
    def create(
        self,
        query: str,
        *,
        max_sources: int | None = None,
        depth: Depth | None = None,
        include_domains: Sequence[str] | None = None,
        exclude_domains: Sequence[str] | None = None,
        freshness: str | None = None,
        persona_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[Accepted]:
        """Start a search; it goes on whether or not anybody waits.

        `query` has 1 to 2,000 characters, `max_sources` is 1 to 20, `freshness` is like `7d` or
        `12h`. Two calls with one `idempotency_key` within 24 hours start one search.
        """
        body = {
            "query": query,
            "max_sources": UNSET if max_sources is None else max_sources,
            "depth": depth or UNSET,
            "include_domains": UNSET if include_domains is None else list(include_domains),
            "exclude_domains": UNSET if exclude_domains is None else list(exclude_domains),
            "freshness": UNSET if freshness is None else freshness,
            "persona_id": UNSET if persona_id is None else persona_id,
        }
        return Call(into=json_of(Accepted), body=body, idempotency_key=idempotency_key)

    @operation("GET", "/external/v1/search/{search_id}", Access.KEY)
    def get(self, search_id: str, *, wait: float | None = None) -> Call[Search]:
        """Read a search; with `wait` (0 to 30 seconds) held so long or until it is finished."""
        return Call(
            into=json_of(Search),
            path={"search_id": search_id},
            query={"wait": wait},
            held_seconds=wait or 0.0,
        )

    @operation("GET", "/external/v1/search", Access.KEY)
    def list(
        self, *, status: Status | None = None, limit: int | None = None, cursor: str | None = None
    ) -> Call[Page[SearchSummary]]:
        """One page of your searches, newest first; `limit` is 1 to 200."""
        return Call(
            into=page_of("searches", SearchSummary),
            query={"status": status, "limit": limit, "cursor": cursor},
        )

    @iteration
    def iterate(self, *, status: Status | None = None) -> Produce[SearchSummary]:
        """All of your searches, newest first, page after page."""
        return walk(
            lambda cursor: Searches.list.steps(self, status=status, limit=200, cursor=cursor)
        )

    @operation("POST", "/external/v1/search/{search_id}/cancel", Access.KEY, repeatable=True)
    def cancel(self, search_id: str) -> Call[Search]:
        """Cancel a search; a finished one is returned unchanged."""
        return Call(into=json_of(Search), path={"search_id": search_id})

    @stream("GET", "/external/v1/search/{search_id}/events", Access.KEY)
    def events(
        self, search_id: str, *, last_event_id: str | None = None, timeout: float | None = None
    ) -> Watch[SearchEvent]:
        """What happens to a search, until it is finished; goes on by itself after a break.

        Raises StillRunning when `timeout` seconds are over.
        """
        return Watch(
            id=search_id,
            into=_event,
            last="completed",
            path={"search_id": search_id},
            last_event_id=last_event_id,
            timeout=timeout,
        )

    @operation("GET", "/external/v1/search/{search_id}/sources/{n}/snapshot", Access.KEY)
    def snapshot(self, search_id: str, n: int) -> Call[Snapshot]:
        """The stored text of source number `n`, from which its quotes were cut."""
        return Call(into=json_of(Snapshot), path={"search_id": search_id, "n": n})

    @procedure
    def wait(self, search_id: str, *, timeout: float | None = None) -> Steps[Search]:
        """Wait until a search is finished, in whichever way, and return it.

        Without `timeout` (seconds), as long as it takes: the server ends every search by its
        deadline. Raises StillRunning when the time is up.
        """
        clock = self._service.policy.clock
        deadline = None if timeout is None else clock() + timeout
        while True:
            left = LONGEST_WAIT_SECONDS if deadline is None else max(deadline - clock(), 0.0)
            held = round(min(left, LONGEST_WAIT_SECONDS), 3)
            asked_at = clock()
            search = yield from Searches.get.steps(self, search_id, wait=held)
            if search.finished:
                return search
            if deadline is not None and clock() >= deadline:
                raise StillRunning(search_id)
            if clock() - asked_at < min(held, PAUSE_SECONDS):
                yield Pause(PAUSE_SECONDS)  # the server has no room for one more who waits

    @procedure
    def ask(
        self,
        query: str,
        *,
        max_sources: int | None = None,
        depth: Depth | None = None,
        include_domains: Sequence[str] | None = None,
        exclude_domains: Sequence[str] | None = None,
        freshness: str | None = None,
        persona_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Steps[Result]:
        """Start a search, wait for it and return its result.

        Raises SearchNotCompleted, and StillRunning after `timeout` seconds; its `id` reads the
        answer later.
        """
        accepted = yield from Searches.create.steps(
            self,
            query,
            max_sources=max_sources,
            depth=depth,
            include_domains=include_domains,
            exclude_domains=exclude_domains,
            freshness=freshness,
            persona_id=persona_id,
            idempotency_key=idempotency_key,
        )
        search = yield from Searches.wait.steps(self, accepted.id, timeout=timeout)
        if search.result is None:
            raise SearchNotCompleted(search)
        return search.result


@dataclass(frozen=True, slots=True)
class _Moved:
    id: str
    status: str
    percent: int | None = None
    stage: str = ""
    sources_found: int = 0


def _event(event: ServerEvent) -> SearchEvent:
    try:
        data = json.loads(event.data)
    except ValueError:
        data = None
    if data is None:
        raise UnusableAnswer("An event of the stream is not JSON.")
    if event.name == "completed":
        search = decode(Search, data)
        return SearchEvent(event.name, event.id, search.status, search.progress, search)
    moved = decode(_Moved, data)
    progress = None
    if moved.percent is not None:
        progress = Progress(moved.percent, moved.stage, moved.sources_found)
    return SearchEvent(event.name, event.id, moved.status, progress)
