"""Who may call what: every route of the whole application for every kind of caller.

A route without a row here fails, so a new one is thought about.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from app.core import db, ids
from app.core.ids import Noun
from app.domains.account.accounts.key_rules import SCOPES
from app.domains.account.accounts.service import set_operator
from app.domains.account.accounts.sign_in import callers, credentials
from app.domains.providers.nodes import authentication
from app.domains.records.page_jobs.verification import verifications
from tests import builders, node_work
from tests.contract.test_doors import is_page

CALLERS = {
    "public": """
        GET /healthz
        GET /metrics
        GET /openapi.json
        GET /readyz
        GET /static/<path:filename>
        GET /static/vendor/<name>
        POST /alerts/stop/<string:token>
        POST /v1/accounts
        POST /v1/tokens
        POST /v1/tokens/refresh
        POST /onchain/v1/search
        GET /onchain/v1/search/<string:search_id>
        GET /onchain/v1/search/<string:search_id>/events
        GET /onchain/v1/search/<string:search_id>/sources/<string:n>/snapshot
        GET /v1/models
        GET /v1/models/<path:model>
        GET /public/provider-offers/<string:offer_id>/health
        GET /public/provider-offers
        GET /public/provider-offers/<string:offer_id>
        GET /public/providers/<string:handle>
        GET /public/providers/<string:handle>/avatar""",
    "account": """
        DELETE /v1/tokens
        DELETE /v1/tokens/current
        GET DELETE /v1/account
        POST /v1/account/password
        GET POST /v1/account/export
        GET /v1/account/export/file
        GET POST /v1/api-keys
        PATCH DELETE /v1/api-keys/<key:key_id> api_key_not_found
        POST /v1/api-keys/<key:key_id>/roll api_key_not_found
        GET /v1/requests
        GET /v1/audit-events
        GET /v1/requests/<req:request_id> request_not_found
        GET /v1/usage
        GET POST /v1/credits
        GET POST /v1/payouts
        GET /v1/payouts/<pout:payout_id> payout_not_found
        POST /v1/campaigns/<camp:campaign_id>/fund campaign_not_found
        GET PUT /v1/provider-profile
        GET POST /v1/provider-profile/avatar
        GET /v1/provider-offers
        PUT /v1/provider-offers/<string:offer_id> offer_not_found""",
    "search": """
        GET POST /external/v1/search
        GET /external/v1/search/<srch:search_id> search_not_found
        POST /external/v1/search/<srch:search_id>/cancel search_not_found
        GET /external/v1/search/<srch:search_id>/events search_not_found
        GET /external/v1/search/<srch:search_id>/sources/<string:n>/snapshot search_not_found""",
    "corpora": """
        GET POST /v1/corpora
        GET PATCH DELETE /v1/corpora/<corp:corpus_id> corpus_not_found
        GET POST /v1/corpora/<corp:corpus_id>/sites corpus_not_found
        GET DELETE /v1/corpora/<corp:corpus_id>/sites/<site:site_id> corpus_not_found
        POST /v1/corpora/<corp:corpus_id>/sites/<site:site_id>/refresh corpus_not_found
        GET POST /v1/corpora/<corp:corpus_id>/documents corpus_not_found
        PUT GET PATCH DELETE /v1/corpora/<corp:corpus_id>/documents/<path:key> corpus_not_found""",
    "jobs": """
        GET POST /v1/alerts
        GET DELETE /v1/alerts/<alrt:alert_id> alert_not_found
        GET POST /v1/webhooks
        GET PATCH DELETE /v1/webhooks/<whk:webhook_id> webhook_not_found
        POST /v1/webhooks/<whk:webhook_id>/roll webhook_not_found
        POST /v1/webhooks/<whk:webhook_id>/test webhook_not_found
        POST /v1/webhooks/<whk:webhook_id>/redeliver webhook_not_found
        GET /v1/webhooks/<whk:webhook_id>/deliveries webhook_not_found
        GET /v1/webhooks/<whk:webhook_id>/deliveries/<dlv:delivery_id> webhook_not_found
        POST /v1/webhooks/<whk:webhook_id>/deliveries/<dlv:delivery_id>/redeliver webhook_not_found
        GET POST /v1/extract/jobs
        GET DELETE /v1/extract/jobs/<job:job_id> job_not_found
        GET /v1/extract/jobs/<job:job_id>/request job_not_found
        POST /v1/extract/jobs/<job:job_id>/cancel job_not_found
        POST /v1/extract/jobs/<job:job_id>/pause job_not_found
        POST /v1/extract/jobs/<job:job_id>/resume job_not_found
        POST /v1/extract/jobs/<job:job_id>/rerun job_not_found
        GET /v1/extract/jobs/<job:job_id>/events job_not_found
        GET /v1/extract/jobs/<job:job_id>/runs job_not_found
        GET /v1/extract/jobs/<job:job_id>/pages job_not_found
        GET /v1/extract/jobs/<job:job_id>/records job_not_found
        GET /v1/extract/jobs/<job:job_id>/changes job_not_found
        GET /v1/extract/snapshots/<snap:snapshot_id> snapshot_not_found
        POST /v1/extract/verify
        GET /v1/extract/verify/<vfy:verification_id> verification_not_found""",
    "chat": """
        POST /v1/chat/completions""",
    "node": """
        POST /v1/work/<string:work_id>/chunks
        POST /v1/nodes/<node:node_id>/heartbeat node_not_found
        POST /v1/nodes/<node:node_id>/work/claim node_not_found
        POST /v1/work/<work:work_id>/extend work_not_found
        POST /v1/work/<work:work_id>/result work_not_found
        POST /v1/work/<work:work_id>/decline work_not_found""",
    "campaigns": """
        PUT /v1/campaigns/<camp:campaign_id>/records/<crec:record_id>/judgement campaign_not_found
        POST /v1/campaigns/<camp:campaign_id>/records/<crec:record_id>/dispute campaign_not_found
        GET /v1/campaigns/<camp:campaign_id>/disputes campaign_not_found
        GET POST /v1/campaigns
        GET /v1/campaigns/<camp:campaign_id> campaign_not_found
        GET /v1/campaigns/<camp:campaign_id>/statistics campaign_not_found
        POST /v1/campaigns/<camp:campaign_id>/pause campaign_not_found
        POST /v1/campaigns/<camp:campaign_id>/resume campaign_not_found
        POST /v1/campaigns/<camp:campaign_id>/cancel campaign_not_found
        GET /v1/campaigns/<camp:campaign_id>/runs campaign_not_found
        GET /v1/campaigns/<camp:campaign_id>/records campaign_not_found
        GET /v1/campaigns/<camp:campaign_id>/records/<crec:record_id> campaign_not_found
        GET /v1/campaigns/<camp:campaign_id>/work campaign_not_found
        GET /v1/campaigns/<camp:campaign_id>/ledger campaign_not_found""",
    "nodes": """
        POST /v1/campaigns/records/<crec:record_id>/appeal
        GET /v1/disputes
        GET /v1/rewards
        GET /v1/rewards/entries
        GET /v1/reputation
        GET POST /v1/nodes
        GET PATCH DELETE /v1/nodes/<node:node_id> node_not_found
        POST /v1/nodes/<node:node_id>/roll node_not_found
        GET /v1/nodes/<node:node_id>/work node_not_found""",
    "memory": """
        GET /v1/personas
        GET DELETE /v1/personas/<string:persona_id>/memory persona_not_found
        POST /v1/personas/<string:persona_id>/memory
        GET PATCH DELETE /v1/personas/<string:persona_id>/memory/<mem:memory_id> memory_not_found
        GET /v1/personas/<string:persona_id>/memory/export persona_not_found""",
    "operator": """
        GET /v1/operations/actions
        GET POST /v1/operations/bulk
        GET /v1/operations/bulk/<bulk:bulk_id>
        GET /v1/operations/failures
        GET /v1/operations/jobs
        GET /v1/operations/jobs/counts
        GET /v1/operations/jobs/<string:task_id>
        POST /v1/operations/jobs/<string:task_id>/cancel
        POST /v1/operations/jobs/<string:task_id>/retry
        GET /v1/operations/queues
        GET /v1/operations/queues/<string:queue_name>
        POST /v1/operations/queues/<string:queue_name>/pause
        POST /v1/operations/queues/<string:queue_name>/resume
        GET /v1/operations/samples
        GET /v1/operations/workers
        DELETE /v1/operations/workers/<string:worker_id>
        POST /v1/operations/workers/<string:worker_id>/drain""",
}
"""Who may call which routes: "public", "account" (access tokens only), "node" (tokens of nodes),
"operator" (access tokens of accounts with that role), or the scope of their keys.

