"""Public is what both flags say, on every public route."""

import base64
import io
import threading
from itertools import product
from typing import Any

import pytest
from flask.testing import FlaskClient
from PIL import Image

from app.core import db
from app.domains.providers.providers import saved_offers, schemas, service
from tests import servers
from tests.databases import sessions_waiting
from tests.integration.providers.conftest import MODEL, PROFILE, Provider, problem

DISCOVERY = f"/public/provider-offers?model={MODEL}"
PROVIDER = "/public/providers/ada"
NO_PROFILE = None

# Profile (None: not saved yet, so it stands first), offer, avatar -> what each public route shows.
HIDDEN = {"discovery": [], "offer": 404, "provider": 404, "avatar": 404}
TABLE: dict[tuple[bool | None, bool, bool], dict[str, Any]] = {
    (None, False, False): HIDDEN,
    (False, False, False): HIDDEN,
    (False, False, True): HIDDEN,
    (False, True, False): HIDDEN,
    (False, True, True): HIDDEN,
    (True, False, False): HIDDEN | {"provider": []},
    (True, False, True): HIDDEN | {"provider": [], "avatar": 200},
    (True, True, False): {"discovery": ["cellar"], "offer": 200, "provider": ["cellar"]}
    | {"avatar": 404},
    (True, True, True): {"discovery": ["cellar"], "offer": 200, "provider": ["cellar"]}
    | {"avatar": 200},
}
CODES = {
    "offer": "provider_offer_unavailable",
    "provider": "provider_not_found",
    "avatar": "avatar_not_found",
}


def test_the_table_has_every_combination() -> None:
    saved = set(product((False, True), repeat=3))
    assert set(TABLE) == saved | {(NO_PROFILE, False, False)}


def test_each_public_route_shows_what_the_flags_say(ada: Provider, client: FlaskClient) -> None:
    id = ada.offer()
    paths = {
        "discovery": DISCOVERY,
        "offer": f"/public/provider-offers/{id}",
        "provider": PROVIDER,
        "avatar": f"{PROVIDER}/avatar",
    }
    for (profile, offer, avatar), shown in TABLE.items():
        if profile is not None:
            ada.save_profile(published=profile)
            ada.publish(id, published=offer)
            ada.call("POST", "/v1/provider-profile/avatar", {"data_url": PIXEL if avatar else None})
        found = {name: seen(client, path, name) for name, path in paths.items()}
        assert found == shown, (profile, offer, avatar)


def seen(client: FlaskClient, path: str, name: str) -> Any:
    """The names of a list's offers, or the status of anything else."""
    answer = client.get(path)
    if answer.status_code == 404:
        assert problem(answer) == (404, CODES[name])
    elif name in ("discovery", "provider"):
        return [offer["public_name"] for offer in answer.get_json()["offers"]]
    return answer.status_code


def pixel() -> str:
    file = io.BytesIO()
    Image.new("RGB", (1, 1)).save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


PIXEL = pixel()


def test_unpublishing_keeps_the_flags_and_republishing_restores_them(
    ada: Provider, client: FlaskClient
) -> None:
    ada.save_profile()
    shown, hidden = ada.offer(device_id="a", public_name="a"), ada.offer(device_id="b")
    ada.publish(shown, name="shown")
    ada.publish(hidden, published=False, name="hidden")
    ada.save_profile(published=False)
    assert names(client) == []
    flags = [o["published"] for o in ada.call("GET", "/v1/provider-offers").get_json()["offers"]]
    assert flags == [True, False]
    ada.save_profile(published=True)
    assert names(client) == ["shown"]


def names(client: FlaskClient) -> list[str]:
    return [offer["public_name"] for offer in client.get(DISCOVERY).get_json()["offers"]]


def test_an_offer_published_while_the_profile_is_hidden_appears_with_it(
    ada: Provider, client: FlaskClient
) -> None:
    ada.save_profile(published=False)
    ada.publish(ada.offer())
    assert names(client) == []
    ada.save_profile()
    assert names(client) == ["cellar"]


