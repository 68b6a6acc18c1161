"""Asking, and what was asked: the first page, the list of searches and its export."""

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, redirect, request
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from app.core import db, ids, untrusted_json
from app.core.errors import Invalid
from app.core.http import caller
from app.core.http.access import page, signed_in
from app.core.ids import Noun
from app.domains.account.accounts.sign_in.login import may_sign_up
from app.domains.queue.jobs.statuses import STATUSES
from app.domains.search.memories.service import PersonaNotFound
from app.domains.search.searches import service as searches
from app.domains.search.searches.schemas import DEPTHS, SearchIn
from app.web.frame import rendering, tables
from app.web.frame.operations import call, every, page_of
from app.web.frame.rendering import render
from app.web.frame.sent_forms import shown_again, whole
from app.web.interface.snippets import ASKING
from app.web.pages.search.example_questions import example_questions
from app.web.pages.search.searchable import searchable

bp = Blueprint("search_pages", __name__)

RECENT: Final = 5
MOST_PERSONAS: Final = 50
"""So many are offered; another one is typed."""
OPTIONS: Final = ("depth", "max_sources", "freshness", "persona_id")
FIELDS: Final = SearchIn().fields
DOMAINS: Final = ("include_domains", "exclude_domains")
FILTERS: Final = ("status", "contains")
EXPORTED: Final = ("id", "question", "status", "asked_at", "completed_at", "warnings", "error")
_BETWEEN: Final = re.compile(r"[\s,;]+")


@bp.get("/")
@page
def ask() -> Response:
    """The question box; for strangers, what this is."""
    if not rendering.signed_in():
        return render("searches/welcome.html", open=may_sign_up())
    return _form()


def _form(errors: Invalid | None = None) -> Response:
    known: Mapping[str, Any] = {}
    if errors:
        known = {**request.form, "corpora": request.form.getlist("corpora")}
    elif "from" in request.args:
        known = _of_search(request.args["from"])
    offered = searchable()
    with db.reading() as reader:
        account_ids = [caller().account_id, None] if offered.own else [None]
        examples = example_questions(reader, account_ids)
    return render(
        "searches/ask.html",
        errors=errors,
        known=known,
        recent=call("listSearches", query={"limit": RECENT})["searches"],
        searchable=offered,
        examples=examples,
        depths=DEPTHS,
        personas=call("listPersonas", query={"limit": MOST_PERSONAS})["personas"],
        has_options=any(name in known for name in (*OPTIONS, *DOMAINS)) or errors is not None,
    )


def _of_search(public_id: str) -> dict[str, Any]:
    """Returns what was asked, to be asked again; only what differs from the defaults."""
    return {"query": call("getSearch", search_id=public_id)["query"], **options_of(public_id)}


def options_of(public_id: str) -> dict[str, Any]:
    id = ids.lookup(Noun.SEARCH, public_id)
    with db.reading() as reader:
        searches.find(reader, caller().account_id, id)
        options = searches.question(reader, id).options
    chosen = {
        name: value
        for name, value in options.items()
        if name in (*OPTIONS, *DOMAINS) and value and value != FIELDS[name].load_default
    }
    chosen |= {name: " ".join(chosen[name]) for name in DOMAINS if name in chosen}
    if options.get("corpora"):
        chosen["corpora"] = searchable().values(options["corpora"])
    if options.get("filter"):
        chosen["filter"] = json.dumps(options["filter"])
    if options.get("follows"):
        chosen["follows"] = options["follows"]["id"]
    return chosen


@bp.post("/searches")
@signed_in
@shown_again(_form, {PersonaNotFound: "persona_id"})
def create() -> Response:
    body = _body(request.form)
    accepted = call("createSearch", body, once=_key(body))
    return redirect(f"/searches/{accepted['id']}", 303)


def _body(form: MultiDict[str, str]) -> dict[str, Any]:
    """Returns what was filled in; the rest has its defaults."""
    body: dict[str, Any] = {"query": form.get("query", "")}
    typed = {name: form.get(name, "").strip() for name in (*OPTIONS, "follows")}
    body |= {name: text for name, text in typed.items() if text}
    body |= {name: _BETWEEN.split(form[name].strip()) for name in DOMAINS if form.get(name)}
    if corpora := form.getlist("corpora"):
        if not (ticked := [corpus for corpus in corpora if corpus]):
            raise Invalid.at("/corpora", "Select at least one.")
        body |= {"corpora": narrowed} if (narrowed := searchable().narrowed(ticked)) else {}
    if form.get("filter"):
        body["filter"] = _read(form["filter"])
    if "max_sources" in body:
        body["max_sources"] = whole(body["max_sources"])
    return body


def _read(text: str) -> Any:
    """A filter of a search that is asked again; what is none is left to the API to refuse."""
    try:
        return untrusted_json.loads(text)
    except ValueError:
        return text


def _key(body: Mapping[str, Any]) -> str | None:
    """Sent twice, a form starts one search; changed after going back, another one."""
    if not (key := request.form.get("key")):
        return None
    return hashlib.sha256(json.dumps([key, body], sort_keys=True).encode()).hexdigest()


@bp.get("/searches")
@signed_in
def index() -> Response:
    given = request.args
    found = page_of("listSearches", {name: given.get(name) for name in FILTERS})
    with db.reading() as reader:
        counts = searches.counts(reader, caller().account_id)
    return render(
        "searches/list.html",
        live="rows",
        found=found,
        rows=[(each, seconds_of(each)) for each in found["searches"]],
        filter=urlencode({name: given[name] for name in FILTERS if given.get(name)}),
        snippets=ASKING,
        counts=_chips(counts, counted=not given.get("contains")),
        total=sum(counts.values()),
        filtered=any(given.get(name) for name in FILTERS),
    )


def _chips(counts: Mapping[str, int], *, counted: bool) -> list[tuple[str | None, int | None]]:
    """Each status with how many there are, unless another filter would make the number untrue."""
    numbers = [
        (None, sum(counts.values())),
        *((status, counts.get(status, 0)) for status in STATUSES),
    ]
    return [(status, count if counted else None) for status, count in numbers]


def seconds_of(search: Mapping[str, Any]) -> float:
    """Returns how long it took, or how long it has been running."""
    ended = search["completed_at"]
    until = datetime.fromisoformat(ended) if ended else datetime.now(UTC)
    return (until - datetime.fromisoformat(search["created_at"])).total_seconds()


@bp.get("/searches.csv", defaults={"form": "csv"})
@bp.get("/searches.json", defaults={"form": "json"})
@signed_in
def export(form: str) -> Response:
    matching = every("listSearches", "searches", {name: request.args.get(name) for name in FILTERS})
    return tables.export_items("searches", EXPORTED, map(_row, matching), form)


def _row(search: Mapping[str, Any]) -> dict[str, Any]:
    told = {"warnings": "; ".join(search["warnings"]), "error": search.get("error", {}).get("code")}
    return {**search, "question": search["query"], "asked_at": search["created_at"], **told}
