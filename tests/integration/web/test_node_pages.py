"""Your own nodes, your profile and offers; and, for operators, nodes that wait to be let in."""

import base64
import io
from dataclasses import dataclass

import pytest
from flask import Flask

from app.core import db, ids
from tests import builders, market
from tests.market import words
from tests.visiting import Visitor, part


@dataclass
class Site:
    app: Flask

    def visitor(self, *, operator: bool = False) -> Visitor:
        """Of a new account."""
        return Visitor(self.app, market.account(f"{ids.new()}@example.org", operator=operator))

    @property
    def stranger(self) -> Visitor:
        return Visitor(self.app, None)


@pytest.fixture(scope="module")
def site(site: Flask) -> Site:
    return Site(site)


@pytest.fixture
def ada(site: Site) -> Visitor:
    return site.visitor()


NODE = {
    "name": "cellar",
    "work": ["extraction", "chat"],
    "capacity": "4",
    "model": "example/model-7b",
    "revision": "r1",
    "input_rate": "0.25",
    "output_rate": "1.5",
    "max_context": "8192",
    "precision": "fp8",
}


TOKEN = r"cgn_\w+"


def register(visitor: Visitor, **changes: object) -> tuple[str, str]:
    """The id of a new node, and its token."""
    made = visitor.post("/nodes", NODE | changes)
    assert made.status_code == 201, words(made)
    return part(r"node_[a-z2-7]{26}", made), part(TOKEN, made)


def heartbeat(visitor: Visitor, id: str, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    beat = visitor.client.post(f"/v1/nodes/{id}/heartbeat", json={"in_flight": 0}, headers=headers)
    assert beat.status_code == 200


def test_a_new_node_shows_its_token_once_and_how_to_start_it(ada: Visitor) -> None:
    made = ada.post("/nodes", NODE)
    assert made.status_code == 201
    shown = words(made)
    assert "CITEGRID_NODE_ID=node_" in shown
    assert "--model example/model-7b --revision r1" in shown
    assert part(TOKEN, made) not in ada.get("/nodes").text


def test_problems_stand_at_their_fields(ada: Visitor) -> None:
    refused = ada.post("/nodes", NODE | {"input_rate": "cheap", "capacity": "99"})
    assert refused.status_code == 422
    assert 'id="input_rate-problem"' in refused.text
    assert 'id="capacity-problem"' in refused.text
    assert 'value="cheap"' in refused.text


def test_a_node_is_waited_for_until_it_is_heard_of(ada: Visitor) -> None:
    id, token = register(ada)
    waiting = ada.get(f"/nodes/{id}/heartbeat", live=True)
    assert (waiting.status_code, "<html" in waiting.text) == (200, False)
    heartbeat(ada, id, token)
    heard = ada.get(f"/nodes/{id}/heartbeat", live=True)
    assert heard.status_code == 286
    assert "after the operator of this server approves it" in words(heard)


def test_a_node_is_paused_resumed_renamed_and_deleted(ada: Visitor) -> None:
    id, _ = register(ada)
    page = f"/nodes/{id}"
    assert ada.post(f"{page}/pause").status_code == 303
    assert ">Resume<" in ada.get(page).text
    ada.post(f"{page}/resume")
    assert ">Pause<" in ada.get(page).text
    ada.post(f"{page}/name", {"name": "attic"})
    assert "<h1>attic</h1>" in ada.get(page).text
    ada.post(f"{page}/delete")
    assert ada.get(page).status_code == 404


def test_a_name_that_is_none_is_told_at_its_field(ada: Visitor) -> None:
    id, _ = register(ada)
    refused = ada.post(f"/nodes/{id}/name", {"name": "a" * 61})
    assert refused.status_code == 422
    assert 'id="name-problem"' in refused.text
    assert f'value="{"a" * 61}"' in refused.text
    assert f'hx-get="/nodes/{id}"' in refused.text


def test_a_rolled_token_is_shown_once(ada: Visitor) -> None:
    id, former = register(ada)
    rolled = ada.post(f"/nodes/{id}/roll", {"overlap_hours": "1"})
    token = part(TOKEN, rolled)
    assert token != former
    heartbeat(ada, id, token)


def test_operators_approve_nodes_and_nobody_else_sees_them(site: Site, ada: Visitor) -> None:
    id, _ = register(ada)
    assert ada.get("/nodes/waiting").status_code == 404
    operator = site.visitor(operator=True)
    assert id in operator.get("/nodes/waiting").text
    assert ada.post("/nodes/waiting", {"node": id}).status_code == 404
    assert operator.post("/nodes/waiting", {"node": id}).status_code == 303
    assert id not in operator.get("/nodes/waiting").text
    assert "Awaiting approval" not in words(ada.get(f"/nodes/{id}"))


def test_a_first_visit_says_what_a_node_is_and_how_to_start_one(ada: Visitor) -> None:
    shown = words(ada.get("/nodes"))
    assert "No nodes yet" in shown
    assert "citegrid node run" in shown


PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGMAAQAABQABDQottAAAAABJRU5ErkJggg=="
)
PROFILE = {"display_name": "Ada", "description": "Two machines.", "website": "", "published": "on"}


