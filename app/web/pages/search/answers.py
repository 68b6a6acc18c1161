"""One search: its progress, its answer with every quote, the stored pages it was cut from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from flask import Blueprint, redirect, request
from markupsafe import Markup
from werkzeug.wrappers import Response

from app.core.errors import NotFound, required
from app.core.http import caller
from app.core.http.access import signed_in
from app.domains.search.searches.answer_state import DOUBTS, answer_state
from app.domains.search.searches.presentation import WATCHED
from app.domains.search.searches.service import SourceNotFound
from app.web.citations import stored_pages
from app.web.citations.quotes import CitedQuote
from app.web.citations.text_blocks import visible
from app.web.frame.operations import call
from app.web.frame.rendering import render
from app.web.interface.snippets import reading_a_search
from app.web.pages.search import answer_view, shared_answers
from app.web.pages.search.answer_view import CitationView
from app.web.pages.search.searchable import asks_web
from app.web.pages.search.searches import options_of, seconds_of

bp = Blueprint("answer_pages", __name__)
bp.add_app_template_filter(answer_view.sentence)

RUNNING: Final = ("pending", "running")
STAGES: Final = ("Read the question", "Read pages of the web", "Find passages", "Check the answer")
WEB: Final = 1
_PLACES: Final = {
    "queued": -1,
    "reading the question": 0,
    "asking engines": 1,
    "reading pages": 1,
    "asking further": 1,
    "reading further": 1,
    "retrieving": 2,
}
"""The stages of the worker that stand before the last of these."""
NEAREST: Final = 3
"""Passages shown when nothing answers."""
_CARD_CHARACTERS: Final = 240


@bp.app_template_filter("domain")
def domain(url: str) -> str:
    return urlsplit(url).hostname or "this machine"


@bp.app_template_filter("share")
def share(value: float | None) -> str:
    """A score between 0 and 1; a dash for what is not known."""
    return "–" if value is None else f"{value:.2f}"


@bp.get("/searches/<string:search_id>")
@signed_in
def show(search_id: str) -> Response:
    """The answer, or how far it is; `cite` opens the panel of a citation other than the first."""
    search = call("getSearch", search_id=search_id)
    running = search["status"] in RUNNING
    return render(
        "searches/answer.html",
        live="answer",
        final=not running,
        search=search,
        running=running,
        polled="HX-Request" in request.headers,
        options=options_of(search_id),
        shared_at=shared_answers.link_of(search_id),
        stages=_stages(search["progress"]["stage"]) if running else None,
        seconds=seconds_of(search),
        **(_of_result(search) if "result" in search else {}),
    )


def _stages(stage: str) -> dict[str, Any]:
    shown = [n for n in range(len(STAGES)) if n != WEB or asks_web()]
    return {"names": STAGES, "shown": shown, "at": _PLACES.get(stage, len(STAGES) - 1)}


def _of_result(search: Mapping[str, Any]) -> dict[str, Any]:
    result = search["result"]
    quotes = answer_view.cited(result, _texts(search))
    wanted = request.args.get("cite", quotes[0].key if quotes else "")
    panel = _panel(search, quotes, wanted) if wanted else {"open": None}

    def body(marker: Any) -> Markup:
        return answer_view.body(result, quotes, lambda each: marker(each, search, panel["open"]))

    return {
        **panel,
        **_sources(result),
        "quotes": quotes,
        "cards": source_cards(quotes),
        "state": answer_state(result, page_changed=not all(each.found for each in quotes)),
        "perhaps": DOUBTS["perhaps"],
        "matching": sum(each.found for each in quotes),
        "body": body,
        "passage": answer_view.passage,
        "pasted": answer_view.markdown(search),
        "unresolved": answer_view.unresolved(result),
        "disagreement": answer_view.disagreement(result, quotes),
        "snippets": reading_a_search(search["id"]),
    }


def _texts(search: Mapping[str, Any]) -> dict[int, str]:
    def read(n: str) -> str:
        return str(call("getSearchSnapshot", search_id=search["id"], n=n)["text"])

    return stored_pages.cited_texts(search["result"], read)


def _sources(result: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the sources that are cited, and those that were only read."""
    numbers = {citation["source"] for citation in result["citations"]}
    shown = [source for source in result["sources"] if source["n"] in numbers]
    rest = [source for source in result["sources"] if source["n"] not in numbers]
    nearest = [] if numbers else [source for source in rest if source["excerpts"]][:NEAREST]
    return {"sources": shown, "also_read": rest, "nearest": nearest}


def _panel(search: Mapping[str, Any], quotes: list[CitationView], key: str) -> dict[str, Any]:
    """Returns what the panel of a citation shows. Raises NotFound."""
    at = required(next((n for n, each in enumerate(quotes) if each.key == key), None), NotFound)
    checked = request.args.get("check")
    return {
        "open": quotes[at],
        "previous": quotes[at - 1] if at else None,
        "next": quotes[at + 1] if at + 1 < len(quotes) else None,
        "position": at + 1,
        "total": len(quotes),
        "check": call("getVerification", verification_id=checked) if checked else None,
    }


