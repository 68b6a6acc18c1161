"""Corpora: what is indexed, reading it again, adding and removing. They belong to the server."""

from typing import Any, Final
from uuid import UUID

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core import db, ids
from app.core.db.costly import Costly
from app.core.errors import Invalid
from app.core.http.access import operator_only
from app.core.ids import Noun
from app.domains.library.corpora import page_store
from app.domains.library.corpora import service as corpora
from app.domains.library.passages import vector_store
from app.web.frame.rendering import render, viewer
from app.web.frame.sent_forms import shown_again

bp = Blueprint("corpora_pages", __name__)

EVERY: Final = (
    ("", "Never automatically"),
    ("3600", "Every hour"),
    ("86400", "Every day"),
    ("604800", "Every week"),
)
KINDS: Final = (("site", "A site, following its links"), ("sitemap", "A sitemap"))
MOST_FAILURES: Final = 100
_holdings: Costly[dict[UUID, int]] = Costly()


@bp.get("/corpora")
@operator_only
def index() -> Response:
    """The corpora that searches read, by name; a cursor is the last name shown."""
    after, most = request.args.get("cursor", ""), viewer().page_size
    with db.reading() as reader:
        held = corpora.counts(reader)
        found = corpora.listing(reader, held, after, most + 1)
        holdings = _holdings.of(None, lambda: vector_store.by_corpus(reader))
        visited = page_store.visited(reader)
    rows = [_row(listed, holdings, visited) for listed in found[:most]]
    return render(
        "corpora/list.html",
        live="rows",
        rows=rows,
        totals={
            "pages": sum(each.pages for each in held.values()),
            "passages": sum(each.passages for each in held.values()),
            "vectors": sum(holdings.get(id, 0) for id in held),
        },
        envelope={"next_cursor": rows[-1]["name"] if len(found) > most else None},
    )


def _row(listed: corpora.CorpusSummary, holdings: dict[Any, int], visited: dict[Any, Any]) -> Any:
    corpus, refresh = listed.corpus, listed.refresh
    return {
        "name": corpus.name,
        "kind": corpus.kind,
        "location": corpus.location,
        "options": corpus.options,
        "pages": listed.pages,
        "passages": listed.passages,
        "failed": listed.failed,
        "vectors": holdings.get(corpus.id, 0),
        "visited_at": visited.get(corpus.id),
        "refreshed_at": corpus.refreshed_at,
        "state": refresh.state if refresh else None,
        "progress": _facts(refresh.progress) if refresh else {},
        "error": refresh.error if refresh else None,
        "job": ids.public(Noun.TASK, refresh.job_id) if refresh else None,
        "busy": refresh is not None and refresh.state in ("queued", "running"),
    }


def _facts(progress: dict[str, Any]) -> dict[str, Any]:
    """Returns what a worker counted, without how it says so."""
    hidden = ("version", "percent", "failed_in_a_row")
    return {name: value for name, value in progress.items() if name not in hidden}


@bp.get("/corpora/new")
@operator_only
def new(errors: Invalid | None = None) -> Response:
    return render("corpora/new.html", errors=errors, every=EVERY, kinds=KINDS)


@bp.post("/corpora")
@operator_only
@shown_again(new, {corpora.CorpusExists: "name"})
def add() -> Response:
    """Add it, and read it for the first time."""
    with db.transaction() as tx:
        name = _add(tx)
        corpora.refresh(tx, name)
    return redirect(f"/corpora/{name}", 303)


def _add(tx: db.Tx) -> str:
    """A folder is for who has a shell on the server: it is read with the server's rights."""
    form = request.form
    name, kind = form.get("name", "").strip(), form.get("kind", "")
    if kind not in dict(KINDS):
        raise Invalid.at("/kind", "Must be a site or a sitemap.")
    options: dict[str, Any] = {
        field: form.get(field, "").split()
        for field in ("include", "exclude")
        if form.get(field, "").strip()
    }
    options["max_pages"] = _whole("max_pages", 2_000)
    every = _whole("every", 0) or None
    location = form.get("location", "").strip()
    corpora.add(tx, name, kind, location, options, refresh_every_seconds=every)
    return name


def _whole(name: str, default: int) -> int:
    text = request.form.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise Invalid.at(f"/{name}", "Must be a whole number.")
    return int(text)


@bp.get("/corpora/<string:name>")
@operator_only
def show(name: str) -> Response:
    """One corpus: what it holds, how its last refresh went, what could not be read and why."""
    with db.reading() as reader:
        listed = corpora.show(reader, name)
        row = _row(listed, vector_store.by_corpus(reader), page_store.visited(reader))
        next_at = corpora.next_refresh(reader, listed.corpus)
        reasons = corpora.reasons(reader, name)
    with db.transaction() as tx:
        failures = corpora.failures(tx, name, MOST_FAILURES)
    return render(
        "corpora/show.html",
        live="now",
        final=not row["busy"],
        corpus=row,
        next_at=next_at,
        reasons=reasons,
        failures=failures,
    )


@bp.post("/corpora/<string:name>/refresh")
@operator_only
def refresh(name: str) -> Response:
    with db.transaction() as tx:
        corpora.refresh(tx, name)
    return redirect(f"/corpora/{name}", 303)


@bp.post("/corpora/<string:name>/remove")
@operator_only
def remove(name: str) -> Response:
    gone = False
    while not gone:
        with db.transaction() as tx:
            gone = corpora.remove(tx, name)
    return redirect("/corpora", 303)
