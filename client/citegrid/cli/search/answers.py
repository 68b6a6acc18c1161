"""A search for a person: the answer, where each of its markers leads, what the sources say."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from citegrid.cli.exits import Exit
from citegrid.cli.terminal import Terminal, line
from citegrid.nouns.search.search_results import (
    Citation,
    Excerpt,
    Result,
    Search,
    SearchSummary,
    Source,
)

DOUBTS = {
    "sources_disagree": "Sources disagree: {}",
    "perhaps": "Perhaps: these passages come nearest to the question, but may not answer it.",
}
MOST_QUOTE = 300
CLOSEST = 3


def show(terminal: Terminal, search: Search, *, sources: bool = False) -> Exit:
    """Write the search, with every source and its excerpts if wanted; returns how good it is."""
    if terminal.as_json:
        terminal.json(search)
    elif search.result is None:
        terminal.text(state(search))
    else:
        _result(terminal, search.result, sources=sources)
    for warning in search.warnings:
        terminal.say(f"warning: {warning}")
    if search.result is not None and search.result.citations:
        terminal.suggest(f"citegrid open {search.id} NUMBER", "\nto show a quote in its page")
    elif search.result is not None and search.result.sources and not sources:
        terminal.suggest(f"citegrid search get {search.id} --sources", "\nto show the sources")
    return verdict(search)


def verdict(search: Search) -> Exit:
    """WEAK for an answer that scripts may want to refuse."""
    if search.result is not None and search.result.state in DOUBTS:
        return Exit.WEAK
    if search.result is None:
        return Exit.FAILED if search.finished else Exit.DONE
    # Not by warnings: they tell of a part of the service that was missing, not of the answer.
    sure = search.result.answered and search.result.citations
    return Exit.DONE if sure else Exit.WEAK


def state(search: SearchSummary) -> str:
    if search.error is not None:
        return f"{search.id} {search.status}: {search.error.message} ({search.error.code})"
    if search.finished:
        return f"{search.id} {search.status}"
    return f"{search.id} {search.status}: {search.progress.stage}, {search.progress.percent} %"


def _result(terminal: Terminal, result: Result, *, sources: bool) -> None:
    quotes: dict[int, list[Citation]] = defaultdict(list)
    for citation in result.citations:
        quotes[citation.source].append(citation)
    cited = [source for source in result.sources if source.n in quotes]
    if result.state in DOUBTS:  # read before the answer, and wherever that is written to
        terminal.text(DOUBTS[result.state].format(_said_differently(result)))
        terminal.text()
    terminal.emphasised(result.answer, list(_leads(result)))
    if result.answered and result.confidence is not None:
        terminal.text()
        terminal.text(f"confidence {result.confidence:.2f}")
    for source in result.sources if sources else cited or result.sources[:CLOSEST]:
        terminal.text()
        _source(terminal, source)
        cuts: Sequence[Citation | Excerpt] = quotes[source.n]
        if not (cited or sources):
            cuts = source.excerpts[:1]
        for cut in cuts:
            _place(terminal, cut)
            terminal.text(f"“{_shortened(line(cut.lead))}”", indent="    ")
        if sources:
            _excerpts(terminal, source)


def _said_differently(result: Result) -> str:
    return "; ".join(" or ".join(map(line, each.values)) for each in result.contradictions)


def _leads(result: Result) -> Iterator[tuple[int, int]]:
    """The places in the answer of the parts of its quotes that answer."""
    behind = 0
    for citation in sorted(result.citations, key=lambda x: x.answer_start):
        shown = result.answer[citation.answer_start : citation.answer_end]
        at = shown.find(citation.lead)
        start = citation.answer_start + at
        if at >= 0 and citation.lead != citation.quote and start >= behind:
            behind = start + len(citation.lead)
            yield start, behind


def _excerpts(terminal: Terminal, source: Source) -> None:
    for excerpt in source.excerpts:
        terminal.text()
        _place(terminal, excerpt)
        _excerpt(terminal, excerpt)


def _place(terminal: Terminal, cut: Citation | Excerpt) -> None:
    """The headings above a quote or an excerpt, and its page."""
    page = [f"page {cut.page}"] if cut.page else []
    if place := ", ".join([*filter(None, [line(" > ".join(cut.headings))]), *page]):
        terminal.text(place, indent="    ")


def _excerpt(terminal: Terminal, excerpt: Excerpt) -> None:
    if excerpt.lead == excerpt.text:
        terminal.text(excerpt.text, indent="    ")
        return
    before = excerpt.text[: excerpt.lead_start - excerpt.start]
    after = excerpt.text[excerpt.lead_end - excerpt.start :]
    terminal.marked(before, excerpt.lead, after, indent="    ")


def _source(terminal: Terminal, source: Source) -> None:
    terminal.text(f"[{source.n}] {line(source.title) or line(source.url)}")
    stored = f"{source.fetched_at:%Y-%m-%d %H:%M} UTC"
    # A URL stays whole, so that it can be clicked.
    terminal.whole(f"    {line(source.url)}")
    terminal.text(f"quality {source.quality_score:.2f}, stored {stored}", indent="    ")


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_QUOTE else text[: MOST_QUOTE - 1].rstrip() + "…"
