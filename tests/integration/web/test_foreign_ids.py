"""Every page that names a thing, asked for by somebody else; every form without its token."""

import re
from collections.abc import Iterator

import pytest
from flask import Flask

from app.core import db
from app.core.http import access
from app.domains.account.accounts.sign_in import session_store
from tests import builders, node_work
from tests.contract.test_authorisation import Things, bearer
from tests.integration.web.conftest import Dashboard

FORMS = {"form": "csv", "what": "pause", "change": "pause", "action": "test", "key": "1"}
"""Parts of addresses that name no thing."""

OTHERWISE = {
    # The account may have a persona of the same name, of which nothing is known yet.
    ("GET", "/memory/<persona_id>"): 200,
    ("POST", "/memory/<persona_id>"): 422,
    # To the page of the search, which is not there.
    ("GET", "/searches/<string:search_id>/citations"): 303,
    ("GET", "/searches/<string:search_id>/citations/<string:key>"): 303,
    # An empty form is refused before anything is looked for.
    ("POST", "/campaigns/<campaign_id>/records/<record_id>/judgement"): 400,
    ("POST", "/nodes/<string:node_id>/roll"): 400,
    ("POST", "/provider/offers/<string:offer_id>"): 422,
}
"""Of the pages that somebody else asks for, those that are refused or answered in another way."""


def pages(app: Flask) -> Iterator[tuple[str, str]]:
    """Method and rule of each page of an account."""
    with app.app_context():
        for rule in app.url_map.iter_rules():
            declared = access.of_endpoint(rule.endpoint)
            if declared is None or not declared.page:
                continue
            if not (declared.public or declared.operator):
                for method in sorted((rule.methods or set()) & {"GET", "POST"}):
                    yield method, rule.rule


@pytest.fixture(scope="module")
def owned(dashboard: Dashboard) -> Things:
    with db.transaction() as tx:
        headers = bearer(builders.access_token(tx, dashboard.settings, dashboard.account))
        _, token = node_work.node(tx, dashboard.settings, dashboard.account)
    return Things(dashboard.app, dashboard.account, headers, token)


def _filled(rule: str, owned: Things, session: str) -> str:
    def value(part: re.Match[str]) -> str:
        name = part[1].rpartition(":")[2]
        return session if name == "id" else FORMS.get(name) or str(getattr(owned, name))

    return re.sub(r"<([^>]*)>", value, rule)


def test_a_page_of_somebody_elses_thing_is_not_there(dashboard: Dashboard, owned: Things) -> None:
    with db.reading() as reader:
        session = str(session_store.of_account(reader, dashboard.account, 1)[0].id)
    named = [
        (method, rule)
        for method, rule in pages(dashboard.app)
        if set(re.findall(r"<(?:[^>]*:)?(\w+)>", rule)) - set(FORMS)
    ]
    got = {}
    for method, rule in named:
        path = _filled(rule, owned, session)
        send = dashboard.other.get if method == "GET" else dashboard.other.post
        got[method, rule] = send(path).status_code
    assert {page: status for page, status in got.items() if status != 404} == OTHERWISE
    assert "Owns a boat" not in dashboard.other.get("/memory/me").text
    assert len(got) > 40


def test_no_form_is_taken_without_its_token(dashboard: Dashboard, owned: Things) -> None:
    taken = []
    for method, rule in pages(dashboard.app):
        if method == "POST":
            path = _filled(rule, owned, str(dashboard.owner.session))
            answer = dashboard.owner.post(path, {"csrf": ""})
            if answer.status_code != 403 or "forged_form" not in answer.text:
                taken.append((rule, answer.status_code))
    assert taken == []


def test_pages_of_operators_are_not_there_for_others(dashboard: Dashboard, owned: Things) -> None:
    with dashboard.app.app_context():
        rules = [
            rule.rule
            for rule in dashboard.app.url_map.iter_rules()
            if (declared := access.of_endpoint(rule.endpoint))
            and declared.page
            and declared.operator
            and "GET" in (rule.methods or ())
        ]
    opened = [
        rule
        for rule in rules
        if dashboard.owner.get(re.sub(r"<[^>]*>", "x", rule)).status_code != 404
    ]
    assert (opened, bool(rules)) == ([], True)
