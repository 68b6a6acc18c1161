"""Accounts that vote on records, as operators see them, and the trust that they get."""

from typing import Final

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core import db, ids
from app.core.http.access import operator_only
from app.core.ids import Noun
from app.domains.account.accounts import service as accounts
from app.domains.campaigns.reviews import service as reviews
from app.web.frame.rendering import render

bp = Blueprint("reviewer_pages", __name__)

MOST_SHOWN: Final = 100


@bp.get("/ops/reviewers")
@operator_only
def index() -> Response:
    """The accounts with a node that votes, and how well they do."""
    with db.reading() as reader:
        rows = [
            (ids.public(Noun.ACCOUNT, id), accounts.account(reader, id).email, reputation)
            for id, reputation in reviews.judges(reader, MOST_SHOWN)
        ]
    return render("reviewers/list.html", reviewers=rows)


@bp.post("/ops/reviewers/<any(trust, distrust):what>")
@operator_only
def vouch(what: str) -> Response:
    """Let the votes of an account count at once, or when its answers were tested."""
    with db.transaction() as tx:
        account = accounts.by_email(tx, request.form.get("email", ""))
        reviews.vouch(tx, account.id, vouched=what == "trust")
    return redirect("/ops/reviewers", 303)
