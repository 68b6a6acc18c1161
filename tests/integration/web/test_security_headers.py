"""What browsers are told to insist on, where to report a weakness, and sessions that end unused."""

from datetime import UTC, datetime

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from app.domains.account.accounts.sign_in import callers
from tests import builders
from tests.quick_applications import made
from tests.visiting import Visitor

CONTACT = "mailto:security@example.org"


def public(settings: Settings, **changes: str) -> FlaskClient:
    """A server that others reach over https."""
    base = "https://citegrid.example.org"
    client = made(settings, service_base_url=base, **changes).test_client()
    client.environ_base["HTTP_HOST"] = "citegrid.example.org"
    return client


def test_a_server_with_https_tells_browsers_to_insist_on_it(settings: Settings) -> None:
    answer = public(settings).get("/healthz")
    told = answer.headers["Strict-Transport-Security"]
    assert told == "max-age=31536000; includeSubDomains"


def test_an_answer_that_is_no_page_loads_nothing_and_insists_on_no_https(
    client: FlaskClient,
) -> None:
    for path in ("/healthz", "/v1/account", "/nothing/here"):
        headers = client.get(path).headers
        policy = headers["Content-Security-Policy"]
        assert policy == "default-src 'none'; frame-ancestors 'none'"
        assert "Strict-Transport-Security" not in headers


def test_without_a_contact_there_is_no_security_txt(client: FlaskClient) -> None:
    assert client.get("/.well-known/security.txt").status_code == 404


def test_security_txt_has_a_contact_and_ends_within_a_year(settings: Settings) -> None:
    answer = public(settings, security_contact=CONTACT).get("/.well-known/security.txt")
    fields = dict(line.split(": ", 1) for line in answer.text.splitlines())
    assert fields["Contact"] == CONTACT
    assert fields["Canonical"] == "https://citegrid.example.org/.well-known/security.txt"
    left = datetime.fromisoformat(fields["Expires"]) - datetime.now(UTC)
    assert 100 < left.days < 366


def test_a_session_that_was_not_used_for_a_week_has_ended(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callers.cache, "put", lambda *_: None)
    with db.transaction() as tx:
        account_id = builders.account(tx)
    visitor = Visitor(app, account_id)
    assert visitor.get("/settings").status_code == 200
    with db.transaction() as tx:
        tx.execute("update token_families set last_used_at = now() - interval '8 days'")
    assert visitor.get("/settings").status_code == 303


def test_signing_out_clears_what_the_browser_kept(app: Flask) -> None:
    with db.transaction() as tx:
        account_id = builders.account(tx)
    visitor = Visitor(app, account_id)
    assert visitor.post("/sign-out").headers["Clear-Site-Data"] == '"cache", "storage"'