@bp.get("/searches/<string:search_id>/citations/<string:key>")
@signed_in
def citation(search_id: str, key: str) -> Any:
    """The panel alone, for the page that is open; without a script it is a part of the page."""
    if not request.headers.get("HX-Request"):
        return redirect(f"/searches/{search_id}?cite={key}", 303)
    search = call("getSearch", search_id=search_id)
    quotes = answer_view.cited(_result(search), _texts(search))
    return render("searches/_citation.html", search=search, **_panel(search, quotes, key))


@bp.get("/searches/<string:search_id>/citations")
@signed_in
def no_citation(search_id: str) -> Any:
    if not request.headers.get("HX-Request"):
        return redirect(f"/searches/{search_id}?cite=", 303)
    return render("searches/_no_citation.html")


def _result(search: Mapping[str, Any]) -> Any:
    if "result" not in search:
        raise NotFound
    return search["result"]


@bp.post("/searches/<string:search_id>/citations/<string:key>/check")
@signed_in
def check(search_id: str, key: str) -> Response:
    """Look whether the page itself still says what is quoted."""
    search = call("getSearch", search_id=search_id)
    panel = _panel(search, answer_view.cited(_result(search), {}), key)
    before, lead, behind = panel["open"].parts()
    body = {"url": panel["open"].source["url"], "quote": lead or before + behind, "live": True}
    found = call("verifyQuote", body)
    return redirect(f"/searches/{search_id}?cite={key}&check={found['id']}", 303)


@bp.get("/searches/<srch:search_id>/events")
@signed_in
def events(search_id: UUID) -> Response:
    """The stream of the API for the page that is open; each event has it ask for its answer."""
    return WATCHED.watch(caller().account_id, search_id)


@bp.post("/searches/<string:search_id>/cancel")
@signed_in
def cancel(search_id: str) -> Response:
    call("cancelSearch", search_id=search_id)
    return redirect(f"/searches/{search_id}", 303)


@bp.get("/searches/<string:search_id>.json")
@signed_in
def as_json(search_id: str) -> dict[str, Any]:
    search: dict[str, Any] = call("getSearch", search_id=search_id)
    return search


@bp.get("/searches/<string:search_id>.md")
@signed_in
def as_markdown(search_id: str) -> Response:
    search = call("getSearch", search_id=search_id)
    _result(search)
    return Response(answer_view.markdown(search), mimetype="text/markdown")


@bp.get("/searches/<string:search_id>/snapshots/<string:n>/view")
@signed_in
def snapshot(search_id: str, n: str) -> Response:
    """The stored page of source `n`, with the quote at `start` and `end` marked."""
    search = call("getSearch", search_id=search_id)
    found = call("getSearchSnapshot", search_id=search_id, n=n)
    quote, key = _quote(_result(search), n)
    back = f"/searches/{search_id}" + (f"?cite={key}" if key else "")
    return stored_pages.view(found, quote, back=back)


def _quote(result: Mapping[str, Any], n: str) -> tuple[CitedQuote | None, str | None]:
    """Returns what of the result is cut from that place, and the number of its citation.

    Raises SourceNotFound for a place that the result does not name.
    """
    place = tuple(request.args.get(name, type=int) for name in ("start", "end"))
    if place == (None, None):
        return None, None
    for each in answer_view.cited(result, {}):
        cut = each.citation
        if str(cut["source"]) == n and (cut["start"], cut["end"]) == place:
            return CitedQuote.of(cut), each.key
    for source in result["sources"]:
        for excerpt in source["excerpts"]:
            if str(source["n"]) == n and (excerpt["start"], excerpt["end"]) == place:
                return CitedQuote(excerpt["text"], excerpt["start"], excerpt["end"]), None
    raise SourceNotFound


@dataclass(frozen=True, slots=True)
class SourceCard:
    """A source with its first citation. `said` are the words of it that answer, on one line."""

    key: str
    source: Mapping[str, Any]
    said: Markup
    weak: bool


def source_cards(quotes: Sequence[CitationView]) -> list[SourceCard]:
    """One for each source that is cited, in the order of the answer."""
    first: dict[int, CitationView] = {}
    for quote in quotes:
        first.setdefault(quote.source["n"], quote)
    return [SourceCard(each.key, each.source, _said(each), each.weak) for each in first.values()]


def _said(quote: CitationView) -> Markup:
    before, lead, behind = quote.parts()
    words = " ".join((lead or before + behind)[: 2 * _CARD_CHARACTERS].split())
    cut = f"{words[:_CARD_CHARACTERS].rstrip()}…" if len(words) > _CARD_CHARACTERS else words
    return visible(cut)
