"""A profile: saved whole, refused by field, found by a handle that only one account has."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from tests import servers
from tests.databases import become_owner, sessions_waiting
from tests.integration.providers.conftest import PROFILE, Provider, problem

PATH = "/v1/provider-profile"


def test_before_any_profile_is_saved_it_is_null(ada: Provider) -> None:
    answer = ada.call("GET", PATH)
    assert (answer.status_code, answer.get_json()) == (200, {"profile": None})


def test_a_saved_profile_is_returned_and_read_again(ada: Provider) -> None:
    saved = ada.save_profile()
    assert saved.status_code == 200
    assert saved.get_json() == {"profile": {**PROFILE, "avatar_url": None}}
    assert ada.call("GET", PATH).get_json() == saved.get_json()


def test_a_profile_is_replaced_as_a_whole(ada: Provider) -> None:
    ada.save_profile()
    changes = {"handle": "ada-2", "website": None, "published": False, "description": ""}
    ada.save_profile(**changes)
    assert ada.call("GET", PATH).get_json() == {
        "profile": {**PROFILE, **changes, "avatar_url": None}
    }


def test_text_is_kept_trimmed(ada: Provider) -> None:
    kept = ada.save_profile(display_name="  Ada ", description=" Cellar ").get_json()["profile"]
    assert (kept["display_name"], kept["description"]) == ("Ada", "Cellar")


def test_a_bad_value_has_the_code_of_its_field(ada: Provider) -> None:
    for name, value, code in (
        ("display_name", " ", "invalid_profile"),
        ("display_name", "a" * 81, "invalid_profile"),
        ("display_name", "a\u202eb", "invalid_profile"),
        ("display_name", None, "invalid_profile"),
        ("handle", "Ada", "invalid_profile"),
        ("handle", 7, "invalid_profile"),
        ("description", "a" * 161, "invalid_profile"),
        ("description", None, "invalid_profile"),
        ("published", "true", "invalid_profile"),
        ("published", None, "invalid_profile"),
        ("website", "http://example.org", "invalid_website"),
        ("website", "https://a:b@example.org", "invalid_website"),
        ("website", False, "invalid_website"),
    ):
        answer = ada.save_profile(**{name: value})
        assert problem(answer) == (400, code), name
        assert [d["field"] for d in answer.get_json()["error"]["details"]] == [f"/{name}"], name
        assert ada.call("GET", PATH).get_json() == {"profile": None}, name


def test_a_missing_or_unknown_field_fails_validation(ada: Provider) -> None:
    bodies = [{key: "?" for key in PROFILE if key != name} for name in PROFILE]
    bodies += [PROFILE | {name: None} for name in ("avatar_url", "account_id", "Handle")]
    for body in bodies:
        assert problem(ada.call("PUT", PATH, body)) == (400, "validation_failed"), body


def test_a_handle_is_of_one_account(ada: Provider, bob: Provider) -> None:
    ada.save_profile()
    assert problem(bob.save_profile()) == (409, "provider_handle_taken")
    bob.save_profile(handle="bob")
    assert problem(bob.save_profile()) == (409, "provider_handle_taken")
    assert bob.call("GET", PATH).get_json()["profile"]["handle"] == "bob"


def test_a_handle_that_was_given_up_is_free(ada: Provider, bob: Provider) -> None:
    ada.save_profile()
    ada.save_profile(handle="ada-2")
    assert bob.save_profile().status_code == 200


def test_of_many_who_claim_a_handle_at_once_one_gets_it(
    client: FlaskClient, settings: Settings
) -> None:
    claimants = [Provider(client, settings, f"claimant{n}@example.org") for n in range(8)]
    ready = threading.Barrier(len(claimants))

    def claim(claimant: Provider) -> int:
        claimant.client = claimant.client.application.test_client()
        ready.wait()
        return claimant.save_profile().status_code

    with ThreadPoolExecutor(len(claimants)) as threads:
        statuses = sorted(threads.map(claim, claimants))
    assert statuses == [200] + [409] * 7


def test_two_first_saves_of_one_account_at_once_both_succeed(ada: Provider) -> None:
    with ThreadPoolExecutor(2) as threads:
        with saves_stopped_before_the_indexes():
            answers = [threads.submit(save_elsewhere, ada) for _ in range(2)]
            servers.until(lambda: sessions_waiting() == 2)
        assert [answer.result() for answer in answers] == [200, 200]


@contextmanager
def saves_stopped_before_the_indexes() -> Iterator[None]:
    """A save that found no profile waits before it enters its row into any unique index."""
    with db.transaction() as tx:
        become_owner(tx)
        tx.execute("""
            create function gate(handle text) returns text immutable language plpgsql as $$
            begin perform pg_advisory_xact_lock_shared(7); return handle; end $$
            """)
        # Indexes are filled in the order in which they were made.
        tx.execute("create index on provider_profiles (gate(handle))")
        tx.execute("""
            alter table provider_profiles
                drop constraint provider_profiles_pkey, add primary key (account_id),
                drop constraint provider_profiles_handle_key, add unique (handle)
            """)
    with db.transaction() as tx:
        tx.execute("select pg_advisory_xact_lock(7)")
        yield


def save_elsewhere(provider: Provider) -> int:
    """Save at a client of its own, as another thread has to."""
    headers = {"Authorization": f"Bearer {provider.token}"}
    client = provider.client.application.test_client()
    return client.put(PATH, json=PROFILE, headers=headers).status_code