def test_an_offer_is_published_after_its_profile(ada: Visitor, site: Site) -> None:
    register(ada)
    offer = part(r'action="(/provider/offers/[^"]+)"', ada.get("/provider"))
    fields = {"public_name": "Cellar", "published": "true"}
    assert ada.post(offer, fields).status_code == 422
    saved = ada.post("/provider", PROFILE | {"handle": "ada-one"})
    assert saved.status_code == 303
    assert ada.post(offer, fields).status_code == 303
    shown = words(site.stranger.get("/providers/ada-one"))
    assert "Cellar" in shown
    assert "New: no measurements yet" in shown
    ada.post(offer, {"public_name": "Cellar", "published": "false"})
    assert "No public offers" in words(site.stranger.get("/providers/ada-one"))


def test_a_hidden_profile_is_seen_by_its_owner_only(ada: Visitor, site: Site) -> None:
    hidden = {name: value for name, value in PROFILE.items() if name != "published"}
    ada.post("/provider", hidden | {"handle": "ada-hidden"})
    assert "Your profile is hidden" in words(ada.get("/providers/ada-hidden"))
    assert site.stranger.get("/providers/ada-hidden").status_code == 404


@pytest.mark.parametrize(
    ("field", "value"), [("handle", "no"), ("website", "http://plain.example"), ("handle", "taken")]
)
def test_a_profile_s_problem_stands_at_its_field(
    ada: Visitor, site: Site, field: str, value: str
) -> None:
    if value == "taken":
        other = site.visitor()
        other.post("/provider", PROFILE | {"handle": "taken"})
    refused = ada.post("/provider", {**PROFILE, "handle": "fine", field: value})
    assert refused.status_code == 422
    assert f'id="{field}-problem"' in refused.text


def test_a_refused_profile_stays_as_hidden_as_it_was_sent(ada: Visitor) -> None:
    ada.post("/provider", PROFILE | {"handle": "ada-two"})
    sent = {"display_name": "Ada", "description": "", "website": ""}
    ticked = 'name="published" value="on" checked'
    assert ticked not in ada.post("/provider", {**sent, "handle": "no"}).text
    assert ticked in ada.post("/provider", {**sent, "handle": "no", "published": "on"}).text


def test_a_picture_is_uploaded_shown_and_removed(ada: Visitor) -> None:
    ada.post("/provider", PROFILE | {"handle": "ada-seen"})
    picture = base64.b64decode(PIXEL)
    upload = (io.BytesIO(picture), "me.png", "image/png")
    assert ada.post("/provider/avatar", {"avatar": upload}).status_code == 303
    assert ada.get("/provider/avatar").data == picture
    ada.post("/provider/avatar", {"remove": "1"})
    assert ada.get("/provider/avatar").status_code == 404
    no_picture = (io.BytesIO(b"<svg/>"), "me.png", "image/png")
    assert ada.post("/provider/avatar", {"avatar": no_picture}).status_code == 422


def test_every_form_has_the_token_of_its_session(ada: Visitor) -> None:
    id, _ = register(ada)
    for path in ("/nodes", f"/nodes/{id}", "/nodes/new", "/provider"):
        page = ada.get(path).text
        assert page.count('method="post"') == page.count('name="csrf"') > 1, path


def test_what_was_earned_is_shown_with_the_nodes(site: Site) -> None:
    account_id = market.account(f"{ids.new()}@example.org")
    with db.transaction() as tx:
        builders.reward(tx, account_id, "0.75")
    earning = Visitor(site.app, account_id)
    assert "Earned, USD 0.75 available" in words(earning.get("/nodes"))
