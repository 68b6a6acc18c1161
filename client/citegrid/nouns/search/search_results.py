"""The results of reading searches: the answer, its sources, and the citations that join them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from citegrid.errors import CitegridError
from citegrid.nouns.failure import Failure
from citegrid.transport.codec import ApiObject

FINISHED: Final = frozenset({"completed", "failed", "cancelled"})


class AcceptedSearch(ApiObject):
    """A search that was started."""

    id: str
    status: str


class PageRead(ApiObject):
    """A page that a running search has read."""

    url: str
    title: str | None


class Progress(ApiObject):
    """The progress of a search. `pages` are at most 20 of those read, none once it is finished."""

    percent: int
    stage: str
    sources_found: int
    pages: tuple[PageRead, ...] = ()


class Quality(ApiObject):
    """The parts of a quality score, each 0 to 1; None where it is not known."""

    relevance: float | None
    authority: float | None
    freshness: float | None
    content: float | None
    agreement: float | None
    formula: str
    basis: Mapping[str, Any] | None = None  # the facts each part was computed from


class Excerpt(ApiObject):
    """The part of a source that matches the question best: `text == snapshot.text[start:end]`.

    `headings` are those of its sections, from the top down. `page` is the one of the document, None
    for what has no pages. `score` is 0 to 1, comparable within one result only, and not a
    probability.
    """

    text: str
    start: int
    end: int
    lead_start: int
    lead_end: int
    headings: tuple[str, ...]
    score: float
    page: int | None = None

    @property
    def lead(self) -> str:
        """The block of the text that fits best."""
        return self.text[self.lead_start - self.start : self.lead_end - self.start]


class Source(ApiObject):
    """A source of the answer; `n` is its number, from 1.

    `excerpts` are best first, and exist even if the question is not answered.
    """

    n: int
    title: str
    url: str
    quality_score: float
    quality: Quality
    published_at: datetime | None
    fetched_at: datetime
    content_hash: str
    excerpts: tuple[Excerpt, ...] = ()


class Citation(ApiObject):
    """One quote: marker `[n]` of the answer, cut from source number `source`.

    `quote == snapshot.text[start:end]` and `answer[answer_start:answer_end]` is what it supports;
    offsets count Unicode code points, as Python does. `support` is `verified` if the sentence
    repeats the quote, and `lexical` if only its numbers, names and most words are in the quote.
    Neither confirms that the quote is true. `snapshot.text[lead_start:lead_end]`, within the quote,
    is the part that answers. `headings` are those of its sections, outermost first. `page` is the
    one of the document, None for what has no pages.
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
    support: str
    lead_start: int | None = None
    lead_end: int | None = None
    headings: tuple[str, ...] = ()
    page: int | None = None

    @property
    def lead(self) -> str:
        """The block of the quote that answers; all of it where that is not known."""
        if self.lead_start is None or self.lead_end is None:
            return self.quote
        return self.quote[self.lead_start - self.start : self.lead_end - self.start]


class Contradiction(ApiObject):
    """Values that sources give differently, and the number of the citation that says each."""

    values: tuple[str, ...]
    citations: tuple[int, ...]


class Stats(ApiObject):
    """Statistics of the search; `seconds` for each stage.

    `pages` counts web pages by outcome; `model` has the `outcome`, `rounds`, `queries`, tokens,
    `cost` (if prices are set) and `sentences` of a model. `embedded` is the share of candidates
    that were compared by meaning.
    """

    engines: tuple[Mapping[str, Any], ...]
    pages_read: int
    seconds: Mapping[str, float]
    pages: Mapping[str, int] | None = None
    model: Mapping[str, Any] | None = None
    embedded: float | None = None


class UsedMemory(ApiObject):
    """A memory of the persona, used for the `ranking` of sources or for the `answer`."""

    id: str
    type: str
    used_for: str


class Result(ApiObject):
    """The answer. `answered` is False if the sources do not answer the question.

    `state` is `answered`, `no_answer`, `sources_disagree` if sources give different values, or
    `perhaps` if the answer may not be right. `confidence` estimates the probability
    that the answer shown is right, `sources_confidence` that the sources contain an answer at all.
    Older servers and results do not have them.
    `memories` is None if the search named no persona.
    """

    answer: str
    answered: bool
    answer_mode: str
    sources: tuple[Source, ...]
    citations: tuple[Citation, ...]
    contradictions: tuple[Contradiction, ...]
    stats: Stats
    confidence: float | None = None
    sources_confidence: float | None = None
    state: str | None = None
    memories: tuple[UsedMemory, ...] | None = None

    def source(self, n: int) -> Source | None:
        """The source of that number."""
        return next((source for source in self.sources if source.n == n), None)


class FollowedSearch(ApiObject):
    """The search that another one follows."""

    id: str
    query: str


class SearchSummary(ApiObject):
    """A search without its answer. `error` is there only when it failed; `follows` only when it is
    a follow-up; `answer_state` only when it is completed: `answered`, `perhaps`,
    `sources_disagree` or `no_answer`.
    """

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
    answer_state: str | None = None
    follows: FollowedSearch | None = None

    @property
    def finished(self) -> bool:
        """True if it will never change again."""
        return self.status in FINISHED


class Search(SearchSummary):
    """A search. `result` is there only when it is completed."""

    result: Result | None = None


class Snapshot(ApiObject):
    """The stored text of a page as it was read. `pages` are the starts in it of the pages of a
    document, None for what has no pages."""

    url: str
    title: str | None
    text: str
    content_hash: str
    language: str | None
    published_at: datetime | None
    fetched_at: datetime
    pages: tuple[int, ...] | None = None


class SearchEvent(ApiObject):
    """One event of a stream: `status`, `progress` or, with the search, `completed`."""

    event: str
    id: str
    status: str
    progress: Progress | None = None
    search: Search | None = None


class SearchNotCompleted(CitegridError):
    """The search failed or was cancelled. See `search` for details."""

    code = "search_not_completed"

    def __init__(self, search: Search) -> None:
        super().__init__(search)
        self.search, self.request_id = search, search.request_id

    def __str__(self) -> str:
        error = self.search.error
        why = f": {error.message} ({error.code})" if error else ""
        return f"{self.search.id} ended as {self.search.status}{why}"
