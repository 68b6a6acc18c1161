"""/docs: the interface for people, a page for each area, with a search."""

from flask import Blueprint, current_app, request
from werkzeug.wrappers import Response

from app.core.errors import NotFound, required
from app.core.http.access import page
from app.web.frame.public_pages import cacheable
from app.web.frame.rendering import render
from app.web.interface.docs import interface

bp = Blueprint("docs_pages", __name__)


@bp.get("/docs")
@page
def index() -> Response:
    """All areas, or the operations that `q` finds."""
    offered = interface(current_app)
    text = request.args.get("q", "").strip()[:200]
    found = offered.find(text) if text else None
    document = offered.document
    return cacheable(
        render(
            "docs/index.html",
            info=document["info"],
            openapi=document["openapi"],
            areas=offered.areas.values(),
            found=found,
        ),
        offered.text.tag,
    )


@bp.get("/docs/<name>")
@page
def area(name: str) -> Response:
    offered = interface(current_app)
    shown = required(offered.areas.get(name), NotFound)
    return cacheable(render("docs/area.html", area=shown), offered.text.tag)