Where the path names a thing that only its owner has: what everybody else is told, by its code.
"""


def _rows(routes: str) -> Iterator[tuple[tuple[str, str], str | None]]:
    for words in map(str.split, routes.splitlines()[1:]):
        at = next(n for n, word in enumerate(words) if word.startswith("/"))
        for method in words[:at]:
            yield (method, words[at]), next(iter(words[at + 1 :]), None)


TABLE = {
    route: (who, foreign) for who, routes in CALLERS.items() for route, foreign in _rows(routes)
}
ROUTES = [route for route, (who, _) in TABLE.items() if who != "operator"]

# A body that passes the form of those routes whose refusal comes after it.
BODIES = {
    "judgeCampaignRecord": {"verdict": "accept"},
    "disputeRecord": {"category": "other", "reason": "It is not what was asked for."},
    "updateApiKey": {"name": "x"},
    "fundCampaign": {"amount": "1"},
    "rollApiKey": {"overlap_hours": 1},
    "updateOwnProviderOffer": {"public_name": "x", "published": True},
    "createSite": {"url": "https://birds.example.org/"},
    "updateCorpus": {"name": "x"},
    "updateDocument": {"metadata": {"year": 2026}},
    "updateWebhook": {"enabled": True},
    "sendNodeHeartbeat": {"in_flight": 0},
    "claimWork": {"key": "1", "kinds": ["x"]},
    "extendWork": {"fence": 1},
    "pushWorkChunks": {"fence": 1, "seq": 0, "data": [], "done": True},
    "submitWorkResult": {"fence": 1, "output": {}},
    "declineWork": {"fence": 1, "reason": "cannot"},
    "redeliverWebhook": {"since": "2026-11-22T00:00:00Z"},
}
REFUSED = {
    "no token": "auth_no_token",
    "malformed": "auth_invalid_token",
    "unknown": "auth_invalid_token",
    "expired": "auth_expired_token",
    "revoked": "auth_revoked_token",
    "unknown key": "auth_invalid_token",
    "expired key": "auth_expired_token",
    "revoked key": "auth_revoked_token",
}
REFUSED_EVERYWHERE = {"no token"}


PUBLISHED = "what is published is for everybody"
PAID_FOR = "its token or wallet opens it: integration/payments/test_reading.py"
OPEN_TO_OTHERS = {
    ("POST", "/alerts/stop/<string:token>"): "whoever has the link of a mail may stop it",
    ("GET", "/static/<path:filename>"): PUBLISHED,
    ("GET", "/static/vendor/<name>"): PUBLISHED,
    ("GET", "/v1/models/<path:model>"): PUBLISHED,
    ("GET", "/public/provider-offers/<string:offer_id>"): PUBLISHED,
    ("GET", "/public/provider-offers/<string:offer_id>/health"): PUBLISHED,
    ("GET", "/public/providers/<string:handle>"): PUBLISHED,
    ("GET", "/public/providers/<string:handle>/avatar"): PUBLISHED,
    ("GET", "/onchain/v1/search/<string:search_id>"): PAID_FOR,
    ("GET", "/onchain/v1/search/<string:search_id>/events"): PAID_FOR,
    ("GET", "/onchain/v1/search/<string:search_id>/sources/<string:n>/snapshot"): PAID_FOR,
    ("POST", "/v1/personas/<string:persona_id>/memory"): "each account names its personas itself",
    ("POST", "/v1/campaigns/records/<crec:record_id>/appeal"): "of its contributor only:"
    " integration/campaigns/test_disputes.py",
    ("POST", "/v1/work/<string:work_id>/chunks"): "of the node that has it only:"
    " integration/chats/test_hostile_nodes.py",
}
"""Routes with an id in their path that the table tries with no stranger, and why."""


class Things:
    """What belongs to the owner, by the name of its place in a path: made when a path names it."""

    key, n, token, handle, model = "owls.md", "1", "nonsense", "nobody", "example/none"
    filename, name = "app.css", "htmx.js"
    record_id = ids.public(Noun.CAMPAIGN_RECORD, UUID(int=7 << 76 | 2 << 62))

    def __init__(self, app: Flask, owner: UUID, headers: dict[str, str], node_token: str) -> None:
        self._client, self._settings = app.test_client(), app.extensions["settings"]
        self._owner, self._headers = owner, headers
        with db.transaction() as tx:  # at once: its token is refused where nodes have no access
            self._node, _ = node_work.node(
                tx, self._settings, owner, token=node_token, capacity=100
            )

    def path(self, rule: str) -> str:
        return path(rule, partial(getattr, self))

    def _post(self, path: str, body: object = None) -> Any:
        answer = self._client.post(path, json=body, headers=self._headers)
        assert answer.status_code < 300, answer.text
        return answer.get_json()

    @cached_property
    def key_id(self) -> str:
        body = {"name": "x", "scopes": ["chat"]}
        return str(self._post("/v1/api-keys", body)["api_key"]["id"])

    @cached_property
    def search_id(self) -> str:
        return str(self._post("/external/v1/search", {"query": "x"})["id"])

    @cached_property
    def webhook_id(self) -> str:
        return str(self._post("/v1/webhooks", {"url": "https://example.org/"})["webhook"]["id"])

    @cached_property
    def delivery_id(self) -> str:
        return str(self._post(f"/v1/webhooks/{self.webhook_id}/test")["delivery"]["id"])

    @cached_property
    def alert_id(self) -> str:
        wanted = {"campaign": self.campaign_id, "condition": "ended", "webhook": self.webhook_id}
        return str(self._post("/v1/alerts", wanted)["alert"]["id"])

    @cached_property
    def campaign_id(self) -> str:
        return str(self._post("/v1/campaigns", builders.CAMPAIGN)["id"])

    @cached_property
    def job_id(self) -> str:
        job = {
            "type": "extraction",
            "source": {"type": "url", "url": "https://example.org/"},
            "schema": {"type": "object", "properties": {"name": {"type": "string"}}},
        }
        return str(self._post("/v1/extract/jobs", job)["id"])

    @cached_property
    def snapshot_id(self) -> str:
        job_id = self.job_id
        with db.transaction() as tx:
            made = builders.page_of_job(tx, job_id, "https://example.org/", "Lamp")
            return ids.public(Noun.SNAPSHOT, made)

    @cached_property
    def verification_id(self) -> str:
        asked = {"url": "https://example.org/", "quote": "Lamp", "snapshot": None, "stored": None}
        with db.transaction() as tx:
            return ids.public(Noun.VERIFICATION, verifications.begin(tx, self._owner, **asked))

    @cached_property
    def memory_id(self) -> str:
        fact = {"type": "fact", "content": "Owns a boat", "source": "user_approved"}
        return str(self._post("/v1/personas/me/memory", fact)["memory"]["id"])

    @property
    def persona_id(self) -> str:
        return "me" if self.memory_id else ""

    @cached_property
    def corpus_id(self) -> str:
        made = str(self._post("/v1/corpora", {"name": f"owls {ids.new()}"})["id"])
        document = f"/v1/corpora/{made}/documents/{self.key}"
        self._client.put(document, data="# Owls", headers=self._headers)
        return made

    @cached_property
    def site_id(self) -> str:
        site = {"url": "https://birds.example.org/"}
        return str(self._post(f"/v1/corpora/{self.corpus_id}/sites", site)["id"])

    @cached_property
    def offer_id(self) -> str:
        with db.transaction() as tx:
            return str(builders.offer(tx, self._owner))

    @cached_property
    def payout_id(self) -> str:
        with db.transaction() as tx:
            return ids.public(Noun.PAYOUT, builders.payout(tx, self._owner))

    @property
    def node_id(self) -> str:
        return ids.public(Noun.NODE, self._node)

    @cached_property
    def work_id(self) -> str:
        with db.transaction() as tx:
            return ids.public(Noun.WORK, node_work.held(tx, self._owner, self._node))

    @cached_property
    def request_id(self) -> str:
        with db.transaction() as tx:
            return builders.request(tx, self._owner)


def path(rule: str, named: Callable[[str], str]) -> str:
    """An address of a rule, with what is `named` in the place of each name."""
    parts = (
        named(part.strip("<>").rpartition(":")[2]) if part.startswith("<") else part
        for part in rule.split("/")
    )
    return "/".join(parts)


@dataclass(frozen=True)
class World:
    """Headers of every caller, and the owner's things."""

    actors: dict[str, dict[str, str]]
    make: Callable[[], Things]
    keys: Callable[[str], dict[str, dict[str, str]]]
    """With a scope, and with all others."""


