"""Searches as the tools give them: bounded, without nulls, with the next step in words."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, Literal, cast

from citegrid.mcp import shapes
from citegrid.mcp.shapes import DEFAULT_WAIT_SECONDS
from citegrid.mcp.tools.tool import written
from citegrid.nouns.pagination import Page
from citegrid.nouns.search.search_results import (
    Citation,
    Excerpt,
    Result,
    Search,
    SearchSummary,
    Source,
)
from citegrid.nouns.search.searches import Status
from citegrid.transport.codec import timestamp

MOST_CHARACTERS: Final = 60_000
"""Of a whole result: hosts refuse more than 25,000 tokens."""
ANSWER_CHARACTERS: Final = 30_000
NEXT_STEP_CHARACTERS: Final = 600
LISTED_QUERY_CHARACTERS: Final = 200
MESSAGE_CHARACTERS: Final = 300
STAGE_CHARACTERS: Final = 80
TITLE_CHARACTERS: Final = 300

NOT_FINISHED: Final = (
    'Not finished. Call service_get_search with search_id "{id}" and wait_seconds '
    f"{DEFAULT_WAIT_SECONDS} to go on waiting. Do not start the same search again. "
    "service_cancel_search stops it."
)
ANSWERED: Final = "Finished. Cite the url of each source that you use."
DISAGREE: Final = (
    "Finished, but the sources disagree. Report each value with its source and do not pick one."
)
PERHAPS: Final = (
    "Finished, but the answer may not be right. Read the quotes and excerpts yourself; use it only "
    "if they answer the question, and say that it is uncertain."
)
NOT_ANSWERED: Final = (
    "Finished: no answer was found that is sure enough. Read the excerpts of the sources; if they "
    "do not answer the question either, say so, or ask a different question."
)
NO_SOURCES: Final = (
    "Finished: the sources do not answer the question. Say so, or ask a different question."
)
NONE_LISTED: Final = "There are none; service_start_search starts one."
CANCELLED: Final = "Cancelled. Start a new search if the answer is still needed."
FAILED: Final = {
    True: "Failed. A new search may succeed.",
    False: "Failed. Change the query before trying again.",
}
MORE: Final = (
    ' Shortened: for the other sources call service_get_search with search_id "{id}" and '
    "source_offset {offset}."
)
CUT: Final = " The answer is cut; the resource search://{id}/report has the whole of it."
PARTS_CUT: Final = " Some quotes or excerpts are left out; the resource search://{id} has all."

OUTCOMES: Final[dict[str, tuple[Literal["cancelled", "cancel_requested"], str]]] = {
    "cancelled": ("cancelled", "Stopped."),
    "running": ("cancel_requested", "Stopping; service_get_search shows when it has stopped."),
    "pending": ("cancel_requested", "Stopping; service_get_search shows when it has stopped."),
}
ALREADY: Final = {
    "completed": "It had finished before; read it with service_get_search.",
    "failed": "It had failed before; nothing was cancelled.",
    "cancelled": "It had been cancelled before.",
}


def accepted(id: str, status: str, query: str) -> shapes.Search:
    """A search of which no more is known than that it was started."""
    return shapes.Search(**_blank(id, status, query), next_step=NOT_FINISHED.format(id=id))


def _blank(id: str, status: str, query: str) -> dict[str, Any]:
    return {
        "search_id": id,
        "status": status,
        "query": query,
        "created_at": "",
        "completed_at": "",
        "expires_at": "",
        "progress": shapes.Progress(percent=0, stage="queued", sources_found=0),
        "answered": False,
        "state": "",
        "confidence": 0.0,
        "answer": "",
        "sources": [],
        "sources_total": 0,
        "truncated": False,
        "error_code": "",
        "error_message": "",
        "resource_uri": f"search://{id}",
    }


def shown(search: Search, offset: int = 0, limit: int = 20) -> shapes.Search:
    """At most MOST_CHARACTERS of JSON; sources from `offset`, as many of `limit` as fit."""
    known = _blank(search.id, search.status, search.query) | {
        "created_at": timestamp(search.created_at),
        "completed_at": _time(search.completed_at),
        "expires_at": timestamp(search.expires_at),
        "progress": shapes.Progress(
            percent=search.progress.percent,
            stage=search.progress.stage[:STAGE_CHARACTERS],
            sources_found=search.progress.sources_found,
        ),
    }
    if search.error is not None:
        known["error_code"] = search.error.code
        known["error_message"] = search.error.message[:MESSAGE_CHARACTERS]
    next_step = _next_step(search)
    if search.result is None:
        return shapes.Search(**known, next_step=next_step)
    return _with_result(known, search.result, next_step, range(offset, offset + limit))


def _time(moment: datetime | None) -> str:
    return "" if moment is None else timestamp(moment)


def _next_step(search: Search) -> str:
    if not search.finished:
        return NOT_FINISHED.format(id=search.id)
    if search.error is not None:
        return FAILED[search.error.retryable]
    if search.result is None:
        return CANCELLED
    if search.result.contradictions:
        return DISAGREE
    if search.result.answered:
        return PERHAPS if search.result.state == "perhaps" else ANSWERED
    return NOT_ANSWERED if search.result.sources else NO_SOURCES


def _with_result(
    known: dict[str, Any], result: Result, next_step: str, wanted: range
) -> shapes.Search:
    id, total = known["search_id"], len(result.sources)
    answer = _cut(result.answer, ANSWER_CHARACTERS)
    known |= {
        "answered": result.answered,
        "state": result.state or "",
        "confidence": result.confidence or 0.0,
        "answer": answer,
        "sources_total": total,
    }
    page = [_source(source, result) for source in result.sources[wanted.start : wanted.stop]]
    without = shapes.Search(**known, next_step=next_step)
    room = MOST_CHARACTERS - NEXT_STEP_CHARACTERS - len(written(without.model_dump(mode="json")))
    kept = _fitting(page, room)
    following = wanted.start + max(len(kept), 1)
    if following < total:
        next_step += MORE.format(id=id, offset=following)
    if answer != result.answer:
        next_step += CUT.format(id=id)
    if kept != page[: len(kept)]:
        next_step += PARTS_CUT.format(id=id)
    truncated = next_step != without.next_step
    return without.model_copy(
        update={"sources": kept, "truncated": truncated, "next_step": next_step}
    )


def _cut(text: str, most: int) -> str:
    """As much of the text as takes `most` characters of JSON."""
    while (size := len(written(text))) > most:
        text = text[: min(len(text) * most // size, len(text) - 1)]
    return text


def _source(source: Source, result: Result) -> shapes.Source:
    cited = [citation for citation in result.citations if citation.source == source.n]
    return shapes.Source(
        id=source.n,
        title=source.title[:TITLE_CHARACTERS],
        url=source.url,
        quality_score=source.quality_score,
        published_at=_time(source.published_at),
        quotes=[_quote(x) for x in cited],
        excerpts=[_excerpt(x) for x in source.excerpts if not _quoted(x, cited)],
    )


def _quote(cited: Citation) -> shapes.Quote:
    return shapes.Quote(
        n=cited.n,
        text=cited.quote,
        lead=_lead(cited.quote, cited.lead),
        headings=list(cited.headings),
    )


def _lead(text: str, lead: str) -> str:
    return "" if lead == text else lead


def _excerpt(excerpt: Excerpt) -> shapes.Excerpt:
    return shapes.Excerpt(
        text=excerpt.text,
        lead=_lead(excerpt.text, excerpt.lead),
        headings=list(excerpt.headings),
        score=excerpt.score,
    )


def _quoted(excerpt: Excerpt, cited: Sequence[Citation]) -> bool:
    """True if a quote holds it: nothing is read twice."""
    return any(x.start <= excerpt.start and excerpt.end <= x.end for x in cited)


def _fitting(sources: Sequence[shapes.Source], room: int) -> list[shapes.Source]:
    """The first ones that fit; the very first loses excerpts and quotes rather than be left out."""
    kept: list[shapes.Source] = []
    for source in sources:
        while (size := _size(source)) > room and not kept and (shorter := _shorter(source)):
            source = shorter
        if size > room:
            break
        kept.append(source)
        room -= size
    return kept


def _shorter(source: shapes.Source) -> shapes.Source | None:
    """Without its last excerpt, or, when it has none, without its last quote."""
    if source.excerpts:
        return source.model_copy(update={"excerpts": source.excerpts[:-1]})
    if source.quotes:
        return source.model_copy(update={"quotes": source.quotes[:-1]})
    return None


def _size(source: shapes.Source) -> int:
    return len(written(source.model_dump(mode="json"))) + 1


def listed(page: Page[SearchSummary]) -> shapes.SearchList:
    rows = [
        shapes.ListedSearch(
            search_id=search.id,
            status=cast(Status, search.status),
            query=search.query[:LISTED_QUERY_CHARACTERS],
            created_at=timestamp(search.created_at),
            percent=search.progress.percent,
        )
        for search in page
    ]
    next_step = "Read one with service_get_search." if rows else NONE_LISTED
    return shapes.SearchList(searches=rows, next_cursor=page.next_cursor or "", next_step=next_step)


def already(search: Search) -> shapes.Cancelled:
    """Returns the result of cancelling a search that was finished before."""
    return shapes.Cancelled(
        search_id=search.id,
        status=cast(Status, search.status),
        outcome="already_finished",
        next_step=ALREADY[search.status],
    )


def stopped(search: Search) -> shapes.Cancelled:
    """Returns what the service says after it was told to cancel."""
    if search.status not in OUTCOMES:  # it finished in between
        return already(search)
    outcome, next_step = OUTCOMES[search.status]
    return shapes.Cancelled(
        search_id=search.id,
        status=cast(Status, search.status),
        outcome=outcome,
        next_step=next_step,
    )


def report(search: Search, result: Result) -> str:
    """The answer with its sources, their quotes and other excerpts, as Markdown."""
    step = _next_step(search)
    doubt = [step, ""] if step in (DISAGREE, PERHAPS) else []
    lines = [f"# {search.query}", "", *doubt, result.answer, "", "## Sources", ""]
    for source in result.sources:
        cited = [citation for citation in result.citations if citation.source == source.n]
        others = [excerpt for excerpt in source.excerpts if not _quoted(excerpt, cited)]
        title = _line(source.title).replace("[", "\\[").replace("]", "\\]")
        lines.append(f"{source.n}. [{title}](<{source.url}>)")
        lines += [f"    > [{citation.n}] {_line(citation.quote)}" for citation in cited]
        lines += [f"    > {_line(excerpt.text)}" for excerpt in others]
    return "\n".join(lines) + "\n"


def _line(text: str) -> str:
    return " ".join(text.split())
