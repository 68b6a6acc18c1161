"""/openapi.json and /docs: the interface, browsable offline, with no asset of anybody else."""

import json
from typing import Any

from flask import Blueprint, Flask, Response, current_app, redirect, render_template, url_for
from werkzeug.wrappers import Response as Redirect

from app.core.http import Api, public

bp = Blueprint("docs", __name__)

SPEC_OPTIONS: dict[str, Any] = {
    "info": {
        "description": "Source-backed work: every statement of an answer points at the exact "
        "passage it came from.",
    },
    "components": {
        "securitySchemes": {
            "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            "bearer": {"type": "http", "scheme": "bearer"},
        }
    },
}


def publish(app: Flask, api: Api) -> None:
    """Complete the document from what the views declare, and serve it."""
    document = api.spec.to_dict()
    app.extensions["openapi"] = document
    app.extensions["openapi_text"] = json.dumps(document, indent=1)


@bp.get("/")
@public
def home() -> Redirect:
    """There is no page of its own here yet: the documentation says what to do."""
    return redirect(url_for("docs.browse"))


@bp.get("/docs")
@public
def browse() -> Response:
    """Every operation with its parameters, bodies and answers."""
    page = render_template("docs.html", spec=current_app.extensions["openapi"])
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'"}
    return Response(page, mimetype="text/html", headers=headers)
