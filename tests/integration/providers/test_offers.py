"""Saved offers: made unpublished, priced in revisions, named and published by their owner."""

from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask.testing import FlaskClient

from app.core import db
from app.domains.providers.providers import offer_store, saved_offers
from tests.databases import become_owner
from tests.integration.providers.conftest import MODEL, Provider, problem

PATH = "/v1/provider-offers"


def own(provider: Provider) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = provider.call("GET", PATH).get_json()["offers"]
    return found


def test_a_new_offer_is_unpublished_at_the_first_price(ada: Provider) -> None:
    id = ada.offer(rates=("0.50", "0"))
    assert own(ada) == [
        {
            "offer_id": str(id),
            "device_id": "cellar-1",
            "model": MODEL,
            "model_revision": "r1",
            "pricing_revision": 1,
            "public_name": "cellar",
            "published": False,
            "rates": {"input": "0.5", "output": "0"},
            "availability": "available",
            "needs_review": True,
        }
    ]


def test_the_same_offer_again_is_the_same_offer(ada: Provider) -> None:
    assert ada.offer() == ada.offer(rates=("0.250", "1.50"), model_revision="r2")
    (offer,) = own(ada)
    assert (offer["pricing_revision"], offer["model_revision"]) == (1, "r2")


def test_another_device_or_model_is_another_offer(ada: Provider, bob: Provider) -> None:
    ids = {ada.offer(), ada.offer(device_id="x"), ada.offer(model="x"), bob.offer()}
    assert len(ids) == 4


def test_another_rate_is_the_next_revision(ada: Provider) -> None:
    for input_rate, revision in (("0.25", 1), ("0.3", 2), ("0.3", 2), ("0.25", 3)):
        ada.offer(rates=(input_rate, "1.5"))
        (offer,) = own(ada)
        assert (offer["pricing_revision"], offer["rates"]["input"]) == (revision, input_rate)


def test_a_price_is_never_changed(ada: Provider) -> None:
    ada.offer()
    for change in (
        "update provider_offer_prices set input_rate = 0",
        "delete from provider_offer_prices",
        "truncate provider_offer_prices cascade",
    ):
        with db.transaction() as tx:
            become_owner(tx)
            with pytest.raises(psycopg.errors.RestrictViolation):
                tx.execute(change)  # type: ignore[call-overload]


def test_an_offer_cannot_state_a_rate_that_is_not_of_its_revision(ada: Provider) -> None:
    ada.offer()
    with pytest.raises(psycopg.errors.ForeignKeyViolation), db.transaction() as tx:
        tx.execute("update provider_offers set input_rate = 0")


def test_offers_and_prices_go_with_their_account(ada: Provider) -> None:
    ada.save_profile()
    ada.offer()
    with db.transaction() as tx:
        tx.execute("delete from accounts where id = %s", [ada.account_id])
        left = db.value(
            tx,
            "select (select count(*) from provider_offers)"
            " + (select count(*) from provider_offer_prices)",
        )
    assert left == 0


def test_the_owner_names_and_publishes_an_offer(ada: Provider) -> None:
    ada.save_profile()
    id = ada.offer()
    answer = ada.publish(id, name="  In the cellar ")
    assert answer.status_code == 200
    (offer,) = answer.get_json()["offers"]
    assert (offer["public_name"], offer["published"]) == ("In the cellar", True)
    assert answer.get_json() == ada.call("GET", PATH).get_json()


def test_what_a_node_says_again_leaves_name_and_flag_to_the_owner(ada: Provider) -> None:
    ada.save_profile()
    ada.publish(ada.offer(), name="Mine")
    ada.offer(public_name="theirs", rates=("9", "9"))
    (offer,) = own(ada)
    assert (offer["public_name"], offer["published"]) == ("Mine", True)


def test_the_answer_to_a_change_is_the_first_page(ada: Provider) -> None:
    ada.save_profile()
    ids = [ada.offer(device_id=f"device-{n:03}") for n in range(201)]
    answer = ada.publish(ids[-1]).get_json()
    assert [offer["offer_id"] for offer in answer["offers"]] == [str(id) for id in ids[:-1]]
    assert answer["has_more"] is True
    rest = ada.call("GET", f"{PATH}?cursor={answer['next_cursor']}").get_json()
    assert [(o["offer_id"], o["published"]) for o in rest["offers"]] == [(str(ids[-1]), True)]
    assert (rest["has_more"], rest["next_cursor"]) == (False, None)


