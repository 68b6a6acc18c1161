"""Documents of one's own: corpora, what is in them, uploading, and a first question."""

from typing import Any, Final

from flask import Blueprint, redirect, request
from werkzeug.datastructures import FileStorage
from werkzeug.wrappers import Response

from app.core.errors import Conflict, Invalid, PayloadTooLarge, UnsupportedMediaType
from app.core.http.access import signed_in
from app.domains.library.documents.schemas import MOST_BODY_BYTES, MOST_KEY_CHARACTERS
from app.web.frame.operations import call, page_of
from app.web.frame.rendering import render
from app.web.frame.sent_forms import shown_again

bp = Blueprint("document_pages", __name__)

_MOST_FILES: Final = 200
_MOST_PROBLEMS: Final = 10
_REFUSED: Final = (Conflict, Invalid, PayloadTooLarge, UnsupportedMediaType)


@bp.url_value_preprocessor
def _limit_body(endpoint: str | None, _values: Any) -> None:
    """Before the form is read, which the check against forged requests does."""
    if endpoint == "document_pages.upload":
        request.max_content_length = MOST_BODY_BYTES


@bp.get("/documents")
@signed_in
def index() -> Response:
    return _list()


def _list(errors: Invalid | None = None) -> Response:
    return render(
        "documents/list.html",
        envelope=page_of("listCorpora"),
        limits=call("getUsage", query={"days": 1})["limits"],
        errors=errors,
    )


@bp.post("/documents")
@signed_in
@shown_again(_list, {Conflict: "name"})
def create() -> Response:
    """A corpus, empty at first."""
    made = call("createCorpus", {"name": request.form.get("name", "")}, once=_once())
    return redirect(f"/documents/{made['id']}", 303)


def _once() -> str | None:
    return request.form.get("key")


@bp.get("/documents/<string:corpus_id>")
@signed_in
def show(corpus_id: str) -> Response:
    return _page(corpus_id)


def _page(corpus_id: str, errors: Invalid | None = None) -> Response:
    query = {"state": request.args.get("state")}
    corpus = call("getCorpus", corpus_id=corpus_id)
    sites = call("listSites", corpus_id=corpus_id)["sites"]
    reading = any(site["state"] == "reading" for site in sites)
    return render(
        "documents/show.html",
        live="rows",
        final=not corpus["waiting"] and not reading,
        path=f"/documents/{corpus_id}",
        corpus=corpus,
        sites=sites,
        envelope=page_of("listDocuments", query, corpus_id=corpus_id),
        errors=errors,
    )


@bp.post("/documents/<string:corpus_id>/upload")
@signed_in
@shown_again(_page)
def upload(corpus_id: str) -> Response:
    """Each file under its name; what is refused is told, and the others are kept."""
    files = [file for file in request.files.getlist("files") if file.filename]
    problems = [] if files else ["Select a file."]
    for file in files[:_MOST_FILES]:
        try:
            _put(corpus_id, file)
        except _REFUSED as error:
            problems.append(f"{file.filename}: {error}")
    if len(files) > _MOST_FILES:
        problems.insert(0, f"Only the first {_MOST_FILES} files were read.")
    if more := problems[_MOST_PROBLEMS:]:
        problems[_MOST_PROBLEMS:] = [f"And {len(more)} more."]
    if problems:
        raise Invalid.at("/files", " ".join(problems))
    return redirect(f"/documents/{corpus_id}", 303)


def _put(corpus_id: str, file: FileStorage) -> None:
    content_type = file.content_type or "application/octet-stream"
    key = file.filename or ""
    call("putDocument", file.read(), content_type=content_type, corpus_id=corpus_id, key=key)


@bp.post("/documents/<string:corpus_id>/fetch")
@signed_in
@shown_again(_page, {Conflict: "url"})
def fetch(corpus_id: str) -> Response:
    """A page that the server reads, or all pages of a site."""
    url, kind = request.form.get("url", "").strip(), request.form.get("kind", "page")
    if kind == "page":
        _fetch(corpus_id, url)
    else:
        site = {"url": url, "kind": kind}
        if refresh := request.form.get("refresh"):
            site["refresh"] = refresh
        call("createSite", site, corpus_id=corpus_id, once=_once())
    return redirect(f"/documents/{corpus_id}", 303)


def _fetch(corpus_id: str, url: str) -> None:
    """A page under its address without the scheme."""
    key = url.partition("://")[2].strip("/")[:MOST_KEY_CHARACTERS] or "page"
    call("putDocument", {"url": url}, corpus_id=corpus_id, key=key)


@bp.get("/documents/<string:corpus_id>/sites/<string:site_id>")
@signed_in
def site(corpus_id: str, site_id: str) -> Response:
    """A site: which of its pages could not be read, and why."""
    found = call("getSite", corpus_id=corpus_id, site_id=site_id)
    return render("documents/site.html", site=found)


@bp.post("/documents/<string:corpus_id>/sites/<string:site_id>/refresh")
@signed_in
def refresh_site(corpus_id: str, site_id: str) -> Response:
    call("refreshSite", corpus_id=corpus_id, site_id=site_id)
    return redirect(f"/documents/{corpus_id}", 303)


@bp.post("/documents/<string:corpus_id>/sites/<string:site_id>/delete")
@signed_in
def delete_site(corpus_id: str, site_id: str) -> Response:
    call("deleteSite", corpus_id=corpus_id, site_id=site_id)
    return redirect(f"/documents/{corpus_id}", 303)


@bp.post("/documents/<string:corpus_id>/ask")
@signed_in
@shown_again(_page)
def ask(corpus_id: str) -> Response:
    body = {"query": request.form.get("query", ""), "corpora": [corpus_id]}
    made = call("createSearch", body, once=_once())
    return redirect(f"/searches/{made['id']}", 303)


@bp.post("/documents/<string:corpus_id>/rename")
@signed_in
@shown_again(_page, {Conflict: "name"})
def rename(corpus_id: str) -> Response:
    """Another name; its address stays."""
    call("updateCorpus", {"name": request.form.get("name", "")}, corpus_id=corpus_id)
    return redirect(f"/documents/{corpus_id}", 303)


@bp.post("/documents/<string:corpus_id>/remove")
@signed_in
def remove(corpus_id: str) -> Response:
    call("deleteDocument", corpus_id=corpus_id, key=request.form.get("document", ""))
    return redirect(f"/documents/{corpus_id}", 303)


@bp.post("/documents/<string:corpus_id>/delete")
@signed_in
def delete(corpus_id: str) -> Response:
    call("deleteCorpus", corpus_id=corpus_id)
    return redirect("/documents?deleted=1", 303)
