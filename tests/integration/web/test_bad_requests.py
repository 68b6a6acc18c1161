"""Bad requests to pages: forged, stale, foreign, malformed. Each gets the refusal it should."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from werkzeug.test import TestResponse

from app.core import db
from app.core.http import csrf
from app.core.http.access import SESSION_COOKIE
from app.domains.account.accounts.sign_in import sessions
from app.domains.account.accounts.sign_in.credentials import Pepper
from tests import builders
from tests.integration.web.conftest import Dashboard
from tests.visiting import BROWSER, FROM_HERE, ORIGIN, Visitor

SIGN_IN = "/sign-in?next="
FORGED = "forged_form"
PREFERRED = {"zone": "UTC", "theme": "dark", "page_size": "50"}
UNKNOWN = "req_aaaaaaaaaaaaaaaaaaaaaaaaaa"


@dataclass(frozen=True)
class Bad:
    """What is sent, by a signed-in account unless `cookie` says otherwise, and what is due.

    `cookie` is a session's secret; "" sends none. `told` stands in the answer or its Location.
    """

    why: str
    status: int
    told: str
    method: str = "GET"
    path: str = "/settings"
    form: Mapping[str, Any] | bytes | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: dict(FROM_HERE))
    cookie: str | None = None
    token: str | None = "own"
    json: object = None
    origin: str = ORIGIN
    address: str = "127.0.0.1"


def post(why: str, status: int, told: str, **more: Any) -> Bad:
    return Bad(why, status, told, **{"method": "POST", "form": PREFERRED, **more})


def going(why: str, wanted: str) -> Bad:
    """Whoever is signed in goes home instead."""
    return Bad(why, 303, "/", path=f"/sign-in?next={wanted}")


ACCEPT = {"Accept": "text/html"}
SITE = "Sec-Fetch-Site"
ROWS = (
    post("no token", 403, FORGED, token=None),
    post("an invented token", 403, FORGED, token="0" * 64),
    post("a token that is not ASCII", 403, FORGED, token="ü" * 64),
    post("the token of another session", 403, FORGED, token="other"),
    post("the token of who is not signed in", 403, FORGED, token="nobody"),
    post("the token in the address", 403, FORGED, token=None, path="/settings?csrf={own}"),
    post("JSON instead of a form", 403, FORGED, token=None, form=None, json=PREFERRED),
    post("another site, by its browser", 403, FORGED, headers={SITE: "cross-site"}),
    post("a sibling site, by its browser", 403, FORGED, headers={SITE: "same-site"}),
    post("a site that its browser does not name", 403, FORGED, headers={SITE: ""}),
    post("a foreign Origin", 403, FORGED, headers={"Origin": "https://evil.example"}),
    post("our name without TLS as Origin", 403, FORGED, headers={"Origin": "http://localhost"}),
    post("an Origin that says nothing", 403, FORGED, headers={"Origin": "null"}),
    post("no Origin at all", 403, FORGED, headers={}),
    Bad("no session", 303, SIGN_IN + "/settings", cookie=""),
    Bad("an invented session", 303, SIGN_IN + "/settings", cookie="cgs_" + "a" * 49),
    Bad("a session that ended", 303, SIGN_IN + "/settings", cookie="ended"),
    Bad("an endless cookie", 303, SIGN_IN + "/settings", cookie="x" * 3000),
    Bad("a session of a disabled account", 303, SIGN_IN + "/settings", cookie="disabled"),
    Bad("an access token as a cookie", 303, SIGN_IN + "/settings", cookie="access"),
    post("a form without a session", 401, "Your session has ended", cookie="", token="nobody"),
    Bad("a poll without a session", 401, "", cookie="", headers={"HX-Request": "true"}),
    Bad("a bearer on a page", 303, SIGN_IN, cookie="", headers={"Authorization": "{bearer}"}),
    Bad("an API key on a page", 303, SIGN_IN, cookie="", headers={"X-API-Key": "{key}"}),
    Bad("a cookie on an API route", 401, "auth_no_token", path="/v1/account"),
    Bad(
        "a session as a bearer", 401, "auth_invalid_token", path="/v1/account",
        headers={"Authorization": "Bearer {session}"},
    ),
    Bad("an unknown page", 404, "not_found", path="/no/such/page", headers=ACCEPT),
    Bad("an unknown page, by a stranger", 404, "not_found", path="/x", headers=ACCEPT, cookie=""),
    Bad("an address with two slashes", 404, "", path="/api-keys//new"),
    Bad("an encoded way up", 404, "", path="/requests/..%2f..%2fapi-keys"),
    Bad("NUL in an address", 404, "", path="/requests/%00"),
    Bad("NUL in a name", 404, "", path="/memory/%00"),
    Bad("NUL in the key of a link", 404, "", path="/shared/srch_x/%00"),
    post("an endless page size", 422, "page_size", form={**PREFERRED, "page_size": "1" * 5000}),
    post(
        "NUL in an e-mail",
        400,
        "validation_failed",
        path="/sign-in",
        cookie="",
        token="nobody",
        form={"email": "\x00", "password": "x"},
    ),
    Bad("an id of nothing", 404, "Request not found", path=f"/requests/{UNKNOWN}"),
    Bad("an id of another kind", 404, "api_key_not_found", path=f"/api-keys/{UNKNOWN}"),
    Bad("a file of no known form", 404, "not_found", path="/requests.xml"),
    Bad("a table as lines of JSON", 404, "not_found", path="/usage.ndjson"),
    post("an action that there is not", 404, "not_found", path="/webhooks/{webhook}/explode"),
    Bad("PUT", 405, "method_not_allowed", "PUT", headers=ACCEPT),
    Bad("DELETE", 405, "method_not_allowed", "DELETE", path="/api-keys", headers=ACCEPT),
    Bad("GET where something changes", 405, "method_not_allowed", path="/sign-out", headers=ACCEPT),
    Bad("a link that was used", 410, "", path="/enter/{used}"),
    Bad("a link that was never given", 410, "", path="/enter/cgl_" + "a" * 49),
    Bad("a link from another machine", 404, "", path="/enter/{link}", address="203.0.113.9"),
    going("another site, without its scheme", "//evil.example"),
    going("another site", "https://evil.example"),
    going("another site, as browsers read it", "/%5Cevil.example"),
    going("a script", "javascript:alert(1)"),
    going("a header of its own", "/%0d%0aSet-Cookie:%20x=1"),
    Bad("another name of this host", 421, "unknown_host", origin="https://evil.example"),
    Bad("a status that there is not", 400, "validation_failed", path="/requests?status=9xx"),
    Bad("an endless filter", 400, "validation_failed", path="/requests?api_key=" + "a" * 5000),
    Bad("a filter with NUL", 400, "validation_failed", path="/requests?method=%00"),
    Bad("a cursor of no list", 400, "validation_failed", path="/api-keys?cursor=cur_x"),
    Bad("a group that there is not", 400, "validation_failed", path="/billing?group=year"),
    Bad("a month to come", 400, "validation_failed", path="/billing?month=2099-12"),
    Bad("a month that is none", 400, "validation_failed", path="/billing?month=2026-13"),
    post("a form that is too large", 413, "payload_too_large", form=b"csrf=x&a=" + b"a" * 2**20),
    post("a form that is no text", 403, FORGED, form=b"csrf=\xff\xfe&zone=\xff", token=None),
    post("a zone that there is not", 422, 'id="zone-problem"', form={**PREFERRED, "zone": "X/Y"}),
    post("a number that is none", 422, "", form={**PREFERRED, "page_size": "9" * 400}),
    post("a scope that there is not", 422, "scopes-problem", path="/api-keys",
         form={"name": "x", "scopes": ["root"], "life": "30"}),
    post("text with NUL", 400, "validation_failed", path="/api-keys",
         form={"name": "a\0b", "scopes": ["search"], "life": "30"}),
    post("an address inside of the cloud", 422, "url-problem", path="/webhooks",
         form={"url": "http://169.254.169.254/latest", "events": ["*"]}),
    post("another form with the same key", 409, "idempotency_key_reused", path="/api-keys",
         form={"name": "another", "scopes": ["search"], "life": "30", "key": "used-before"}),
)  # fmt: skip


@dataclass
class World:
    """Cookies, tokens and ids that rows name."""

    dashboard: Dashboard
    cookies: dict[str, str]
    tokens: dict[str, str]
    names: dict[str, str]

    def send(self, bad: Bad) -> TestResponse:
        client = self.dashboard.app.test_client()
        cookie = self.names["session"] if bad.cookie is None else bad.cookie
        if secret := self.cookies.get(cookie, cookie):
            client.set_cookie(SESSION_COOKIE, secret, domain="localhost", secure=True)
        sent: dict[str, Any] = {"json": bad.json} if bad.json is not None else {}
        if bad.form is not None:
            sent |= {"data": self._form(bad), "content_type": "application/x-www-form-urlencoded"}
        return client.open(
            self._named(bad.path),
            method=bad.method,
            base_url=bad.origin,
            headers={name: self._named(text) for name, text in bad.headers.items()},
            environ_overrides={"REMOTE_ADDR": bad.address},
            **sent,
        )

    def _form(self, bad: Bad) -> Any:
        if not isinstance(bad.form, Mapping) or bad.token is None:
            return bad.form
        return {"csrf": self.tokens.get(bad.token, bad.token), **bad.form}

    def _named(self, text: str) -> str:
        for name, value in {**self.names, "own": self.tokens["own"]}.items():
            text = text.replace("{" + name + "}", value)
        return text


@pytest.fixture(scope="module")
def world(dashboard: Dashboard) -> World:
    settings = dashboard.settings
    pepper = Pepper.of(settings)
    with db.transaction() as tx:
        disabled = builders.account(tx, "disabled@example.org")
        session, foreign = (
            sessions.start_browser(tx, pepper, account, BROWSER)
            for account in (dashboard.account, disabled)
        )
        own, family = (_sign_in(tx, pepper, secret) for secret in (session, foreign))
        tx.execute("update accounts set disabled_at = now() where id = %s", [disabled])
        stale = sessions.start_browser(tx, pepper, dashboard.account, BROWSER)
        sessions.end(tx, _sign_in(tx, pepper, stale))
        access = builders.access_token(tx, settings, dashboard.account)
        key = builders.api_key(tx, settings, dashboard.account)
        links = [sessions.make_link(tx, pepper, dashboard.account) for _ in range(2)]
    Visitor(dashboard.app, None).get(f"/enter/{links[0]}")
    form = {"name": "first", "scopes": ["search"], "life": "30", "key": "used-before"}
    dashboard.owner.post("/api-keys", form)
    webhook = dashboard.api("POST", "/v1/webhooks", {"url": "https://example.org/"}).get_json()

    def token(id: Any) -> str:
        return csrf.token(settings.secret_key, id)

    return World(
        dashboard,
        {"ended": stale, "disabled": foreign, "access": access},
        {"own": token(own), "other": token(family), "nobody": token(None)},
        {
            "session": session,
            "bearer": f"Bearer {access}",
            "key": key,
            "used": links[0],
            "link": links[1],
            "webhook": webhook["webhook"]["id"],
        },
    )


def _sign_in(tx: db.Tx, pepper: Pepper, secret: str) -> UUID:
    """Which one a session's secret belongs to."""
    which = "select family_id from tokens where digest = any(%(digests)s)"
    return UUID(str(db.value(tx, which, digests=pepper.digests(secret))))


@pytest.mark.parametrize("bad", ROWS, ids=[row.why for row in ROWS])
def test_a_bad_request_gets_its_refusal(world: World, bad: Bad) -> None:
    answer = world.send(bad)
    assert answer.status_code == bad.status, answer.get_data(as_text=True)[:2000]
    place = answer.headers.get("Location", answer.headers.get("HX-Redirect", ""))
    if answer.status_code == 303:
        assert place.startswith(bad.told)
        assert "evil" not in place
    else:
        assert bad.told in answer.get_data(as_text=True)
    assert "\r" not in str(answer.headers.get("Location", ""))
