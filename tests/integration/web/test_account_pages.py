"""Signing up, in and out by pages; sessions; settings; forged forms; errors for readers."""

import html
import re
from pathlib import Path
from uuid import UUID

import pytest
from flask import Flask

from app.core import db
from app.core.config.settings import Settings
from app.core.http.access import SESSION_COOKIE
from app.domains.account.accounts.sign_in import authentication, sessions
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.web.frame import sent_forms
from tests import builders
from tests.quick_applications import made
from tests.visiting import ORIGIN, Visitor

PASSWORD = "a long sentence about owls"


@pytest.fixture
def account_id(app: Flask) -> UUID:
    with db.transaction() as tx:
        return builders.account(tx)


@pytest.fixture
def visitor(app: Flask, account_id: UUID) -> Visitor:
    return Visitor(app, account_id)


@pytest.fixture
def stranger(app: Flask) -> Visitor:
    return Visitor(app, None)


def test_who_signs_up_is_signed_in_and_can_come_back(app: Flask, stranger: Visitor) -> None:
    credentials = {"email": "ada@example.org", "password": PASSWORD}
    answer = stranger.post("/sign-up", credentials)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith(SESSION_COOKIE)
    assert all(word in cookie for word in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"))
    assert "ada@example.org" in stranger.get("/settings").text
    again = Visitor(app, None).post("/sign-in", {**credentials, "next": "/sessions"})
    assert again.headers["Location"] == "/sessions"


def test_a_wrong_password_is_told_at_its_field(stranger: Visitor) -> None:
    answer = stranger.post("/sign-in", {"email": "ada@example.org", "password": "wrong"})
    assert answer.status_code == 422
    assert 'id="password-problem"' in answer.text
    assert 'value="ada@example.org"' in answer.text


def test_a_password_signs_in_however_its_accents_are_composed(
    app: Flask, stranger: Visitor
) -> None:
    stranger.post(
        "/sign-up", {"email": "ada@example.org", "password": "hib\u00f4\u00f4u moyen duc"}
    )
    decomposed = {"email": "ada@example.org", "password": "hibo\u0302o\u0302u moyen duc"}
    assert Visitor(app, None).post("/sign-in", decomposed).status_code == 303


def test_what_is_no_email_is_nobodys(app: Flask, stranger: Visitor) -> None:
    """PostgreSQL's lower() makes an i of it, and Python's does not: attempts would be uncounted."""
    stranger.post("/sign-up", {"email": "ida@example.org", "password": PASSWORD})
    alike = {"email": "\u0130da@example.org", "password": PASSWORD}
    assert Visitor(app, None).post("/sign-in", alike).status_code == 422


def test_a_password_that_is_refused_is_not_sent_back(stranger: Visitor) -> None:
    answer = stranger.post("/sign-up", {"email": "ada@example.org", "password": "hunter2"})
    assert answer.status_code == 422
    assert "hunter2" not in answer.text


def test_signing_out_ends_the_session(app: Flask, visitor: Visitor) -> None:
    secret = visitor.client.get_cookie(SESSION_COOKIE)
    assert secret is not None
    visitor.post("/sign-out")
    thief = Visitor(app, None)
    thief.client.set_cookie(SESSION_COOKIE, secret.value, domain="localhost", secure=True)
    assert thief.get("/settings").headers["Location"] == "/sign-in?next=/settings"


def test_another_sign_in_can_be_ended_from_the_list(
    app: Flask, account_id: UUID, visitor: Visitor
) -> None:
    other = Visitor(app, account_id)
    assert str(other.session) in visitor.get("/sessions").text
    visitor.post(f"/sessions/{other.session}/end")
    assert other.get("/settings").status_code == 303
    assert visitor.get("/settings").status_code == 200


def test_a_link_signs_in_once(app: Flask, account_id: UUID, settings: Settings) -> None:
    with db.transaction() as tx:
        link = sessions.make_link(tx, Pepper.of(settings), account_id)
    first, second = (Visitor(app, None).get(f"/enter/{link}") for _ in range(2))
    assert (first.status_code, SESSION_COOKIE in first.headers["Set-Cookie"]) == (303, True)
    assert (second.status_code, "Set-Cookie" in second.headers) == (410, False)


def test_a_link_works_on_this_machine_only(stranger: Visitor, settings: Settings) -> None:
    with db.transaction() as tx:
        link = sessions.make_link(tx, Pepper.of(settings), authentication.make_demo(tx))
    elsewhere = {"X-Forwarded-For": "203.0.113.9"}
    assert stranger.get(f"/enter/{link}", **elsewhere).status_code == 404
    public = made(settings, service_base_url="https://citegrid.example")
    assert Visitor(public, None).get(f"/enter/{link}").status_code == 404


def test_a_form_that_came_too_late_is_shown_again_without_its_secrets(visitor: Visitor) -> None:
    typed = {"csrf": "of yesterday", "zone": "UTC", "theme": "dark", "current_password": "secret"}
    page = visitor.post("/settings?saved=1", typed)
    assert page.status_code == 403
    assert 'action="/settings?saved=1"' in page.text
    assert '<input type="hidden" name="theme" value="dark">' in page.text
    assert "secret" not in page.text
    assert 'name="current_password" type="password"' in page.text
    assert f'name="csrf" value="{visitor.csrf_token()}"' in page.text


def test_a_list_of_sessions_that_may_be_longer_says_so(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MOST_OPEN", 1)
    assert "The 1 sessions used last" in visitor.get("/sessions").text


def test_a_form_that_outlived_its_session_is_shown_after_signing_in(
    app: Flask, stranger: Visitor
) -> None:
    credentials = {"email": "ada@example.org", "password": PASSWORD}
    Visitor(app, None).post("/sign-up", credentials)
    typed = {"zone": "Europe/Berlin", "theme": "dark", "page_size": "50", "key": "k=1&2"}
    asked = stranger.post("/settings", typed)
    assert (asked.status_code, asked.headers.get("Location")) == (401, None)
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', asked.text))
    sent = {name: html.unescape(text) for name, text in hidden.items()}
    wrong = stranger.post("/sign-in", {**sent, **credentials, "password": "wrong"})
    assert f'value="{hidden["sent"]}"' in wrong.text
    page = stranger.post("/sign-in", {**sent, **credentials})
    form = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.text))
    saved = stranger.post("/settings", {name: html.unescape(text) for name, text in form.items()})
    assert saved.headers["Location"] == "/settings?saved=1"
    assert stranger.get("/settings").text.count('value="Europe/Berlin" selected') == 1


