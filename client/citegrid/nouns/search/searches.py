"""Searches: ask, wait, read the answer and the pages it was cut from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from citegrid.errors import StillRunning, UnusableAnswer
from citegrid.noun import M, Noun, iteration, operation, procedure, stream
from citegrid.nouns.search.search_results import (
    Accepted,
    Progress,
    Result,
    Search,
    SearchEvent,
    SearchNotCompleted,
    SearchSummary,
    Snapshot,
)
from citegrid.pagination import Page, page_of, walk
from citegrid.profiles.credentials import Access
from citegrid.service import UNSET, Call, Watch, json_of
from citegrid.transport import untrusted_json
from citegrid.transport.codec import decode, identified
from citegrid.transport.event_stream import ServerEvent
from citegrid.transport.exchange import Pause, Produce, Steps

Depth = Literal["quick", "standard", "deep"]
Status = Literal["pending", "running", "completed", "failed", "cancelled"]

LONGEST_WAIT_SECONDS: Final = 30.0
PAUSE_SECONDS: Final = 1.0


class Searches(Noun[M]):
    """`client.searches`"""

    @operation("POST", "/external/v1/search", Access.KEY, makes=True)
    def create(
        self,
        query: str,
        *,
        max_sources: int | None = None,
        max_excerpt_chars: int | None = None,
        depth: Depth | None = None,
        include_domains: Sequence[str] | None = None,
        exclude_domains: Sequence[str] | None = None,
        freshness: str | None = None,
        persona_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[Accepted]:
        """Start a search; it goes on whether or not anybody waits.

        `query` has 1 to 2,000 characters, `max_sources` is 1 to 20, `freshness` is like `7d` or
        `12h`. `max_excerpt_chars` is 0 to 4,000: so many characters the excerpts of one source may
        have together. Two calls with one `idempotency_key` within 24 hours start one search.
        """
        body = {
            "query": query,
            "max_sources": UNSET if max_sources is None else max_sources,
            "max_excerpt_chars": UNSET if max_excerpt_chars is None else max_excerpt_chars,
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
        return reading(search_id, wait)

    @operation("GET", "/external/v1/search", Access.KEY)
    def list(
        self,
        *,
        status: Status | None = None,
        contains: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Call[Page[SearchSummary]]:
        """One page of your searches, newest first; `limit` is 1 to 200.

        `contains` leaves out those whose query does not hold these words.
        """
        query = {"status": status, "contains": contains, "limit": limit, "cursor": cursor}
        return Call(into=page_of("searches", SearchSummary), query=query)

    @iteration
    def iterate(
        self, *, status: Status | None = None, contains: str | None = None
    ) -> Produce[SearchSummary]:
        """All of your searches, newest first, page after page."""
        return walk(
            lambda cursor: Searches.list.steps(
                self, status=status, contains=contains, limit=200, cursor=cursor
            )
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
            into=read_event,
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

        def read(held: float) -> Steps[Search]:
            return Searches.get.steps(self, search_id, wait=held)

        return until_finished(search_id, read, self._service.policy.clock, timeout)

    @procedure
    def ask(
        self,
        query: str,
        *,
        max_sources: int | None = None,
        max_excerpt_chars: int | None = None,
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
            max_excerpt_chars=max_excerpt_chars,
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
        return identified(search.result, search.request_id)


def reading(search_id: str, wait: float | None) -> Call[Search]:
    """The call that reads a search."""
    return Call(
        into=json_of(Search),
        path={"search_id": search_id},
        query={"wait": wait},
        held_seconds=wait or 0.0,
    )


def until_finished(
    search_id: str,
    read: Callable[[float], Steps[Search]],
    clock: Callable[[], float],
    timeout: float | None,
) -> Steps[Search]:
    """Read, each time held for as long as the server allows, until the search is finished.

    Raises StillRunning after `timeout` seconds.
    """
    deadline = None if timeout is None else clock() + timeout
    while True:
        left = LONGEST_WAIT_SECONDS if deadline is None else max(deadline - clock(), 0.0)
        held = round(min(left, LONGEST_WAIT_SECONDS), 3)
        asked_at = clock()
        search = yield from read(held)
        if search.finished:
            return search
        if deadline is not None and clock() >= deadline:
            raise StillRunning(search_id)
        if clock() - asked_at < min(held, PAUSE_SECONDS):
            yield Pause(PAUSE_SECONDS)  # the server has no room for one more who waits


@dataclass(frozen=True, slots=True)
class _Moved:
    id: str
    status: str
    percent: int | None = None
    stage: str = ""
    sources_found: int = 0


def read_event(event: ServerEvent) -> SearchEvent:
    """What one event of the stream says. Raises UnusableAnswer."""
    try:
        data = untrusted_json.loads(event.data)
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