def test_a_bad_name_has_its_own_code(ada: Provider) -> None:
    for name in ("", " ", "a" * 61, "a\x00b", "a\u2066", 5, None):
        ada.save_profile()
        id = ada.offer()
        body = {"public_name": name, "published": True}
        expected = "malformed_json" if name == "a\x00b" else "invalid_offer_name"
        assert problem(ada.call("PUT", f"{PATH}/{id}", body)) == (400, expected), name


def test_another_shape_of_body_fails_validation(ada: Provider) -> None:
    for body in (
        {"public_name": "a"},
        {"published": True},
        {"public_name": "a", "published": 1},
        {"public_name": "a", "published": None},
        {"public_name": "a", "published": True, "rates": {}},
        {},
    ):
        id = ada.offer()
        assert problem(ada.call("PUT", f"{PATH}/{id}", body)) == (400, "validation_failed"), body


def test_an_offer_needs_a_profile(ada: Provider) -> None:
    id = ada.offer()
    assert problem(ada.publish(id, published=False)) == (409, "profile_required")


def test_an_offer_that_is_not_there_is_not_found(ada: Provider) -> None:
    for id in (str(UUID(int=1)), "x", f"{{{UUID(int=1)}}}", UUID(int=1).hex):
        body = {"public_name": "a", "published": True}
        assert problem(ada.call("PUT", f"{PATH}/{id}", body)) == (404, "offer_not_found"), id


def test_the_id_of_an_offer_has_no_case(ada: Provider) -> None:
    ada.save_profile()
    body = {"public_name": "a", "published": True}
    assert ada.call("PUT", f"{PATH}/{str(ada.offer()).upper()}", body).status_code == 200


def test_an_offer_needs_review_unless_its_revision_is_an_enabled_edition(ada: Provider) -> None:
    ada.offer(model_revision="r2")
    with db.transaction() as tx:
        assert saved_offers.enable_edition(tx, MODEL, "r1")
    assert own(ada)[0]["needs_review"] is True
    with db.transaction() as tx:
        saved_offers.enable_edition(tx, MODEL, "r2")
    assert own(ada)[0]["needs_review"] is False
    with db.transaction() as tx:
        saved_offers.disable_edition(tx, MODEL, "r2")
    assert own(ada)[0]["needs_review"] is True


def test_availability_is_what_the_device_last_said(ada: Provider, client: FlaskClient) -> None:
    ada.save_profile()
    for silent_seconds, in_flight, capacity, availability in (
        (0, 0, 1, "available"),
        (44, 3, 4, "available"),
        (44, 4, 4, "busy"),
        (0, 9, 4, "busy"),
        (45, 0, 1, "offline"),
        (45, 4, 4, "offline"),
        (None, 0, 1, "offline"),
    ):
        device_id = f"{silent_seconds}-{in_flight}"
        said = {"silent_seconds": silent_seconds, "in_flight": in_flight, "capacity": capacity}
        id = ada.offer(device_id=device_id, **said)
        ada.publish(id)
        public = client.get(f"/public/provider-offers/{id}").get_json()["availability"]
        [shown] = [each for each in own(ada) if each["device_id"] == device_id]
        assert (shown["availability"], public) == (availability, availability), device_id


def test_a_heartbeat_changes_what_all_offers_of_its_device_are(ada: Provider) -> None:
    ada.offer(silent_seconds=None)
    ada.offer(silent_seconds=None, model="another")
    ada.offer(silent_seconds=None, device_id="another")
    with db.transaction() as tx:
        now = db.value(tx, "select now()")
        offer_store.heard_of_device(tx, ada.account_id, "cellar-1", in_flight=1, seen_at=now)
    assert [offer["availability"] for offer in own(ada)] == ["busy", "busy", "offline"]


def test_a_cursor_is_a_uuid(ada: Provider) -> None:
    for cursor in ("", "x", "cur_x", str(UUID(int=1)) + "0", UUID(int=1).hex):
        assert problem(ada.call("GET", f"{PATH}?cursor={cursor}")) == (400, "validation_failed")


def test_nothing_but_a_cursor_is_asked_of_the_list(ada: Provider) -> None:
    assert problem(ada.call("GET", f"{PATH}?limit=5")) == (400, "validation_failed")
