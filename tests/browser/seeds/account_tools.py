"""API keys of every state, a webhook with deliveries, requests, usage."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from app.core import db, ids
from app.core.ids import Noun
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount, LedgerLine
from app.domains.own_data.requests import recorder
from tests import builders
from tests.browser.pages import Page

if TYPE_CHECKING:
    from tests.browser.site import Site

PAGES = (
    Page("api-keys", "/api-keys"),
    Page("api-keys-empty", "/api-keys", "newcomer"),
    Page("api-key-new", "/api-keys/new"),
    Page("api-key", "/api-keys/{api_key}"),
    Page("api-key-revoked", "/api-keys/{revoked_key}"),
    Page("webhooks", "/webhooks"),
    Page("webhooks-empty", "/webhooks", "newcomer"),
    Page("webhook", "/webhooks/{webhook}"),
    Page("webhook-no-match", "/webhooks/{webhook}?cursor=cur_aaaaaaaaaaaaaaaaaaaaaaaaaa"),
    Page("delivery", "/webhooks/{webhook}/deliveries/{delivery}"),
    Page("requests", "/requests"),
    Page("requests-empty", "/requests", "newcomer"),
    Page("requests-no-match", "/requests?status=3xx"),
    Page("request-refused", "/requests/{refused}"),
    Page("request-chat", "/requests/{chat_request}"),
    Page("request-missing", "/requests/req_aaaaaaaaaaaaaaaaaaaaaaaaaa", status=404),
    Page("billing-by-key", "/billing?group=key"),
    Page("billing-by-kind", "/billing?group=kind"),
    Page("connect", "/connect"),
    Page("connect-empty", "/connect", "newcomer"),
)

ATTEMPT = """
    insert into webhook_attempts (delivery_id, n, at, status, error, milliseconds, answer)
    values (%s, %s, now() - interval '2 minutes', %s, %s, %s, %s)
    """
ENDED = "update webhook_deliveries set status = %s, error = %s where id = %s"
CHAT = """
    insert into chats (id, account_id, provider_id, offer_id, pricing_revision, input_rate,
                       output_rate, max_cost, cost)
    select %(id)s, %(account)s, %(account)s, offer_id, revision, input_rate, output_rate, 2, 0.0125
    from provider_offer_prices limit 1
    """
ERROR = {
    "code": "validation_failed",
    "message": "The request is invalid; `details` names each field.",
    "details": [{"field": "/query", "problem": "Must have 1 to 2000 characters, trimmed."}],
}


def plant(site: "Site") -> None:
    keys = {name: _key(site, name) for name in ("laptop", "ci", "former notebook", "old")}
    site.ids["api_key"] = keys["laptop"]
    site.ids["revoked_key"] = keys["old"]
    site.api("POST", f"/v1/api-keys/{keys['former notebook']}/roll", {"overlap_hours": 24})
    revoked = site.app.test_client().delete(
        f"/v1/api-keys/{keys['old']}", headers={"Authorization": f"Bearer {site.tokens['account']}"}
    )
    assert revoked.status_code == 204
    with db.transaction() as tx:
        tx.execute("update api_keys set last_used_at = now() - interval '3 minutes'")
    _webhook(site)
    _requests(site, keys)


def _key(site: "Site", name: str) -> str:
    scopes = ["search"] if name == "laptop" else ["search", "jobs", "chat"]
    made = site.api("POST", "/v1/api-keys", {"name": name, "scopes": scopes, "expires_at": None})
    id: str = made["api_key"]["id"]
    return id


def _webhook(site: "Site") -> None:
    body = {"url": "https://example.org/hooks/citegrid", "events": ["job.completed", "job.failed"]}
    id = site.ids["webhook"] = site.api("POST", "/v1/webhooks", body)["webhook"]["id"]
    sent = [
        ids.internal(Noun.DELIVERY, site.api("POST", f"/v1/webhooks/{id}/test")["delivery"]["id"])
        for _ in range(3)
    ]
    with db.transaction() as tx:
        tx.execute(ATTEMPT, [sent[0], 1, 200, None, 84, "ok"])
        tx.execute(ENDED, ["delivered", None, sent[0]])
        tx.execute(ATTEMPT, [sent[1], 1, None, "connection_failed", 10, None])
        tx.execute(ATTEMPT, [sent[1], 2, 503, "status", 912, "<h1>Service unavailable</h1>"])
        tx.execute(ENDED, ["failed", "attempts_exhausted", sent[1]])
        assert sent[1] is not None
        site.ids["delivery"] = ids.public(Noun.DELIVERY, sent[1])
    elsewhere = {"url": "https://hooks.example.org/a/longer/path/of/a/receiver", "events": ["*"]}
    other = site.api("POST", "/v1/webhooks", elsewhere)["webhook"]["id"]
    with db.transaction() as tx:
        tx.execute(
            "update webhooks set failing_since = now() - interval '5 hours' where id = %s",
            [ids.internal(Noun.WEBHOOK, other)],
        )


def _requests(site: "Site", keys: dict[str, str]) -> None:
    """Of the last days, some refused, one replayed, one a chat that cost something."""
    with db.transaction() as tx:
        for number, id in enumerate((*keys.values(), None) * 8):
            recorder.insert(tx, [_request(site, number, id)])
        refused = _request(site, 1, keys["laptop"])._replace(
            status=400, operation="createSearch", error=ERROR, location=None
        )
        chat = _chat(site, tx, keys["ci"])
        recorder.insert(tx, [refused, chat])
        site.ids["refused"], site.ids["chat_request"] = refused.id, chat.id
        fund = LedgerLine(site.account, "credit", Decimal("-2.5"))
        to = LedgerLine(ids.new(), "escrow", Decimal("2.5"))
        ledger.post(tx, f"fund:{ids.new()}", "fund", "USD", fund, to)


def _request(site: "Site", number: int, key_id: str | None) -> recorder.RequestEntry:
    calls = (
        ("POST", "/external/v1/search", "createSearch", 202),
        ("GET", "/external/v1/search/srch_agrahpqtrz4cxb2hsytdp3xv4e", "getSearch", 200),
        ("POST", "/v1/extract/jobs", "createJob", 202),
        ("GET", "/v1/extract/jobs/job_agrahpqtrz4cxb2hsytdp3xv4e", "getJob", 404),
        ("GET", "/v1/campaigns", "listCampaigns", 200),
    )
    method, path, operation, status = calls[number % len(calls)]
    at = datetime.now(UTC) - timedelta(hours=4 * number, minutes=7)
    internal = ids.internal(Noun.API_KEY, key_id) if key_id else None
    return builders.answered(
        site.account,
        id=ids.public(Noun.REQUEST, _id_at(at)),
        credential_id=internal or site.account,
        source="key" if internal else "token",
        at=at,
        method=method,
        route=path,
        path=path,
        operation=operation,
        status=status,
        seconds=0.004 * (number + 1),
        error={"code": "job_not_found", "message": "No such job."} if status == 404 else None,
        headers={"User-Agent": "citegrid/0.1.0 python/3.11.7", "Idempotency-Key": "report-2026-11"},
        replayed=number == 0,
        location=path,
    )


def _id_at(at: datetime) -> Any:
    """An identifier as it would have been made then."""
    later = ids.new().int & ((1 << 80) - 1)
    return type(ids.new())(int=ids.first_of(at).int | later)


def _chat(site: "Site", tx: Any, key_id: str) -> recorder.RequestEntry:
    id = ids.new()
    builders.credit(tx, site.account, "25")
    builders.offer(tx, site.account)
    tx.execute(CHAT, {"id": id, "account": site.account})
    credit, held = (
        LedgerAccount(site.account, "credit"),
        LedgerAccount(site.account, "held"),
    )
    ledger.hold(tx, id, f"hold:{id}", "chat", "USD", credit, held, Decimal(2))
    earned = LedgerLine(ids.new(), "available", Decimal("0.0125"))
    ledger.settle(tx, id, f"settle:{id}", "chat", earned, rest=credit)
    return _request(site, 0, key_id)._replace(
        path="/v1/chat/completions",
        route="/v1/chat/completions",
        operation="createChatCompletion",
        status=200,
        replayed=False,
        made_id=id,
        location=None,
    )
