"""The shapes that the tools take and give, as published: no nulls, no unions, closed objects."""

from typing import Annotated, Any, Final, Literal

from mcp.server.mcpserver import Context
from pydantic import BaseModel, ConfigDict, Field

from citegrid.nouns.search.metadata import CONDITION
from citegrid.nouns.search.searches import Depth, Status

Call = Context[Any, Any]
"""One call of a tool, one reading of a resource."""

DEFAULT_WAIT_SECONDS: Final = 25
MOST_WAIT_SECONDS: Final = 45
MOST_CALL_SECONDS: Final = 55
"""Of starting and waiting together: hosts give up on a call after 60."""

# The bounds are those of the server; tests/contract/test_agent_tools.py compares them.

Query = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2000,
        description="What to find out, as a full question in natural language.",
    ),
]
Corpora = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=80)]] | None,
    Field(min_length=1, max_length=20, description="Search only these corpora, by name."),
]
Where = Annotated[
    list[Annotated[str, Field(max_length=300, pattern=CONDITION)]] | None,
    Field(
        min_length=1,
        max_length=20,
        description="Search only documents of the user with this metadata: year=2026, year>2020.",
    ),
]
AskedDepth = Annotated[
    Depth, Field(description="How much is read: quick is fastest, deep reads most.")
]
MaxSources = Annotated[int, Field(ge=1, le=20, description="Most sources to use.")]
MaxExcerptChars = Annotated[
    int | None,
    Field(ge=0, le=4000, description="Most characters of excerpts of each source; else 1200."),
]
Domains = list[Annotated[str, Field(min_length=1, max_length=253)]] | None
IncludeDomains = Annotated[
    Domains, Field(max_length=20, description="Use only these domains, such as example.org.")
]
ExcludeDomains = Annotated[
    Domains, Field(max_length=20, description="Do not use these domains, such as example.org.")
]
Freshness = Annotated[
    str | None,
    Field(
        pattern=r"^([1-9][0-9]{0,3}[hdwm]|[1-9][0-9]{0,2}y)$",
        description="Use only pages this young: a number and h, d, w, m or y, such as 7d.",
    ),
]
SearchId = Annotated[
    str,
    Field(
        pattern="^[A-Za-z0-9_-]{1,64}$",
        description="A search_id that service_start_search, service_search or "
        "service_list_searches returned.",
    ),
]
WaitSeconds = Annotated[
    int,
    Field(
        ge=1,
        le=MOST_WAIT_SECONDS,
        description="Longest wait in seconds; the search goes on after it.",
    ),
]
WaitSecondsOrNone = Annotated[
    int,
    Field(
        ge=0,
        le=MOST_WAIT_SECONDS,
        description="0 answers at once; more waits so many seconds for the end.",
    ),
]
SourceOffset = Annotated[
    int, Field(ge=0, le=19, description="How many sources to skip, for a long result.")
]
SourceLimit = Annotated[int, Field(ge=1, le=20, description="Most sources to return.")]
ListedStatus = Annotated[
    Literal["any", "pending", "running", "completed", "failed", "cancelled"],
    Field(description="Only searches in this state."),
]
ListLimit = Annotated[int, Field(ge=1, le=100, description="Most searches to return.")]
Cursor = Annotated[
    str,
    Field(max_length=200, description="next_cursor of the page before; empty for the first page."),
]


class Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Progress(Shape):
    percent: int
    stage: str
    sources_found: int


LEAD: Final = "The part of text that answers; empty when all of it does."


class Quote(Shape):
    n: int = Field(description="The number of the [n] marks in the answer that it supports.")
    text: str = Field(description="Cut from the page word for word.")
    lead: str = Field(description=LEAD)
    headings: list[str] = Field(description="Headings above it, outermost first.")


class Excerpt(Shape):
    text: str
    lead: str = Field(description=LEAD)
    headings: list[str]
    score: float = Field(description="0 to 1 within this result.")


class Source(Shape):
    id: int = Field(description="The number of the source.")
    title: str
    url: str
    quality_score: float = Field(description="0 to 1.")
    published_at: str = Field(description="RFC 3339; empty when it is not known.")
    quotes: list[Quote]
    excerpts: list[Excerpt] = Field(description="What else of it fits best, word for word.")


class Search(Shape):
    search_id: str
    status: Status
    query: str
    created_at: str = Field(description="RFC 3339, as all times here.")
    completed_at: str = Field(description="Empty until the search is finished.")
    expires_at: str = Field(description="When the search and its answer are deleted.")
    progress: Progress
    answered: bool = Field(description="True when there is an answer.")
    state: str = Field(description="answered, perhaps, sources_disagree or no_answer.")
    confidence: float = Field(description="0 to 1: how probably the answer is right.")
    answer: str = Field(description="With [n] marks, each for the quotes numbered n.")
    sources: list[Source] = Field(description="Empty until it is completed.")
    sources_total: int
    truncated: bool = Field(
        description="True when something was left out; next_step says how to read it."
    )
    error_code: str = Field(description="Set when status is failed.")
    error_message: str
    resource_uri: str = Field(description="The same search as a resource.")
    next_step: str = Field(description="What to do now.")


class ListedSearch(Shape):
    search_id: str
    status: Status
    query: str = Field(description="Its first 200 characters.")
    created_at: str
    percent: int


class SearchList(Shape):
    searches: list[ListedSearch] = Field(description="Newest first.")
    next_cursor: str = Field(description="cursor of the next page; empty on the last.")
    next_step: str = Field(description="What to do now.")


class Cancelled(Shape):
    search_id: str
    status: Status
    outcome: Literal["cancelled", "cancel_requested", "already_finished"]
    next_step: str = Field(description="What to do now.")
