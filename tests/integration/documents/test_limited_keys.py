"""A key that is limited to corpora sees them, and the searches that it asked, and nothing else."""

from dataclasses import replace
from typing import Any

import pytest

from app.core import db
from app.core.config.settings import Settings
from tests import builders
from tests.integration.documents.conftest import CORPORA, OWLS, SEARCH, Uploader

QUESTION = "How many eggs does a barn owl lay?"
KEYS = "/v1/api-keys"


@pytest.fixture
def signed_in(ada: Uploader, settings: Settings) -> Uploader:
    """Ada herself."""
    with db.transaction() as tx:
        account = db.value(tx, "select account_id from api_keys")
        token = builders.access_token(tx, settings, account)
    return replace(ada, headers={"Authorization": f"Bearer {token}"})


@pytest.fixture
def handbook(ada: Uploader) -> str:
    """The address of a corpus; another one answers the same question."""
    builders.indexed_page("https://birds.example.org/owls", OWLS.replace("four", "three"))
    ada.upload(ada.corpus("private"), "secret.md", OWLS.replace("four", "five"))
    corpus = ada.corpus("handbook")
    ada.upload(corpus, "owls.md", OWLS)
    return corpus


def made(signed_in: Uploader, **given: Any) -> dict[str, Any]:
    body = {"name": "agent", "scopes": ["search", "corpora"], **given}
    answer = signed_in.ask("POST", KEYS, json=body)
    assert answer.status_code == 201, answer.get_json()
    key: dict[str, Any] = answer.get_json()
    return key


@pytest.fixture
def limited(signed_in: Uploader, handbook: str) -> Uploader:
    """An agent with a key for the handbook alone."""
    key = made(signed_in, corpora=["handbook"])
    assert key["api_key"]["corpora"] == [handbook.rpartition("/")[2]]
    return replace(signed_in, headers={"X-API-Key": key["secret"]})


def found(asking: Uploader, **given: Any) -> set[str]:
    return {url.rpartition("/")[2] for url in asking.sources(QUESTION, **given)}


def test_its_searches_read_only_those_corpora_and_nothing_once_they_are_deleted(
    ada: Uploader, limited: Uploader, handbook: str
) -> None:
    assert found(ada) == {"owls", "owls.md", "secret.md"}
    assert found(limited) == {"owls.md"}
    assert found(limited, corpora=["handbook"]) == {"owls.md"}
    answers = [
        limited.ask("POST", SEARCH, json={"query": QUESTION, "corpora": [name]})
        for name in ("private", "nowhere")
    ]
    assert [answer.status_code for answer in answers] == [400, 400]
    assert len({str(answer.get_json()["error"]["details"]) for answer in answers}) == 1
    assert ada.ask("DELETE", handbook).status_code == 204
    assert found(limited) == set()
    assert limited.ask("GET", CORPORA).get_json()["corpora"] == []


def test_an_idempotency_key_of_another_key_is_not_its_own(ada: Uploader, limited: Uploader) -> None:
    def asked(asking: Uploader) -> str:
        asking = replace(asking, headers={**asking.headers, "Idempotency-Key": "1"})
        id: str = asking.ask("POST", SEARCH, json={"query": QUESTION}).get_json()["id"]
        return id

    own = asked(limited)
    assert asked(ada) != own
    assert asked(limited) == own


def test_it_sees_and_follows_no_searches_but_its_own(ada: Uploader, limited: Uploader) -> None:
    other, own = ada.search(QUESTION)["id"], limited.search(QUESTION)["id"]
    listed = limited.ask("GET", SEARCH).get_json()["searches"]
    assert [each["id"] for each in listed] == [own]
    for method, below in (
        ("GET", ""),
        ("GET", "/events"),
        ("GET", "/sources/1/snapshot"),
        ("POST", "/cancel"),
    ):
        assert limited.ask(method, f"{SEARCH}/{other}{below}").status_code == 404
        assert limited.ask(method, f"{SEARCH}/{own}{below}").status_code == 200
    assert len(ada.ask("GET", SEARCH).get_json()["searches"]) == 2
    refused, unknown = (
        limited.ask("POST", SEARCH, json={"query": "And then?", "follows": id})
        for id in (other, "srch_1")
    )
    assert (refused.status_code, unknown.status_code) == (400, 400)
    assert refused.get_json()["error"]["details"] == unknown.get_json()["error"]["details"]
    assert limited.search("When do they hatch?", follows=own)["follows"]["id"] == own


