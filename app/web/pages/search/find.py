"""The box in the bar: from an identifier to the page that shows it, wherever that is."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core import ids
from app.core.http.access import signed_in
from app.core.ids import Noun

bp = Blueprint("find_pages", __name__)

PAGES: Final[Mapping[Noun, str]] = {
    Noun.API_KEY: "/api-keys",
    Noun.BULK_ACTION: "/ops/bulk",
    Noun.CAMPAIGN: "/campaigns",
    Noun.CORPUS: "/documents",
    Noun.JOB: "/extractions",
    Noun.NODE: "/nodes",
    Noun.REQUEST: "/requests",
    Noun.SEARCH: "/searches",
    Noun.TASK: "/ops/jobs",
    Noun.WEBHOOK: "/webhooks",
}
"""Where the pages of each noun are that has pages of its own."""


@bp.get("/find")
@signed_in
def find() -> Response:
    """Go to the page of an identifier; any other text is looked for among the searches."""
    text = request.args.get("id", "").strip()
    named = ids.read(text)
    if named is not None and named[0] in PAGES:
        return redirect(f"{PAGES[named[0]]}/{text}", 303)
    return redirect(f"/searches?{urlencode({'contains': text})}", 303)
