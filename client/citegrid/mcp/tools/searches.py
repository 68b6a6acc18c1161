"""The five tools: start, search and wait, get, list, cancel."""

import time
from typing import Annotated, Final, Unpack

from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult

from citegrid.client import AsyncClient
from citegrid.errors import CitegridError
from citegrid.mcp import shapes
from citegrid.mcp.connection import Connect
from citegrid.mcp.shapes import DEFAULT_WAIT_SECONDS, MOST_CALL_SECONDS, Call
from citegrid.mcp.tools import results
from citegrid.mcp.tools.tool import ClosedTool, done, failed, hints
from citegrid.mcp.tools.wait import waited
from citegrid.nouns.search.metadata import matching
from citegrid.nouns.search.search_results import Search
from citegrid.nouns.search.searches import SearchOptions


class SearchTools:
    """The functions behind the tools; their names and arguments are what hosts see."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect

    async def service_search(
        self,
        call: Call,
        query: shapes.Query,
        corpora: shapes.Corpora = None,
        where: shapes.Where = None,
        depth: shapes.AskedDepth = "quick",
        max_sources: shapes.MaxSources = 8,
        max_excerpt_chars: shapes.MaxExcerptChars = None,
        include_domains: shapes.IncludeDomains = None,
        exclude_domains: shapes.ExcludeDomains = None,
        freshness: shapes.Freshness = None,
        wait_seconds: shapes.WaitSeconds = DEFAULT_WAIT_SECONDS,
    ) -> Annotated[CallToolResult, shapes.Search]:
        until = time.monotonic() + MOST_CALL_SECONDS
        async with self._connect(call) as client:
            search, known = await _started(
                client,
                query,
                corpora=corpora,
                where=where,
                depth=depth,
                max_sources=max_sources,
                max_excerpt_chars=max_excerpt_chars,
                include_domains=include_domains,
                exclude_domains=exclude_domains,
                freshness=freshness,
            )
            if search is not None:
                seconds = min(wait_seconds, until - time.monotonic())
                known = results.shown(await waited(call, client, search, seconds))
        if known.status == "failed":
            why = f"Search {known.search_id} failed: {known.error_message}"
            return failed(f"[{known.error_code}] {why} {known.next_step}")
        return done(known)

    async def service_start_search(
        self,
        call: Call,
        query: shapes.Query,
        corpora: shapes.Corpora = None,
        where: shapes.Where = None,
        depth: shapes.AskedDepth = "standard",
        max_sources: shapes.MaxSources = 8,
        max_excerpt_chars: shapes.MaxExcerptChars = None,
        include_domains: shapes.IncludeDomains = None,
        exclude_domains: shapes.ExcludeDomains = None,
        freshness: shapes.Freshness = None,
    ) -> Annotated[CallToolResult, shapes.Search]:
        async with self._connect(call) as client:
            _, known = await _started(
                client,
                query,
                corpora=corpora,
                where=where,
                depth=depth,
                max_sources=max_sources,
                max_excerpt_chars=max_excerpt_chars,
                include_domains=include_domains,
                exclude_domains=exclude_domains,
                freshness=freshness,
            )
        return done(known)

    async def service_get_search(
        self,
        call: Call,
        search_id: shapes.SearchId,
        wait_seconds: shapes.WaitSecondsOrNone = 0,
        source_offset: shapes.SourceOffset = 0,
        source_limit: shapes.SourceLimit = 20,
    ) -> Annotated[CallToolResult, shapes.Search]:
        async with self._connect(call) as client:
            search = await client.searches.get(search_id)
            if wait_seconds and not search.finished:
                search = await waited(call, client, search, wait_seconds)
        return done(results.shown(search, source_offset, source_limit))

    async def service_list_searches(
        self,
        call: Call,
        status: shapes.ListedStatus = "any",
        limit: shapes.ListLimit = 20,
        cursor: shapes.Cursor = "",
    ) -> Annotated[CallToolResult, shapes.SearchList]:
        async with self._connect(call) as client:
            page = await client.searches.list(
                status=None if status == "any" else status, limit=limit, cursor=cursor or None
            )
        return done(results.listed(page))

    async def service_cancel_search(
        self, call: Call, search_id: shapes.SearchId
    ) -> Annotated[CallToolResult, shapes.Cancelled]:
        async with self._connect(call) as client:
            # The service answers alike for what it cancels now and what had ended before.
            search = await client.searches.get(search_id)
            if search.finished:
                return done(results.already(search))
            return done(results.stopped(await client.searches.cancel(search_id)))


async def _started(
    client: AsyncClient,
    query: str,
    corpora: list[str] | None,
    where: list[str] | None,
    **options: Unpack[SearchOptions],
) -> tuple[Search | None, shapes.Search]:
    """The new search as it is. Where it cannot be read, at least its id is not lost."""
    filter = matching(where) if where else None
    accepted = await client.searches.create(query, corpora=corpora, filter=filter, **options)
    try:
        search = await client.searches.get(accepted.id)
    except CitegridError:
        return None, results.accepted(accepted.id, accepted.status, query)
    return search, results.shown(search)


SEARCH: Final = (
    "Search the sources and wait briefly for an answer with quotes: best for a question that is "
    "wanted now. Returns the answer, or after wait_seconds status running and a search_id: go on "
    "with service_get_search then and do not search again. For long work use service_start_search."
)
START: Final = (
    "Start a search in the background and return its search_id at once, without the answer. Read "
    "it with service_get_search. A search is kept until its expires_at (30 days, unless the "
    "service is set otherwise)."
)
GET: Final = (
    "Progress of a search, or its answer with sources and quotes when it is completed. With "
    "wait_seconds it waits for the end instead of answering at once."
)
LIST: Final = (
    "The account's searches, newest first, without answers. Use it to find a search_id again, "
    "above all after a call that was interrupted."
)
CANCEL: Final = "Stop a pending or running search for good. A finished search is not changed."


def tools(connect: Connect) -> list[Tool]:
    """In the order hosts show them."""
    do, of = SearchTools(connect), ClosedTool.of
    return [
        of(do.service_search, "Search and wait", SEARCH, hints(reaches=True), described=False),
        of(
            do.service_start_search,
            "Start a search",
            START,
            hints(reaches=True),
            described=False,
        ),
        of(do.service_get_search, "Get a search", GET, hints(reads=True)),
        of(do.service_list_searches, "List searches", LIST, hints(reads=True)),
        of(
            do.service_cancel_search,
            "Cancel a search",
            CANCEL,
            hints(destroys=True, repeatable=True),
        ),
    ]
