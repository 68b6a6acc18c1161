"""A paid search is read by its token or by the paying wallet, and by nobody else."""

import itertools
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.money.payments import wallet_sign_in
from tests import builders
from tests.chains import paying
from tests.chains.node import PAYER, STRANGER
from tests.integration.payments.conftest import PATH, Ask, Settler
from tests.key_rotation import rotate
from tests.quick_applications import made

OWLS = "# Barn owls\n\nA clutch of the barn owl holds four to seven eggs.\n"


@pytest.fixture
def bought(send: Ask, challenge: str) -> dict[str, Any]:
    """What the payer was answered; the search waits until it is settled."""
    found: dict[str, Any] = send(paying.payment(challenge, PAYER)).json
    return found


@pytest.fixture
def id(bought: dict[str, Any]) -> str:
    return str(bought["search"]["id"])


@pytest.fixture
def bearer(bought: dict[str, Any]) -> dict[str, str]:
    return {"Authorization": f"Bearer {bought['access_token']}"}


def test_nobody_reads_without_a_credential(client: FlaskClient, id: str) -> None:
    for suffix in ("", "?wait=0", "/events", "/sources/1/snapshot"):
        answer = client.get(f"{PATH}/{id}{suffix}")
        assert (answer.status_code, answer.json["error"]["code"]) == (402, "search_access_denied")
        assert paying.decoded(answer.headers["PAYMENT-REQUIRED"])["accepts"] == []


def test_what_is_not_there_is_answered_as_what_is_somebody_elses(
    client: FlaskClient, id: str
) -> None:
    missing = ids.public(Noun.SEARCH, ids.new())
    theirs, nobodys = (client.get(f"{PATH}/{each}") for each in (id, missing))
    for answer in (theirs, nobodys):
        answer.json["error"].pop("request_id")
    assert (theirs.status_code, theirs.json["error"]["code"]) == (
        nobodys.status_code,
        nobodys.json["error"]["code"],
    )


def test_another_token_opens_nothing(client: FlaskClient, id: str) -> None:
    for token in ("", "cgp_", "cgp_" + "0" * 64, "Bearer", "cgp_\xe9\xff"):
        headers = {"Authorization": f"Bearer {token}"}
        assert client.get(f"{PATH}/{id}", headers=headers).status_code == 402, token


def test_a_token_opens_its_own_search_only(
    client: FlaskClient, send: Ask, challenge: str, bearer: dict[str, str]
) -> None:
    other = send(paying.payment(challenge, PAYER)).json["search"]["id"]
    assert client.get(f"{PATH}/{other}", headers=bearer).status_code == 402


def test_a_token_outlives_one_change_of_the_secret_key(
    settings: Settings, id: str, bearer: dict[str, str]
) -> None:
    rolled = replace(settings, secret_key="y" * 32, secret_key_previous=settings.secret_key)
    answer = made(rolled).test_client().get(f"{PATH}/{id}", headers=bearer)
    assert answer.status_code == 200


