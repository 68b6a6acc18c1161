"""A page of this server for a first extraction: lamps, of which one is sold without a price."""

from typing import Any, Final

from flask import Blueprint, Response, render_template, request, url_for

from app.core.http import current_settings
from app.core.http.access import public_page
from app.core.http.hosts import is_local
from app.web.pages.records.forms import schema_form

bp = Blueprint("sample_shop", __name__)

SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "price": {"type": "number"},
        "weight": {"type": "string"},
        "designed": {"type": "string", "format": "date"},
    },
    "required": ["name"],
}


@bp.get("/samples/lamps")
@public_page
def lamps() -> Response:
    return Response(render_template("samples/lamps.html"), mimetype="text/html")


def schema_text() -> str:
    """The schema of a lamp, to be read and changed."""
    return schema_form.written(SCHEMA)


def request_body() -> dict[str, Any]:
    url = url_for("sample_shop.lamps", _external=True)
    return {"type": "extraction", "source": {"type": "url", "url": url}, "schema": SCHEMA}


def can_be_read() -> bool:
    """True if jobs may read this server: a private host is for its operator to allow."""
    settings = current_settings()
    allowed = {entry.strip() for entry in settings.extract_fetch_allow.split(",")}
    own = {request.host, request.host.rpartition(":")[0] or request.host}
    return bool(own & allowed) or not is_local(settings)
