"""The common steps of the operator's commands and the first run: ask, show an answer."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.account.audit.service import record_event
from app.domains.queue.jobs import store
from app.domains.queue.jobs.service import OPERATOR
from app.domains.search.searches import service as searches
from app.domains.search.searches.answer_state import DOUBTS
from app.domains.search.searches.store import Search
from app.local.work import Work, wait_for

OPTIONS = {"max_sources": 8, "depth": "standard"}


def ask(
    settings: Settings,
    query: str,
    notify: Callable[[Work], None],
    pause: Callable[[float], object] = time.sleep,
) -> Search:
    """Ask in the operator's own name, and wait for the answer as `wait_for` does."""
    with db.transaction() as tx:
        accepted = searches.request(
            tx,
            OPERATOR,
            {"query": query, **OPTIONS},
            retention_seconds=settings.retention_days * 86_400,
            deadline_seconds=settings.search_deadline_seconds,
        )
        record_event(tx, "search.requested", accepted["id"])
    id = ids.lookup(Noun.SEARCH, accepted["id"])
    wait_for(partial(store.by_id, id=id), notify, pause)
    with db.reading() as reader:
        return searches.find(reader, OPERATOR, id)


def lines(search: Search) -> Iterator[str]:
    """A finished search for a person: what is doubtful about the answer, the answer, then where
    each marker leads, or, without an answer, what the closest sources say."""
    if search.result is None:
        error = search.error or {}
        yield f"The search ended as {searches.status(search)}. {error.get('message', '')}".strip()
        return
    result = search.result
    if doubt := DOUBTS.get(search.answer_state or ""):
        yield doubt
        yield ""
    yield from result["answer"].splitlines()
    yield ""
    quotes: dict[int, list[dict[str, Any]]] = {}
    for citation in result["citations"]:
        quotes.setdefault(citation["source"], []).append(citation)
    shown = [source for source in result["sources"] if source["n"] in quotes]
    for source in shown or result["sources"][:3]:
        yield f"[{source['n']}] {source['title']}  {source['url']}"
        for cut in quotes.get(source["n"], source.get("excerpts", [])[:1]):
            lead = " ".join(_lead(cut).split())
            yield f"    {cut['start']}-{cut['end']}: “{_shortened(lead, 160)}”"


def _lead(cut: dict[str, Any]) -> str:
    text: str = cut.get("quote") or cut["text"]
    start, end = cut.get("lead_start", cut["start"]), cut.get("lead_end", cut["end"])
    return text[start - cut["start"] : end - cut["start"]]


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
