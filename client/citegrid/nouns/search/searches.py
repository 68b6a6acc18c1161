"""Searches: ask, wait, read the answer and the pages it was cut from."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, TypedDict, Unpack

from citegrid.calls import Call, Watch, json_of
from citegrid.nouns.noun import M, Noun, operation, procedure, stream
from citegrid.nouns.pagination import Page, PageOptions, every, page_of
from citegrid.nouns.polling import read_event, until_finished
from citegrid.nouns.search.search_results import (
    AcceptedSearch,
    Progress,
    Result,
    Search,
    SearchEvent,
    SearchNotCompleted,
    SearchSummary,
    Snapshot,
)
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import identified
from citegrid.transport.exchange import Steps

Depth = Literal["quick", "standard", "deep"]
Status = Literal["pending", "running", "completed", "failed", "cancelled"]


class SearchOptions(TypedDict, total=False):
    """The options that narrow any search; the server knows what each is where it is not given."""

    max_sources: int | None
    max_excerpt_chars: int | None
    depth: Depth | None
    include_domains: Sequence[str] | None
    exclude_domains: Sequence[str] | None
    freshness: str | None


class AskOptions(SearchOptions, total=False):
    """The options that searches of an account take besides: where it asks, and as whom."""

    corpora: Sequence[str] | None
    filter: Mapping[str, Any] | None
    follows: str | None
    persona_id: str | None


search_event: Final = partial(read_event, SearchEvent, Search, Progress)


class Searches(Noun[M]):
    """`client.searches`"""

    @operation("POST", "/external/v1/search", Access.KEY, makes=True)
    def create(
        self,
        query: str,
        *,
        idempotency_key: str | None = None,
        **options: Unpack[AskOptions],
    ) -> Call[AcceptedSearch]:
        """Start a search; it continues even if nobody waits for it.

        `query` has 1 to 2,000 characters, `max_sources` is 1 to 20, `freshness` is like `7d` or
        `12h`. `corpora` are names or ids of corpora to search; without it, all of yours and of the
        server are. `filter` searches only documents of yours whose metadata meets it, such as
        `{"and": [{"field": "year", "gt": 2020}]}`; conditions are `eq`, `in`, `gt`, `lt` and
        `exists`. `follows` is the id of a search of yours that the query refers to: its query is
        searched for as well. `max_excerpt_chars`, 0 to 4,000, limits the length of all excerpts of
        a source together. Two calls with one `idempotency_key` within 24 hours start one search.
        """
        return Call(json_of(AcceptedSearch))

    @operation("GET", "/external/v1/search/{search_id}", Access.KEY)
    def get(self, search_id: str, *, wait: float | None = None) -> Call[Search]:
        """Read a search; with `wait` (0 to 30), the server answers when it is finished, or after
        that many seconds."""
        return Call(json_of(Search), held_seconds=wait or 0.0)

    @operation("GET", "/external/v1/search", Access.KEY)
    def list(
        self,
        *,
        status: Status | None = None,
        contains: str | None = None,
        **page: Unpack[PageOptions],
    ) -> Call[Page[SearchSummary]]:
        """One page of your searches, newest first; `limit` is 1 to 200.

        `contains` keeps only searches whose query has these words.
        """
        return Call(page_of("searches", SearchSummary))

    iterate = every(list, "All of your searches, newest first, page after page.")

    @operation("POST", "/external/v1/search/{search_id}/cancel", Access.KEY, repeatable=True)
    def cancel(self, search_id: str) -> Call[Search]:
        """Cancel a search; a finished one is returned unchanged."""
        return Call(json_of(Search))

    @stream("GET", "/external/v1/search/{search_id}/events", Access.KEY)
    def events(
        self, search_id: str, *, last_event_id: str | None = None, timeout: float | None = None
    ) -> Watch[SearchEvent]:
        """Events of a search until it is finished; reconnects after an interruption.

        Raises StillRunning when `timeout` seconds are over.
        """
        return Watch(search_event, last="completed")

    @operation("GET", "/external/v1/search/{search_id}/sources/{n}/snapshot", Access.KEY)
    def snapshot(self, search_id: str, n: int) -> Call[Snapshot]:
        """The stored text of source number `n`, from which its quotes were cut."""
        return Call(json_of(Snapshot))

    @procedure
    def wait(self, search_id: str, *, timeout: float | None = None) -> Steps[Search]:
        """Wait until a search is completed, failed or cancelled, and return it.

        Without `timeout` (seconds), as long as it takes: the server ends every search by its
        deadline. Raises StillRunning when the time is over.
        """

        def read(held: float) -> Steps[Search]:
            return Searches.get.steps(self, search_id, wait=held)

        return until_finished(search_id, read, self._service.policy.clock, timeout)

    @procedure
    def ask(
        self,
        query: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        **options: Unpack[AskOptions],
    ) -> Steps[Result]:
        """Start a search, wait for it and return its result.

        Raises SearchNotCompleted, and StillRunning after `timeout` seconds; its `id` reads the
        answer later.
        """
        accepted = yield from Searches.create.steps(
            self, query, idempotency_key=idempotency_key, **options
        )
        search = yield from Searches.wait.steps(self, accepted.id, timeout=timeout)
        if search.result is None:
            raise SearchNotCompleted(search)
        return identified(search.result, search.request_id)