def test_a_form_of_elsewhere_is_not_shown_after_signing_in(app: Flask) -> None:
    credentials = {"email": "ada@example.org", "password": PASSWORD}
    Visitor(app, None).post("/sign-up", credentials)
    for action in ("https://evil.example/", "//evil.example", ""):
        form = {**credentials, "sent_to": action, "sent": "a=1"}
        assert Visitor(app, None).post("/sign-in", form).headers["Location"] == "/", action


def test_every_secret_and_every_file_of_forms_is_asked_for_again() -> None:
    templates = Path("app/web/templates").rglob("*.html")
    found = [
        field
        for template in templates
        for field in re.findall(
            r'field\("(\w+)", [^}]*type="(password|file)"', template.read_text()
        )
    ]
    assert dict(found) == sent_forms.ASKED_AGAIN


def test_an_older_browser_tells_its_origin_instead(visitor: Visitor) -> None:
    data, headers = {"csrf": visitor.csrf_token()}, {"Origin": ORIGIN}
    sent = visitor.client.post("/sessions/end-others", data=data, base_url=ORIGIN, headers=headers)
    assert sent.status_code == 303


def test_settings_are_kept_and_obeyed(visitor: Visitor) -> None:
    form = {"zone": "Europe/Berlin", "theme": "dark", "page_size": "20"}
    assert visitor.post("/settings", form).status_code == 303
    page = visitor.get("/sessions").text
    assert 'data-theme="dark"' in page
    assert 'data-shortcuts="off"' in page
    assert " CE" in page  # CET, or CEST in summer


def test_a_zone_that_this_server_does_not_know_any_more_is_utc(
    visitor: Visitor, account_id: UUID
) -> None:
    visitor.post("/settings", {"zone": "Europe/Berlin", "theme": "dark", "page_size": "20"})
    with db.transaction() as tx:
        tx.execute("update preferences set zone = 'Mars/Olympus'")
    page = visitor.get("/settings")
    assert page.status_code == 200
    assert " UTC</time>" in page.text


def test_an_unknown_address_is_a_page_for_browsers_and_json_for_programs(
    stranger: Visitor,
) -> None:
    assert "Not found" in stranger.get("/nothing").text
    assert stranger.get("/nothing", Accept="*/*").json["error"]["code"] == "not_found"
    assert stranger.get("/v1/nothing").json["error"]["code"] == "not_found"


def test_pages_are_sent_with_a_policy_and_kept_by_nobody(visitor: Visitor) -> None:
    headers = visitor.get("/settings").headers
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store"
    assert "Cookie" in headers["Vary"]
    assert "Access-Control-Allow-Origin" not in headers