def test_a_token_outlives_secret_keys_that_were_dropped(
    settings: Settings, id: str, bearer: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for former, newest in itertools.pairwise(("x" * 32, "y" * 32, "z" * 32)):
        rotate(replace(settings, secret_key=newest, secret_key_previous=former), monkeypatch)
    alone = made(settings, secret_key=newest).test_client()
    assert alone.get(f"{PATH}/{id}", headers=bearer).status_code == 200


def test_a_digest_of_a_token_is_kept_once(
    settings: Settings, id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        rotate(replace(settings, secret_key="y" * 32, secret_key_previous="x" * 32), monkeypatch)
    with db.reading() as reader:
        assert db.value(reader, "select cardinality(former_tokens) from payments") == 1


def test_a_challenge_outlives_a_change_of_the_secret_key(
    client: FlaskClient, settings: Settings, id: str
) -> None:
    challenge = client.get(f"{PATH}/{id}").headers["PAYMENT-REQUIRED"]
    rolled = made(settings, secret_key="y" * 32, secret_key_previous="x" * 32)
    answer = present(rolled.test_client(), id, paying.sign_in(challenge, PAYER))
    assert answer.status_code == 200


def test_a_paid_search_is_waited_for_and_its_sources_are_read(
    client: FlaskClient, settings: Settings, id: str, bearer: dict[str, str], settler: Settler
) -> None:
    builders.indexed_page("https://birds.example.org/owls", OWLS)
    settler.once()
    builders.work(settings, id)
    found = client.get(f"{PATH}/{id}?wait=5", headers=bearer)
    assert found.json["status"] == "completed"
    assert found.headers["Cache-Control"] == "private, no-store"
    events = client.get(f"{PATH}/{id}/events", headers=bearer)
    assert b"event: completed" in events.data


def test_the_snapshot_of_a_source_is_read(
    client: FlaskClient, settings: Settings, send: Ask, challenge: str, settler: Settler
) -> None:
    builders.indexed_page("https://birds.example.org/owls", OWLS)
    query = "How many eggs does a clutch of the barn owl hold?"
    bought = send(paying.payment(challenge, PAYER), query=query).json
    settler.once()
    builders.work(settings, bought["search"]["id"])
    bearer = {"Authorization": f"Bearer {bought['access_token']}"}
    answer = client.get(f"{PATH}/{bought['search']['id']}/sources/1/snapshot", headers=bearer)
    assert (answer.status_code, answer.json["url"]) == (200, "https://birds.example.org/owls")


def test_an_account_does_not_see_paid_searches(
    client: FlaskClient, owner: dict[str, str], id: str
) -> None:
    assert client.get(f"/external/v1/search/{id}", headers=owner).status_code == 404
    assert client.get("/external/v1/search", headers=owner).json["searches"] == []


def sign_in(client: FlaskClient, id: str, wallet: Any = PAYER, **changes: Any) -> TestResponse:
    challenge = client.get(f"{PATH}/{id}").headers["PAYMENT-REQUIRED"]
    return present(client, id, paying.sign_in(challenge, wallet, **changes))


def present(client: FlaskClient, id: str, signed: str) -> TestResponse:
    return client.get(f"{PATH}/{id}", headers={"SIGN-IN-WITH-X": signed})


def test_the_paying_wallet_signs_in(client: FlaskClient, id: str) -> None:
    answer = sign_in(client, id)
    assert (answer.status_code, answer.json["id"]) == (200, id)


def test_another_wallet_does_not(client: FlaskClient, id: str) -> None:
    assert sign_in(client, id, STRANGER).status_code == 402


def test_a_sign_in_is_good_once(client: FlaskClient, id: str) -> None:
    challenge = client.get(f"{PATH}/{id}").headers["PAYMENT-REQUIRED"]
    signed = paying.sign_in(challenge, PAYER)
    assert [present(client, id, signed).status_code for _ in range(2)] == [200, 402]


def test_a_sign_in_is_good_for_one_search(
    client: FlaskClient, send: Ask, challenge: str, id: str
) -> None:
    other = send(paying.payment(challenge, PAYER)).json["search"]["id"]
    signed = paying.sign_in(client.get(f"{PATH}/{other}").headers["PAYMENT-REQUIRED"], PAYER)
    assert present(client, id, signed).status_code == 402


def test_a_changed_challenge_is_not_accepted(client: FlaskClient, id: str) -> None:
    for changes in (
        {"nonce": "0" * 56},
        {"domain": "evil.example.org"},
        {"uri": "https://search.example.org/elsewhere"},
        {"statement": "Give me everything"},
        {"chainId": "eip155:1"},
        {"expirationTime": "2999-01-01T00:00:00.000Z"},
        {"resources": []},
        {"version": "2"},
    ):
        assert sign_in(client, id, **changes).status_code == 402, changes


def test_an_old_sign_in_is_not_accepted(
    client: FlaskClient, id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wallet_sign_in, "GOOD_SECONDS", -1)
    assert sign_in(client, id).status_code == 402


def test_what_is_no_sign_in_is_denied_alike_for_real_and_unknown_searches(
    client: FlaskClient, id: str
) -> None:
    array = paying.encoded({"chainId": ["eip155:1"]})
    for header in ("", "!!", "\xe9", "e30=", "W10=", "A" * 7000, array):
        for each in (id, ids.public(Noun.SEARCH, ids.new())):
            answer = present(client, each, header)
            denied = (answer.status_code, answer.json["error"]["code"])
            assert denied == (402, "search_access_denied"), header


def test_old_nonces_are_forgotten(client: FlaskClient, settings: Settings, id: str) -> None:
    sign_in(client, id)
    with db.transaction() as tx:
        tx.execute("update sign_in_nonces set expires_at = now() - interval '1 s'")
    builders.forget_expired(settings)
    with db.reading() as reader:
        assert db.value(reader, "select count(*) from sign_in_nonces") == 0


def test_a_payment_outlives_its_search_and_its_secrets_do_not(
    settings: Settings, client: FlaskClient, id: str, bearer: dict[str, str], settler: Settler
) -> None:
    settler.once()
    with db.transaction() as tx:
        tx.execute("update searches set expires_at = now()")
    builders.forget_expired(settings)
    assert client.get(f"{PATH}/{id}", headers=bearer).status_code == 404
    with db.reading() as reader:
        kept = reader.execute("select state, offer from payments").fetchall()
    assert kept == [("settled", None)]