def test_a_key_that_replaces_it_sees_what_it_asked(signed_in: Uploader, limited: Uploader) -> None:
    asked = limited.search(QUESTION)["id"]
    id = signed_in.ask("GET", KEYS).get_json()["api_keys"][0]["id"]
    rolled = signed_in.ask("POST", f"{KEYS}/{id}/roll", json={"overlap_hours": 0}).get_json()
    following = replace(limited, headers={"X-API-Key": rolled["secret"]})
    assert following.ask("GET", f"{SEARCH}/{asked}").status_code == 200
    assert [x["id"] for x in following.ask("GET", SEARCH).get_json()["searches"]] == [asked]
    assert found(following) == {"owls.md"}


def test_it_sees_and_changes_only_those_corpora_and_makes_none(
    ada: Uploader, limited: Uploader, handbook: str
) -> None:
    listed = limited.ask("GET", CORPORA).get_json()["corpora"]
    assert [each["name"] for each in listed] == ["handbook"]
    names = {x["name"]: x["id"] for x in ada.ask("GET", CORPORA).get_json()["corpora"]}
    private = f"{CORPORA}/{names['private']}"
    for method, below in (
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("GET", "/documents"),
        ("GET", "/documents/secret.md"),
        ("PUT", "/documents/secret.md"),
        ("PATCH", "/documents/secret.md"),
        ("DELETE", "/documents/secret.md"),
    ):
        answer = limited.ask(method, f"{private}{below}", json={"name": "x", "metadata": {}})
        assert answer.get_json()["error"]["code"] == "corpus_not_found", (method, below)
    assert limited.put(handbook, "more.md", OWLS).status_code == 202
    answer = limited.ask("POST", CORPORA, json={"name": "another"})
    assert answer.get_json()["error"]["code"] == "api_key_scope"


def test_a_key_for_what_is_no_corpus_or_another_accounts_is_refused(
    ada: Uploader, signed_in: Uploader, bob: Uploader
) -> None:
    ada.corpus("handbook")
    theirs = bob.corpus("theirs").rpartition("/")[2]
    for corpora in (["handbook", "corp_" + "a" * 26], [], [theirs], ["theirs"]):
        body = {"name": "agent", "scopes": ["search"], "corpora": corpora}
        answer = signed_in.ask("POST", KEYS, json=body)
        assert answer.status_code == 400
        assert answer.get_json()["error"]["details"][0]["field"].startswith("/corpora")


@pytest.mark.usefixtures("handbook")
def test_it_has_no_scope_over_what_is_in_no_corpus(signed_in: Uploader) -> None:
    body = {"name": "agent", "scopes": ["search", "jobs"], "corpora": ["handbook"]}
    answer = signed_in.ask("POST", KEYS, json=body)
    assert answer.get_json()["error"]["details"][0]["field"] == "/scopes"
    id = made(signed_in, corpora=["handbook"])["api_key"]["id"]
    wider = signed_in.ask("PATCH", f"{KEYS}/{id}", json={"scopes": ["search", "memory"]})
    assert wider.status_code == 400


def test_a_limit_is_set_changed_and_lifted(
    ada: Uploader, signed_in: Uploader, handbook: str
) -> None:
    key = made(signed_in, scopes=["search", "jobs"])
    path = f"{KEYS}/{key['api_key']['id']}"
    asking = replace(ada, headers={"X-API-Key": key["secret"]})
    assert key["api_key"]["corpora"] is None
    assert signed_in.ask("PATCH", path, json={"corpora": ["handbook"]}).status_code == 400
    change = {"corpora": ["handbook"], "scopes": ["search"]}
    changed = signed_in.ask("PATCH", path, json=change).get_json()
    assert changed["api_key"]["corpora"] == [handbook.rpartition("/")[2]]
    assert found(asking) == {"owls.md"}
    assert signed_in.ask("PATCH", path, json={"corpora": ["private"]}).status_code == 200
    assert found(asking) == {"secret.md"}
    assert signed_in.ask("PATCH", path, json={"corpora": None}).status_code == 200
    assert found(asking) == {"owls", "owls.md", "secret.md"}
