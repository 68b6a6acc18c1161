"""Offers that were measured for a month, their providers, nodes at work and nodes that wait."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from app.core import db, ids
from app.core.ids import Noun
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.providers.nodes import service as nodes
from app.domains.providers.providers import saved_offers
from tests import builders, market, node_work
from tests.browser.pages import Page

if TYPE_CHECKING:
    from tests.browser.site import Site

MODEL = "example/example-8b-instruct"

PAGES = (
    Page("offers-models", "/offers/models", None),
    Page("offers-models-no-match", "/offers/models?q=zebra", None),
    Page("offers", f"/offers?model={MODEL}", None),
    Page("offers-signed-in", f"/offers?model={MODEL}&sort=uptime&measured=on"),
    Page("offers-no-match", f"/offers?model={MODEL}&precision=fp8&context=131072", None),
    Page("offers-none", "/offers?model=example/nobody-has-this", None),
    Page("offer", "/offers/{offer}", None),
    Page("offer-signed-in", "/offers/{offer}"),
    Page(
        "offers-compare",
        "/offers/compare?offer={offer}&offer={other_offer}&offer={new_offer}",
        None,
    ),
    Page("provider", "/providers/north-lab", None),
    Page("provider-new", "/providers/fresh", None),
    Page("provider-own", "/providers/ada"),
    Page("own-provider", "/provider"),
    Page("own-provider-newcomer", "/provider", "newcomer"),
    Page("nodes", "/nodes"),
    Page("nodes-newcomer", "/nodes", "newcomer"),
    Page("node-new", "/nodes/new"),
    Page("node", "/nodes/{node}"),
    Page("node-heartbeat", "/nodes/{silent_node}/heartbeat"),
    Page("nodes-waiting", "/nodes/waiting", "operator"),
)


def plant(site: "Site") -> None:
    _providers(site)
    _nodes(site)


def _providers(site: "Site") -> None:
    north = _provider("North lab", "north-lab", website="https://north.example/")
    attic = _provider("Attic rack", "attic")
    fresh = _provider("Fresh node", "fresh")
    market.profile(site.account, "ada", "Ada's computers")
    market.picture(north)
    best = market.offer(north, ("0.05", "0.09"), name="rack 2", model=MODEL, max_context=32768)
    cheap = market.offer(
        attic, ("0.04", "0.07"), name="attic", model=MODEL, max_context=8192, precision="q4_k_m"
    )
    new = market.offer(fresh, ("0.045", "0.1"), name="laptop", model=MODEL, seen=False)
    own = market.offer(
        site.account, ("0.055", "0.11"), name="tower", model=MODEL, max_context=16384
    )
    market.offer(north, ("0", "0"), name="rack 1", model="example/example-1b", max_context=4096)
    market.history(best, days=30, requests=240, failed=0.001, first_token_ms=210)
    market.history(cheap, days=30, requests=90, failed=0.02, first_token_ms=420)
    market.history(own, days=4, requests=24, failed=0.0, first_token_ms=310)
    market.measure(new, good=7)
    site.ids |= {"offer": str(best), "other_offer": str(cheap), "new_offer": str(new)}
    with db.transaction() as tx:
        saved_offers.enable_edition(tx, MODEL, "r1")


def _provider(name: str, handle: str, **profile: object) -> UUID:
    with db.transaction() as tx:
        id = builders.account(tx, f"{handle}@example.org")
    market.profile(id, handle, name, **profile)
    return id


def _nodes(site: "Site") -> None:
    served = {
        "model": MODEL,
        "revision": "r1",
        "rates": {"input": "0.055", "output": "0.11"},
        "max_context": 16384,
        "precision": "fp8",
        "auto_eligible": True,
    }
    busy = _node(site, site.account, "tower", models=[served])
    _node(site, site.account, "garage", maintenance=True)
    silent = _node(site, site.account, "loft", seen=False, admitted=False)
    for name in ("cellar", "shed"):
        with db.transaction() as tx:
            owner = builders.account(tx, f"{name}@example.org")
        _node(site, owner, name, admitted=False)
    _work(site, busy)
    with db.transaction() as tx:
        builders.reward(tx, site.account, "12.75")
    site.ids |= {
        "node": ids.public(Noun.NODE, busy),
        "silent_node": ids.public(Noun.NODE, silent),
    }


def _node(
    site: "Site",
    account_id: UUID,
    name: str,
    *,
    admitted: bool = True,
    seen: bool = True,
    maintenance: bool = False,
    models: Any = (),
) -> UUID:
    capabilities = node_work.CAPABILITIES | {"models": list(models), "capacity": 4}
    pepper = Pepper.of(site.settings)
    with db.transaction() as tx:
        node = nodes.create(
            tx, account_id, name, capabilities, admitted=admitted, pepper=pepper
        ).node
        if seen:
            nodes.heard(tx, node, None, in_flight=1)
        if maintenance:
            nodes.change(tx, account_id, node.id, {"maintenance": True})
    return node.id


ENDS = ("done", "done", "done", "declined", "done", "lost", "done", "failed", "done", "withdrawn")


def _work(site: "Site", node_id: UUID) -> None:
    """Items that ended, each in its way, and two that it has."""
    with db.transaction() as tx:
        payer = builders.account(tx, "payer@example.org")
        for number, outcome in enumerate(ENDS):
            ended = datetime.now(UTC) - timedelta(minutes=7 * (len(ENDS) - number))
            tx.execute(
                "update work_turns set outcome = %(outcome)s, ended_at = %(ended)s,"
                " claimed_at = %(ended)s - interval '4 seconds', reason = %(reason)s"
                " where work_id = %(id)s",
                {
                    "id": node_work.held(tx, payer, node_id),
                    "outcome": outcome,
                    "ended": ended,
                    "reason": "overloaded" if outcome == "declined" else None,
                },
            )
        for _ in range(2):
            node_work.held(tx, payer, node_id)