@pytest.fixture
def world(site: Flask, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> World:
    """Accounts of the test's own, which nobody has limited."""
    settings = site.extensions["settings"]
    monkeypatch.setattr(callers, "cache", callers.Cache())
    monkeypatch.setattr(authentication, "cache", callers.Cache())
    actors: dict[str, dict[str, str]] = {"no token": {}, "malformed": bearer("nonsense")}
    actors["unknown"] = bearer(credentials.new(credentials.ACCESS))
    actors["unknown key"] = {"X-API-Key": credentials.new(credentials.API_KEY)}
    with db.transaction() as tx:
        owner, other = (builders.account(tx, f"{ids.new()}@example.org") for _ in range(2))
        # Whatever each statement touches besides its own credential has ended before.
        actors["expired"] = bearer(builders.access_token(tx, settings, owner))
        tx.execute("update tokens set expires_at = now()")
        actors["revoked"] = bearer(builders.access_token(tx, settings, other))
        tx.execute("update token_families set revoked_at = now() where account_id = %s", [other])
        actors["expired key"] = {"X-API-Key": builders.api_key(tx, settings, owner, SCOPES)}
        tx.execute("update api_keys set expires_at = now()")
        actors["revoked key"] = {"X-API-Key": builders.api_key(tx, settings, owner, SCOPES)}
        tx.execute("update api_keys set revoked_at = now() where expires_at is null")
        actors["key for all"] = {"X-API-Key": builders.api_key(tx, settings, owner, SCOPES)}
        actors["another account"] = bearer(builders.access_token(tx, settings, other))
        _, token = node_work.node(tx, settings, other)
        actors["another node"] = bearer(token)
        token = credentials.new(credentials.NODE)
        actors["node"] = bearer(token)
        # Last: it may sign itself out, and makes no more things then.
        actors["owner"] = bearer(builders.access_token(tx, settings, owner))

    def keys(scope: str) -> dict[str, dict[str, str]]:
        if scope not in SCOPES:
            return {}
        others = tuple(other for other in SCOPES if other != scope)
        scopes = {f"key for {scope}": (scope,), "key for the others": others}
        with db.transaction() as tx:
            return {
                name: bearer(builders.api_key(tx, settings, owner, held))
                for name, held in scopes.items()
            }

    return World(actors, lambda: Things(site, owner, actors["owner"], token), keys)


def bearer(credential: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {credential}"}


def test_every_route_has_a_row_and_every_row_a_route(site: Flask) -> None:
    routes = {
        (method, rule.rule)
        for rule in site.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if not is_page(site, rule.endpoint)
    }
    assert set(TABLE) == routes


def test_each_route_that_names_a_thing_refuses_those_of_others_or_says_why_not() -> None:
    named = {
        (method, rule)
        for (method, rule), (who, foreign) in TABLE.items()
        if "<" in rule and foreign is None and who != "operator"
    }
    assert named == set(OPEN_TO_OTHERS)


@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
def test_each_caller_gets_what_the_table_says(
    world: World, site: Flask, route: tuple[str, str]
) -> None:
    (method, rule), client = route, site.test_client()
    actors = world.keys(TABLE[route][0]) | world.actors
    wanted = dict(expected(route, actors))
    address = world.make().path(rule)
    got = {}
    for name in wanted:
        if method == "DELETE" and "in" in got.values():
            address = world.make().path(rule)  # the one before is gone
        given = body(site, route)
        answer = client.open(address, method=method, headers=actors[name], json=given)
        error = (answer.get_json(silent=True) or {}).get("error")  # a job may have had one itself
        code = (error or {}).get("code")
        answer.close()
        got[name] = code if code in {*CODES_OF_ACCESS, TABLE[route][1]} - {None} else "in"
    assert got == wanted


def test_for_others_than_operators_there_are_no_operations(world: World, site: Flask) -> None:
    client, settings = site.test_client(), site.extensions["settings"]
    with db.transaction() as tx:
        operator = builders.account(tx, "operator@example.org")
        set_operator(tx, "operator@example.org", True)
        world.actors["operator"] = bearer(builders.access_token(tx, settings, operator))
        world.actors["operator's key"] = bearer(builders.api_key(tx, settings, operator, SCOPES))
    for (method, rule), (who, _) in TABLE.items():
        if who != "operator":
            continue
        for name, headers in world.actors.items():
            answer = client.open(re.sub("<[^>]+>", "x", rule), method=method, headers=headers)
            code = ((answer.get_json(silent=True) or {}).get("error") or {}).get("code")
            wanted = REFUSED.get(
                name, "auth_invalid_token" if name.endswith("node") else "not_found"
            )
            assert (code == wanted) is (name != "operator"), (method, rule, name, code)


CODES_OF_ACCESS = {*REFUSED.values(), "api_key_scope"}


def expected(
    route: tuple[str, str], actors: dict[str, dict[str, str]]
) -> Iterator[tuple[str, str | None]]:
    """Each caller's outcome: "in", or the code of the refusal.

    What is wrong with a credential is found before its route is: one of each kind shows it whole.
    """
    who, foreign = TABLE[route]
    opening = () if who == "account" else (f"key for {who}", "key for all")
    whole = route == next(each for each in TABLE if TABLE[each][0] == who)
    for name in actors:
        if name in REFUSED and not (whole or name in REFUSED_EVERYWHERE):
            continue
        if who == "public":
            yield name, "in"
        elif name in REFUSED:
            yield name, REFUSED[name]
        elif name.endswith("node"):
            own = (foreign or "in") if name == "another node" else "in"
            yield name, own if who == "node" else "auth_invalid_token"
        elif who == "node" or (name.startswith("key for") and name not in opening):
            yield name, "api_key_scope"
        else:
            yield name, (foreign or "in") if name == "another account" else "in"


def body(app: Flask, route: tuple[str, str]) -> dict[str, object]:
    """JSON for every method but GET; enough for refusals that come after the form is checked."""
    if route[0] in ("GET", "DELETE"):
        return {}
    (endpoint,) = {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if rule.rule == route[1] and route[0] in (rule.methods or ())
    }
    said = getattr(app.view_functions[endpoint], "_apidoc", {})
    operation = said.get("manual_doc", {}).get("operationId", "")
    return BODIES.get(operation, {})


NOBODYS = {
    "key_id": ids.public(Noun.API_KEY, ids.new()),
    "search_id": ids.public(Noun.SEARCH, ids.new()),
    "offer_id": str(ids.new()),
    "webhook_id": ids.public(Noun.WEBHOOK, ids.new()),
    "delivery_id": ids.public(Noun.DELIVERY, ids.new()),
    "alert_id": ids.public(Noun.ALERT, ids.new()),
    "job_id": ids.public(Noun.JOB, ids.new()),
    "snapshot_id": ids.public(Noun.SNAPSHOT, ids.new()),
    "verification_id": ids.public(Noun.VERIFICATION, ids.new()),
    "payout_id": ids.public(Noun.PAYOUT, ids.new()),
    "node_id": ids.public(Noun.NODE, ids.new()),
    "work_id": ids.public(Noun.WORK, ids.new()),
    "campaign_id": ids.public(Noun.CAMPAIGN, ids.new()),
    "record_id": Things.record_id,
    "persona_id": "nobody",
    "memory_id": ids.public(Noun.MEMORY, ids.new()),
    "request_id": ids.public(Noun.REQUEST, ids.new()),
    "corpus_id": ids.public(Noun.CORPUS, ids.new()),
    "site_id": ids.public(Noun.SITE, ids.new()),
    "key": Things.key,
    "n": Things.n,
}
NO_IDS = {**dict.fromkeys(NOBODYS, "nonsense"), "key": Things.key, "n": Things.n}


@pytest.mark.parametrize("nothing", [NOBODYS, NO_IDS], ids=["nobody's", "no ids"])
def test_a_thing_of_nobody_is_like_one_of_somebody_else(
    world: World, site: Flask, nothing: dict[str, str]
) -> None:
    client = site.test_client()
    world.make()
    for (method, rule), (who, foreign) in TABLE.items():
        if foreign is not None:
            given = body(site, (method, rule))
            headers = world.actors["node" if who == "node" else "owner"]
            address = path(rule, nothing.__getitem__)
            answer = client.open(address, method=method, headers=headers, json=given)
            assert answer.get_json()["error"]["code"] == foreign, (method, rule)
