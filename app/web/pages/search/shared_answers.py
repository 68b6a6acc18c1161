"""An answer that its owner shares: a link, and the page that others read by it."""

from typing import Any
from uuid import UUID

from flask import Blueprint, redirect
from markupsafe import Markup
from werkzeug.wrappers import Response

from app.core import db, ids
from app.core.http import caller
from app.core.http.access import signed_in
from app.core.ids import Noun
from app.domains.search.searches import service as searches
from app.domains.search.searches import store
from app.domains.search.searches.answer_state import DOUBTS, answer_state
from app.domains.search.searches.presentation import as_json
from app.web.citations import stored_pages
from app.web.frame.public_pages import address
from app.web.frame.rendering import render
from app.web.pages.search import answer_view
from app.web.pages.search.answer_view import CitationView

bp = Blueprint("shared_answer_pages", __name__)

_MARKER = Markup('<a class="cite" href="#quote-{key}" aria-label="Quote {key}">{key}</a>')


def link_of(search_id: str) -> str | None:
    with db.reading() as reader:
        key = store.share_key(reader, caller().account_id, ids.lookup(Noun.SEARCH, search_id))
    return address(f"/shared/{search_id}/{key}") if key else None


@bp.post("/searches/<srch:search_id>/share")
@signed_in
def share(search_id: UUID) -> Response:
    """Make a link by which others on this server read the answer."""
    with db.transaction() as tx:
        searches.share(tx, caller().account_id, search_id)
    return redirect(f"/searches/{ids.public(Noun.SEARCH, search_id)}", 303)


@bp.post("/searches/<srch:search_id>/unshare")
@signed_in
def unshare(search_id: UUID) -> Response:
    """End the link; another one is another link."""
    with db.transaction() as tx:
        searches.unshare(tx, caller().account_id, search_id)
    return redirect(f"/searches/{ids.public(Noun.SEARCH, search_id)}", 303)


@bp.get("/shared/<srch:search_id>/<string:key>")
@signed_in
def show(search_id: UUID, key: str) -> Response:
    """The answer with its quotes, and nothing else of its owner's: no stored pages."""
    with db.reading() as reader:
        owner_id, found = searches.shared(reader, search_id, key)
        search = as_json(found)

        def read(n: str) -> str:
            return searches.snapshot(reader, owner_id, search_id, n).text

        texts = stored_pages.cited_texts(search["result"], read)
    return render("searches/shared.html", search=search, **_of_result(search["result"], texts))


def _of_result(result: dict[str, Any], texts: dict[int, str]) -> dict[str, Any]:
    quotes = answer_view.cited(result, texts)
    return {
        "quotes": quotes,
        "state": answer_state(result, page_changed=not all(each.found for each in quotes)),
        "perhaps": DOUBTS["perhaps"],
        "body": answer_view.body(result, quotes, _marker),
        "unresolved": answer_view.unresolved(result),
        "disagreement": answer_view.disagreement(result, quotes),
    }


def _marker(quote: CitationView) -> Markup:
    return _MARKER.format(key=quote.key)
