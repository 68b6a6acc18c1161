"""Accounts that vote on records, as operators see them, and the trust that they get."""

from typing import Final

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core import db, ids
from app.core.http.access import operator_only
from app.core.ids import Noun
from app.domains.account.accounts.service import account_by_email, account_by_id
from app.domains.campaigns.reviews import service as reviews
from app.web.frame.rendering import render

bp = Blueprint("reviewer_pages", __name__)

MOST_SHOWN: Final = 100


@bp.get("/ops/reviewers")
@operator_only
def index() -> Response:
    """The accounts with a node that votes, and how well they do; a cursor is the last one shown."""
    cursor = request.args.get("cursor")
    after = ids.lookup(Noun.ACCOUNT, cursor) if cursor else None
    with db.reading() as reader:
        found = reviews.judges(reader, MOST_SHOWN + 1, after)
        rows = [
            (ids.public(Noun.ACCOUNT, id), account_by_id(reader, id).email, reputation)
            for id, reputation in found[:MOST_SHOWN]
        ]
    more = rows[-1][0] if len(found) > MOST_SHOWN else None
    return render("reviewers/list.html", reviewers=rows, envelope={"next_cursor": more})


@bp.post("/ops/reviewers/<any(trust, distrust):what>")
@operator_only
def vouch(what: str) -> Response:
    """Let the votes of an account count at once, or when its answers were tested."""
    with db.transaction() as tx:
        account = account_by_email(tx, request.form.get("email", ""))
        reviews.vouch(tx, account.id, vouched=what == "trust")
    return redirect("/ops/reviewers", 303)