@pytest.mark.parametrize("first", ["profile", "offer"])
def test_hiding_the_profile_and_publishing_an_offer_at_once_shows_nothing(
    ada: Provider, client: FlaskClient, first: str
) -> None:
    ada.save_profile()
    id = ada.offer()
    hidden = service.draft(PROFILE | {"published": False})

    def hide(tx: db.Tx) -> None:
        service.save_profile(tx, ada.account_id, hidden)

    def publish(tx: db.Tx) -> None:
        service.change_offer(tx, ada.account_id, id, "cellar", published=True)

    one, other = (hide, publish) if first == "profile" else (publish, hide)

    def second() -> None:
        with db.transaction() as tx:
            other(tx)

    thread = threading.Thread(target=second)
    with db.transaction() as tx:
        one(tx)
        thread.start()
        wait_for_a_lock()
    thread.join()
    assert names(client) == []
    ada.save_profile()
    assert names(client) == ["cellar"]


def test_an_offer_that_is_taken_back_meanwhile_is_not_published(
    ada: Provider, client: FlaskClient
) -> None:
    ada.save_profile()
    id = ada.offer()

    def publish() -> None:
        with pytest.raises(service.OfferNotFound), db.transaction() as tx:
            service.change_offer(tx, ada.account_id, id, "cellar", published=True)

    thread = threading.Thread(target=publish)
    with db.transaction() as tx:
        saved_offers.withdraw_offers(tx, ada.account_id, "cellar-1")
        thread.start()
        wait_for_a_lock()
    thread.join()
    assert names(client) == []


def wait_for_a_lock() -> None:
    servers.until(sessions_waiting)


PROVIDER_FIELDS = {
    "display_name",
    "handle",
    "description",
    "website",
    "published",
    "avatar_url",
}
OFFER_FIELDS = {
    "offer_id",
    "model",
    "model_revision",
    "pricing_revision",
    "public_name",
    "rates",
    "availability",
    "provider",
}


def test_public_answers_have_exactly_these_fields(ada: Provider, client: FlaskClient) -> None:
    ada.save_profile()
    id = ada.offer()
    ada.publish(id)
    offer = client.get(f"/public/provider-offers/{id}").get_json()
    assert offer.keys() == OFFER_FIELDS
    assert offer["rates"].keys() == {"input", "output"}
    assert offer["provider"].keys() == PROVIDER_FIELDS
    listed = client.get(DISCOVERY).get_json()
    assert listed == {"offers": [offer], "has_more": False, "next_cursor": None}
    provider = client.get(PROVIDER).get_json()
    assert provider == {"profile": offer["provider"], **listed}


def test_public_answers_say_nothing_private(ada: Provider, client: FlaskClient) -> None:
    ada.save_profile()
    id = ada.offer(device_id="device-secret", public_name="private-name")
    ada.publish(id, name="public")
    ada.call("POST", "/v1/provider-profile/avatar", {"data_url": PIXEL})
    for path in (DISCOVERY, f"/public/provider-offers/{id}", PROVIDER, f"{PROVIDER}/avatar"):
        said = client.get(path)
        text = said.data.decode("latin-1") + str(said.headers)
        for private in ("device-secret", "private-name", "ada@example.org", str(ada.account_id)):
            assert private not in text, path


def test_answers_are_what_the_document_says(ada: Provider, client: FlaskClient) -> None:
    ada.save_profile()
    id = ada.offer()
    ada.publish(id)
    for path, schema in (
        (f"/public/provider-offers/{id}", schemas.PublicOfferSchema()),
        (DISCOVERY, schemas.PublicOffersOut()),
        (PROVIDER, schemas.PublicProfileOut()),
    ):
        answer = client.get(path).get_json()
        assert schema.dump(answer) == answer
        assert schema.validate(answer) == {}
    own = ada.call("GET", "/v1/provider-offers").get_json()
    assert schemas.OwnOffersOut().validate(own) == {}
    assert own["offers"][0].keys() == schemas.OwnOfferSchema().fields.keys()


def test_publication_changes_neither_serving_nor_auto_eligibility(ada: Provider) -> None:
    ada.save_profile()
    id = ada.offer(serving=True, auto_eligible=True)
    ada.publish(id)
    ada.publish(id, published=False)
    ada.save_profile(published=False)
    with db.reading() as reader:
        row = reader.execute("select serving, auto_eligible from provider_offers").fetchone()
    assert row == (True, True)
